"""The paired permutation test: under the null, arms of a seed could have been named the other way round."""

from typing import Any

import numpy as np

from analysis.errors import DataError

EXACT = 2**14
"""Assignments of signs up to which all of them are counted."""

DRAWS = 10_000
"""Random assignments beyond."""

CHUNK = 512  # sweeps at a time, so that a table of assignments stays small
_SLACK = 1e-9  # relative; sums that are equal but for rounding count as equal


def paired_permutation(differences: Any, *, seed: int = 0, draws: int = DRAWS) -> Any:
    """Two-sided p-value of mean difference 0: a float from (seed,), or (sweep,) from (sweep, seed).

    Exact when 2 ** seeds <= 2 ** 14 (`smallest_p` is the smallest value it can take), else Monte Carlo with
    the observed assignment counted in (Phipson and Smyth 2010), which never gives 0. Counts tie, which makes
    it cautious: it claims too seldom, not too often.
    """
    given = np.asarray(differences, dtype=float)
    rows = np.atleast_2d(given)
    if rows.ndim != 2 or not rows.size or np.isnan(rows).any():
        raise DataError(f"differences of shape {given.shape} cannot be permuted; give one number per seed")
    exact = 2 ** rows.shape[1] <= EXACT
    signs = _all_signs(rows.shape[1]) if exact else _random_signs(rows.shape[1], draws, seed)
    p = np.concatenate(
        [_share_as_far(rows[at : at + CHUNK], signs, exact) for at in range(0, len(rows), CHUNK)]
    )
    return p if given.ndim == 2 else float(p[0])


def smallest_p(seeds: int) -> float:
    """The smallest two-sided p-value that `seeds` pairs can give, when every difference has the same sign."""
    return 2.0 / 2**seeds


def _share_as_far(rows: Any, signs: Any, exact: bool) -> Any:
    observed = np.abs(rows.sum(axis=1))
    slack = _SLACK * np.abs(rows).sum(axis=1)
    as_far = np.count_nonzero(np.abs(rows @ signs.T) >= (observed - slack)[:, None], axis=1)
    return as_far / len(signs) if exact else (as_far + 1) / (len(signs) + 1)


def _all_signs(seeds: int) -> Any:
    """Every assignment with the first sign fixed, (assignment, seed): its mirror image is as far from 0."""
    bits = np.arange(2 ** (seeds - 1))[:, None] >> np.arange(seeds) & 1  # the last column is 0
    return 1.0 - 2.0 * bits[:, ::-1]


def _random_signs(seeds: int, draws: int, seed: int) -> Any:
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=(draws, seeds))
