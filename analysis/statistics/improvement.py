"""Probability of improvement: how often a run of one arm beats a run of another, column by column.

Source: Agarwal et al. 2021 (arXiv 2108.13264), as the package rliable 1.2.0 computes it: Mann-Whitney's U of
each column over the number of pairs, ties counting half, averaged over the columns.
"""

from typing import Any

import numpy as np

from analysis.errors import DataError
from analysis.intervals import DRAWS, LEVEL, Interval
from analysis.statistics.iqm import as_matrix, stratified_picks


def probability_of_improvement(one: Any, other: Any) -> Interval:
    """P(one > other) with its stratified interval; `one`, `other`: (seed, column), of equal columns."""
    one, other = as_matrix(one), as_matrix(other)
    if one.shape[1] != other.shape[1]:
        raise DataError(
            f"arms with {one.shape[1]} and {other.shape[1]} columns cannot be compared; give the same ones"
        )
    columns = np.arange(one.shape[1])
    mine = one[stratified_picks(*one.shape, draws=DRAWS, seed=0), columns]
    theirs = other[stratified_picks(*other.shape, draws=DRAWS, seed=1), columns]
    low, high = np.quantile(_share_won(mine, theirs), [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    return Interval(float(_share_won(one[None], other[None])[0]), float(low), float(high))


def _share_won(one: Any, other: Any) -> Any:
    """(draw,) from (draw, seed, column) twice."""
    gaps = np.sign(one[:, :, None, :] - other[:, None, :, :])
    return 0.5 + gaps.mean(axis=(1, 2, 3)) / 2
