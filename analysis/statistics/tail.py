"""The mean of the worst tasks (CVaR), ranked on one set of rollouts and scored on another.

Ranking and scoring on the same rollouts would pick unlucky tasks and then report their bad luck.
"""

from itertools import combinations
from typing import Any

import numpy as np

from analysis.errors import DataError

SHARE = 0.1
"""Of the tasks that count as the worst."""

SPLITS = 70
"""Halvings of the rollouts at most: all of them up to eight rollouts, a random choice beyond."""


def cvar(ranks: Any, scores: Any, share: float = SHARE) -> float:
    """Mean of `scores`, (task,), over the `share` of tasks with the lowest `ranks`, (task,).

    Tasks that tie at the edge enter with equal fractions, so that no order of tasks matters.
    """
    ranks, scores = np.asarray(ranks, dtype=float), np.asarray(scores, dtype=float)
    if not len(ranks) or ranks.shape != scores.shape:
        raise DataError(
            f"the worst tasks need one rank and one score each; got {ranks.shape} and {scores.shape}"
        )
    return float(_edge_weights(ranks, share) @ scores)


def cross_seeded_cvar(passed: Any, share: float = SHARE, *, seed: int = 0) -> float:
    """The mean over halvings of the rollouts: worst tasks by one half, scored by the other.

    passed: outcomes in [0, 1], (task, rollout), at least two rollouts.
    """
    return float(cross_seeded_curve(passed, (share,), seed=seed)[0])


def cross_seeded_curve(passed: Any, shares: Any, *, seed: int = 0) -> Any:
    """`cross_seeded_cvar` at several shares, (share,).

    At share 1 it is the mean over all rollouts, exactly so up to eight of them, of which all halvings count.
    """
    outcomes = np.asarray(passed, dtype=float)
    if outcomes.ndim != 2 or outcomes.shape[1] < 2:
        raise DataError(
            f"rollouts of shape {outcomes.shape} cannot be halved; the worst tasks need two or more each"
        )
    halvings = _halvings(outcomes.shape[1], seed)
    ranks = outcomes @ halvings.T / halvings.sum(axis=1)  # (task, halving)
    scores = outcomes @ (1 - halvings).T / (1 - halvings).sum(axis=1)
    return np.array(
        [np.mean([cvar(r, s, share) for r, s in zip(ranks.T, scores.T, strict=True)]) for share in shares]
    )


def _edge_weights(ranks: Any, share: float) -> Any:
    """The weight of each task in the mean of the worst, (task,); they sum to 1."""
    if not 0 < share <= 1:
        raise DataError(f"a share of {share} of the tasks is not in (0, 1]; give e.g. {SHARE}")
    _, group, sizes = np.unique(ranks, return_inverse=True, return_counts=True)
    wanted = share * len(ranks)
    before = np.cumsum(sizes) - sizes
    taken = np.clip(wanted - before, 0, sizes) / sizes
    return taken[group] / wanted


def _halvings(rollouts: int, seed: int) -> Any:
    """Which rollouts rank, (halving, rollout) of 0 and 1; the others score."""
    half = rollouts // 2
    if rollouts <= 8:
        chosen = list(combinations(range(rollouts), half))
        if rollouts % 2:  # the larger part ranks as often as the smaller
            chosen += list(combinations(range(rollouts), half + 1))
    else:
        generator = np.random.default_rng(seed)
        chosen = [tuple(generator.permutation(rollouts)[:half]) for _ in range(SPLITS)]
    out = np.zeros((len(chosen), rollouts))
    for row, ranking in enumerate(chosen):
        out[row, list(ranking)] = 1
    return out
