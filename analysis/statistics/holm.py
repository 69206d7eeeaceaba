"""Holm's adjustment (1979): the chance of one false claim among several contrasts stays at the level."""

from collections.abc import Sequence

from analysis.errors import DataError


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjusted p-values in the given order: the k-th smallest of m times m − k + 1, never falling."""
    if any(not 0 <= p <= 1 for p in p_values):
        raise DataError(f"p-values {tuple(p_values)} are not all in [0, 1]")
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    out, highest = [0.0] * len(p_values), 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        out[index] = highest
    return tuple(out)
