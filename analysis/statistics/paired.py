"""Intervals of differences that are paired by seed, and of the share of one gap that another closes.

Student's interval rather than a percentile bootstrap: with three to ten seeds the bootstrap is too narrow,
and means over hundreds of rollouts are near enough to normal.
"""

from math import inf, sqrt
from typing import Any

import numpy as np

from analysis.errors import DataError
from analysis.intervals import LEVEL, Interval


def paired_interval(differences: Any) -> Interval:
    """The mean of one difference per seed with Student's interval; with one seed it is unbounded."""
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or not len(values):
        raise DataError(f"differences of shape {values.shape} have no mean; give one number per seed")
    mean = float(values.mean())
    if len(values) == 1:
        return Interval(mean, -inf, inf)
    half = _quantile(len(values)) * float(values.std(ddof=1)) / sqrt(len(values))
    return Interval(mean, mean - half, mean + half)


def share_of_gap(part: Any, whole: Any) -> Interval | None:
    """mean(part) / mean(whole) over seeds with Fieller's interval (1954).

    part, whole: one difference per seed, paired. None when `whole` cannot be told from 0 at this level
    (or there is one seed): then no finite interval exists, and the share of nothing is not a number.
    """
    x, y = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise DataError(f"shares of a gap need pairs; got {x.shape} and {y.shape}")
    if len(x) < 2:
        return None
    square = _quantile(len(x)) ** 2 / len(x)
    (xx, xy), (_, yy) = np.cov(x, y)
    # The ratio r is inside when mean(x − r y) lies within its own interval around 0: a r² − 2 b r + c <= 0.
    a = y.mean() ** 2 - square * yy
    b = x.mean() * y.mean() - square * xy
    c = x.mean() ** 2 - square * xx
    if a <= 0:
        return None
    root = sqrt(max(0.0, b * b - a * c))
    return Interval(float(x.mean() / y.mean()), float((b - root) / a), float((b + root) / a))


def _quantile(count: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.5 + LEVEL / 2, count - 1))
