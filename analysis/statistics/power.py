"""How often a gain would be seen: simulated sweeps that go through the very test that judges real ones."""

from typing import Any

import numpy as np

from analysis.statistics.permutation import paired_permutation, smallest_p

LEVEL = 0.05
"""Of the tests of contrasts: the p-value up to which a difference is claimed."""
SWEEPS = 2000
"""Simulated sweeps; a share of them has a standard error of at most 0.011."""


def power(seeds: int, sd: float, gain: float) -> float:
    """Share of sweeps with p <= LEVEL whose differences are normal with mean `gain` and deviation `sd`.

    sd: of the differences between two arms of a seed; sqrt(2) times an arm's when the arms are independent.
    """
    if smallest_p(seeds) > LEVEL:
        return 0.0
    return _seen(gain + sd * np.random.default_rng(0).normal(size=(SWEEPS, seeds)), LEVEL)


def bootstrap_power(differences: Any, gain: float, seeds: int, *, level: float = LEVEL) -> float:
    """The same with scatter resampled from observed differences, (seed,), instead of a normal's.

    They are centred, and stretched so that their variance is unbiased.
    """
    values = np.asarray(differences, dtype=float)
    if smallest_p(seeds) > level or len(values) < 2:
        return 0.0
    scatter = (values - values.mean()) * np.sqrt(len(values) / (len(values) - 1))
    return _seen(gain + np.random.default_rng(0).choice(scatter, size=(SWEEPS, seeds)), level)


def _seen(differences: Any, level: float) -> float:
    return float(np.mean(paired_permutation(differences) <= level))
