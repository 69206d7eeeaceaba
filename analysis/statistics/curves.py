"""Numbers of a learning curve: mean height, arrival, what is lost again, height at a budget."""

from collections.abc import Sequence

import numpy as np

from analysis.errors import DataError

IN_A_ROW = 2
"""Evaluations that must hold a threshold before it counts as reached."""


def area(budget: Sequence[float], heights: Sequence[float], until: float | None = None) -> float:
    """Mean height of the curve from its first point to `until` (None: its last), by trapezoids.

    budget: what was spent at each evaluation, ascending. Where `until` is not beyond the first point, the
    height there. DataError beyond the last one.
    """
    x, y = _curve(budget, heights)
    end = float(x[-1]) if until is None else until
    if end <= x[0]:
        return float(y[0])
    inside = x < end
    x, y = np.append(x[inside], end), np.append(y[inside], height_at(budget, heights, end))
    return float(np.trapezoid(y, x) / (x[-1] - x[0]))


def height_at(budget: Sequence[float], heights: Sequence[float], spent: float) -> float:
    """The curve at a budget, linear in between. DataError beyond its ends; nothing is extrapolated."""
    x, y = _curve(budget, heights)
    if not x[0] <= spent <= x[-1]:
        raise DataError(f"a budget of {spent:g} lies outside of the curve, {x[0]:g} to {x[-1]:g}")
    return float(np.interp(spent, x, y))


def fallen(heights: Sequence[float]) -> float | None:
    """The highest point minus the last one; None without points."""
    return max(heights) - heights[-1] if heights else None


def steps_to_threshold(budget: Sequence[float], heights: Sequence[float], threshold: float) -> float | None:
    """Spent at the first of `IN_A_ROW` evaluations at or above `threshold`; None: never sustained."""
    x, y = _curve(budget, heights)
    reached = y >= threshold
    for start in range(len(x) - IN_A_ROW + 1):
        if reached[start : start + IN_A_ROW].all():
            return float(x[start])
    return None


def _curve(budget: Sequence[float], heights: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.asarray(budget, dtype=float), np.asarray(heights, dtype=float)
    if not len(x) or x.shape != y.shape or (np.diff(x) < 0).any():
        raise DataError(
            f"{len(x)} budgets and {len(y)} heights are no curve; give ascending budgets, one height each"
        )
    return x, y
