"""How far scores scatter: when a policy is tested again, and when an arm is run with another seed."""

from math import sqrt
from typing import Any

import numpy as np


def between_rollouts(passed: Any) -> float | None:
    """Standard deviation that a mean over tasks would show if the same policy played them all again.

    passed: outcomes in [0, 1], (task, rollout). The mean of all rollouts given is meant, so more of them
    scatter less. None with one rollout: its scatter cannot be seen.
    """
    outcomes = np.asarray(passed, dtype=float)
    tasks, rollouts = outcomes.shape
    if rollouts < 2:
        return None
    return sqrt(float(outcomes.var(axis=1, ddof=1).sum()) / rollouts) / tasks


def between_seeds(scores: Any) -> float | None:
    """Standard deviation over seeds of one score per seed, (seed,); None with one seed."""
    values = np.asarray(scores, dtype=float)
    return float(values.std(ddof=1)) if len(values) > 1 else None
