"""Intervals. Rollouts of one world are alike, so means are resampled by world, not by rollout."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from analysis.errors import DataError

LEVEL = 0.95
DRAWS = 2000


class Interval(NamedTuple):
    """A mean with a two-sided interval."""

    mean: float
    low: float
    high: float


def shares(interval: Interval) -> str:
    """A share with its interval, in percent."""
    return f"{interval.mean:.1%} [{interval.low:.1%}, {interval.high:.1%}]"


def points(gap: Interval | None) -> str:
    """A difference of shares in points, with its interval where there is one; "-": not measured."""
    if gap is None:
        return "-"
    if not isfinite(gap.low):
        return f"{100 * gap.mean:+.1f}"
    return f"{100 * gap.mean:+.1f} [{100 * gap.low:+.1f}, {100 * gap.high:+.1f}]"


def cluster_bootstrap(values: Sequence[float], clusters: Sequence[str], *, seed: int = 0) -> Interval:
    """The mean of `values` with a percentile interval over resampled clusters (Davison and Hinkley 1997).

    clusters: the world of each value. Each draw takes as many clusters as there are, with repetition, and
    averages the values in them. With a single cluster the interval is the mean itself: one world says nothing
    about others.
    """
    _check(values, clusters)
    names = sorted(set(clusters))
    means = _resampled_means(_totals(values, clusters, names), _weights(len(names), seed, DRAWS))
    return _interval(float(np.mean(values)), means, LEVEL)


def difference_bootstrap(
    after: Sequence[float],
    after_clusters: Sequence[str],
    before: Sequence[float],
    before_clusters: Sequence[str],
    *,
    seed: int = 0,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> Interval:
    """mean(after) − mean(before), the same worlds drawn on both sides. DataError when the worlds differ."""
    _check(after, after_clusters)
    _check(before, before_clusters)
    names = sorted(set(after_clusters))
    if names != sorted(set(before_clusters)):
        raise DataError("a paired difference needs the same worlds on both sides; compare runs of one seed")
    weights = _weights(len(names), seed, draws)
    gaps = _resampled_means(_totals(after, after_clusters, names), weights) - _resampled_means(
        _totals(before, before_clusters, names), weights
    )
    return _interval(float(np.mean(after) - np.mean(before)), gaps, level)


def separate_difference(
    one: Sequence[float],
    one_clusters: Sequence[str],
    other: Sequence[float],
    other_clusters: Sequence[str],
) -> Interval:
    """mean(one) − mean(other), the worlds of each side drawn by themselves: for sides in different worlds."""
    sides = []
    for side, (values, clusters) in enumerate(((one, one_clusters), (other, other_clusters))):
        _check(values, clusters)
        names = sorted(set(clusters))
        weights = _weights(len(names), side, DRAWS)
        sides.append(_resampled_means(_totals(values, clusters, names), weights))
    return _interval(float(np.mean(one) - np.mean(other)), sides[0] - sides[1], LEVEL)


def _check(values: Sequence[float], clusters: Sequence[str]) -> None:
    if not len(values) or len(values) != len(clusters):
        raise DataError(f"an interval needs a world for each value; got {len(values)} and {len(clusters)}")


def _totals(values: Sequence[float], clusters: Sequence[str], names: list[str]) -> Any:
    """Sum and count per cluster, (cluster, 2)."""
    place = {name: index for index, name in enumerate(names)}
    index = np.array([place[cluster] for cluster in clusters])
    sums = np.bincount(index, weights=np.asarray(values, dtype=float), minlength=len(names))
    return np.stack([sums, np.bincount(index, minlength=len(names))], axis=1)


def _weights(clusters: int, seed: int, draws: int) -> Any:
    """How often each cluster was drawn, (draw, cluster)."""
    return np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), size=draws)


def _resampled_means(totals: Any, weights: Any) -> Any:
    drawn = weights @ totals  # (draw, 2)
    return drawn[:, 0] / drawn[:, 1]


def _interval(mean: float, means: Any, level: float) -> Interval:
    low, high = np.quantile(means, [0.5 - level / 2, 0.5 + level / 2])
    return Interval(mean, float(low), float(high))
