"""Permutation tests of failure odds between the cells of a facet.

The excess of a cell is the number of its failures beyond what they would be, stratum by stratum, if its odds
were ψ times those of the other cells there: S(ψ) = Σ_s k_sc − μ_sc(ψ). μ is the mean of the noncentral
hypergeometric distribution given the stratum's totals (Cornfield 1956, Breslow 1981), V(ψ) its variance;
S(1) is the statistic of Mantel and Haenszel.

What is exchangeable: if cells do not matter (ψ = 1), the clusters of a stratum are, and the units of a
cluster, since their world is the same. So clusters are shuffled as wholes, with all rollouts: those of one
task may be as alike as they want. That gives the distribution of S(1). At the edge of the null hypothesis
with margin ψ, the excess has mean 0 and a spread √(V(ψ)/V(1)) times as large: S(ψ)/√V(ψ) is held against
the shuffled S(1)/√V(1).
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from analysis.weakness.comparison import Comparison, totals

PERMUTATIONS = 2000
_BLOCK = 2_000_000
"""Numbers held at once while shuffling."""
_TIE = 1e-9
"""Sums of the same numbers in another order differ by less."""


class Excess(NamedTuple):
    """Standardised excess of failures per cell and report, each (c, r); 0 where nothing can be compared."""

    beyond_margin: Any  # S(ψ)/√V(ψ)
    at_equal_odds: Any  # S(1)/√V(1)
    variance: Any  # V(1); 0: the cell cannot be compared


class Outcome(NamedTuple):
    """p-values of one comparison, for each of r reports on the same tasks."""

    above: Any  # (c, r) that a cell's odds are at most ψ times the others'; nan: not comparable
    unequal: Any  # (r,) that all odds are equal; nan: no two cells can be compared


def excess(comparison: Comparison, margin: float) -> Excess:
    """By how much each cell fails oftener than the others of its strata."""
    own_n = totals(comparison, comparison.opportunities[:, None])  # (s, c, 1)
    own_k = totals(comparison, comparison.failures)  # (s, c, r)
    all_n, all_k = own_n.sum(axis=1, keepdims=True), own_k.sum(axis=1, keepdims=True)
    equal, spread = _moments(own_n, all_n, all_k, 1.0)
    shifted, wider = _moments(own_n, all_n, all_k, margin)
    variance = spread.sum(axis=0)
    return Excess(
        _ratio((own_k - shifted).sum(axis=0), wider.sum(axis=0)),
        _ratio((own_k - equal).sum(axis=0), variance),
        variance,
    )


def _moments(own_n: Any, all_n: Any, all_k: Any, odds: float) -> tuple[Any, Any]:
    """Mean and variance of a cell's failures given the totals of its stratum."""
    if odds == 1:
        mean = own_n * all_k / all_n
    else:
        b = odds * (own_n + all_k) + all_n - own_n - all_k
        mean = 2 * odds * own_n * all_k / (b + np.sqrt(b * b - 4 * (odds - 1) * odds * own_n * all_k))
    quarters = (mean, own_n - mean, all_k - mean, all_n - own_n - all_k + mean)
    room = np.minimum.reduce(np.broadcast_arrays(*quarters)) > _TIE
    inverse = sum(1 / np.where(room, quarter, 1.0) for quarter in quarters)
    return mean, np.where(room, 1 / inverse, 0.0)


def _ratio(excess: Any, variance: Any) -> Any:
    return np.where(variance > _TIE, excess / np.sqrt(np.where(variance > _TIE, variance, 1.0)), 0.0)


def permutation_test(
    comparison: Comparison, margin: float, *, permutations: int = PERMUTATIONS, seed: int = 0
) -> Outcome:
    """The tests of one comparison.

    p-values count the observed order as one of the permutations, so they are valid for any number of them
    (Phipson and Smyth 2010), and never 0.
    """
    found = excess(comparison, margin)
    comparable = found.variance > _TIE
    scale = np.where(comparable, 1 / np.sqrt(np.where(comparable, found.variance, 1.0)), 0.0)
    unequal = (found.at_equal_odds**2).sum(axis=0)
    higher, more_unequal = np.zeros(scale.shape), np.zeros(unequal.shape)
    for shuffled in _shuffled_excess(comparison, permutations, seed):  # (p, c, r)
        shuffled *= scale
        higher += (shuffled >= found.beyond_margin - _TIE).sum(axis=0)
        more_unequal += ((shuffled**2).sum(axis=1) >= unequal - _TIE).sum(axis=0)
    return Outcome(
        np.where(comparable, (1 + higher) / (1 + permutations), np.nan),
        np.where(comparable.sum(axis=0) > 1, (1 + more_unequal) / (1 + permutations), np.nan),
    )


def _shuffled_excess(comparison: Comparison, permutations: int, seed: int) -> Any:
    """S(1) of every cell after shuffling units within strata, block by block of permutations (p, c, r)."""
    residuals = comparison.failures - comparison.opportunities[:, None] * _stratum_rates(comparison)
    by_cell = np.argsort(comparison.cell, kind="stable")
    starts = np.searchsorted(comparison.cell[by_cell], np.arange(len(comparison.cells)))
    draw = np.random.default_rng(seed)
    block = max(1, _BLOCK // residuals.size)
    for start in range(0, permutations, block):
        order = _shuffled(comparison, min(block, permutations - start), draw)
        yield np.add.reduceat(residuals[order[:, by_cell]], starts, axis=1)


def _shuffled(comparison: Comparison, count: int, draw: np.random.Generator) -> Any:
    """(p, u) units in `count` random orders: clusters within strata, and units within clusters."""
    order = np.tile(np.arange(len(comparison.cell)), (count, 1))
    bounds = np.flatnonzero(np.diff(comparison.stratum, prepend=-1, append=-1))
    for (first, last), width in zip(pairwise(bounds), comparison.width, strict=True):
        clusters = draw.permuted(np.tile(np.arange(first, last, width), (count, 1)), axis=1)
        units = clusters[:, :, None] + np.arange(width)
        order[:, first:last] = (draw.permuted(units, axis=2) if width > 1 else units).reshape(count, -1)
    return order


def _stratum_rates(comparison: Comparison) -> Any:
    """(u, r) failure rate of each unit's stratum."""
    n = np.bincount(comparison.stratum, comparison.opportunities)
    k = np.zeros((len(n), comparison.failures.shape[1]))
    np.add.at(k, comparison.stratum, comparison.failures)
    return (k / n[:, None])[comparison.stratum]
