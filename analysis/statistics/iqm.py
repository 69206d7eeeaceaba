"""The interquartile mean of a matrix of scores, and bootstrap intervals stratified by its columns.

Source: Agarwal et al. 2021 (arXiv 2108.13264), as the package rliable 1.2.0 computes it: the mean of the
middle half of all entries, and percentile intervals over matrices in which each column draws its own rows.
"""

from typing import Any

import numpy as np

from analysis.errors import DataError
from analysis.intervals import DRAWS, LEVEL, Interval

TRIMMED = 0.25
"""Share of the entries that is cut off on either side."""


def iqm(scores: Any) -> float:
    """The interquartile mean of all entries of `scores`, (seed, column) or any other shape."""
    return float(iqm_of_each(np.asarray(scores, dtype=float)[None])[0])


def iqm_of_each(matrices: Any) -> Any:
    """The interquartile mean of each matrix, (draw,) from (draw, ...)."""
    from scipy.stats import trim_mean

    return trim_mean(np.reshape(matrices, (len(matrices), -1)), TRIMMED, axis=1)


def stratified_picks(rows: int, columns: int, *, draws: int, seed: int) -> Any:
    """Which row each entry of a resampled matrix takes, (draw, row, column)."""
    return np.random.default_rng(seed).integers(rows, size=(draws, rows, columns))


def stratified_bootstrap(scores: Any, *, picks: Any = None) -> Interval:
    """The interquartile mean of a (seed, column) matrix with its percentile interval.

    picks: rows to take, (draw, seed, column); None draws them. Raises DataError for an empty matrix or a NaN.
    """
    matrix = as_matrix(scores)
    if picks is None:
        picks = stratified_picks(*matrix.shape, draws=DRAWS, seed=0)
    resampled = matrix[picks, np.arange(matrix.shape[1])]
    low, high = np.quantile(iqm_of_each(resampled), [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    return Interval(iqm(matrix), float(low), float(high))


def as_matrix(scores: Any) -> Any:
    """`scores` as a (seed, column) array; DataError when it is none or has holes."""
    matrix = np.asarray(scores, dtype=float)
    if matrix.ndim != 2 or not matrix.size:
        raise DataError(
            f"scores of shape {matrix.shape} are no matrix of seeds and columns; give rows of equal length"
        )
    if np.isnan(matrix).any():
        raise DataError("a matrix of scores has holes (NaN); keep the columns that every seed has")
    return matrix
