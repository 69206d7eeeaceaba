"""Holm's adjustment (1979): the chance of one false claim among several contrasts stays at the level."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.errors import DataError


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values in the given order: the k-th smallest of m times m − k + 1, never falling."""
    if any(not 0 <= p <= 1 for p in p_values):
        raise DataError(f"p-values {tuple(p_values)} are not all in [0, 1]")
    adjusted = holm_of_each(np.asarray(p_values, dtype=float)[:, None])[:, 0]
    return tuple(float(p) for p in adjusted)


def holm_of_each(p_values: Any) -> Any:
    """The same of every column of (m, r) p-values by itself; nan (not tested) stays."""
    order = np.argsort(p_values, axis=0)  # nan comes last
    left = (~np.isnan(p_values)).sum(axis=0) - np.arange(len(p_values))[:, None]
    raised = np.minimum(np.take_along_axis(p_values, order, axis=0) * left, 1.0)
    adjusted = np.empty_like(p_values)
    np.put_along_axis(adjusted, order, np.maximum.accumulate(raised, axis=0), axis=0)
    return np.where(np.isnan(p_values), np.nan, adjusted)
