"""The forgetting watch: cells that were mastered once and are lost again.

A cell is mastered when the one-sided upper bound of its failure rate is low, and lost when the lower bound is
above that: between the two, nothing is said. Both bounds are Wilson's at the report's confidence.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from analysis.weakness.rates import CONFIDENCE, wilson_high
from analysis.weakness.record import Cell, Forgotten, Mastery, WeaknessReport


class Watch(NamedTuple):
    """What mastered and lost mean."""

    mastered: float = 0.3  # the failure rate is surely at most this
    lost: float = 0.3  # the failure rate is surely at least this
    opportunities: int = 16  # episodes below which a cell is neither


def mastered_cells(
    cells: Iterable[Cell], previous: WeaknessReport | None, watch: Watch
) -> tuple[Mastery, ...]:
    """Cells mastered now or in an earlier report, each as it was when that was last so, by name.

    previous: the report before; what it remembers of those before it counts, too.
    """
    found: dict[str, Mastery] = {}
    if previous is not None:
        found = {m.cell: m.replace(reports_ago=m.reports_ago + 1) for m in previous.mastered}
        found |= {m.cell: m for m in _mastered(previous.cells, watch, 1)}
    found |= {m.cell: m for m in _mastered(cells, watch, 0)}
    return tuple(found[name] for name in sorted(found))


def _mastered(cells: Iterable[Cell], watch: Watch, ago: int) -> Iterable[Mastery]:
    for cell in cells:
        high = wilson_high(cell.failures, cell.opportunities, CONFIDENCE)
        if cell.opportunities >= watch.opportunities and high <= watch.mastered:
            yield Mastery(cell=cell.name, rate=cell.rate, opportunities=cell.opportunities, reports_ago=ago)


def forgotten_cells(
    cells: Iterable[Cell], mastered: Sequence[Mastery], watch: Watch
) -> tuple[Forgotten, ...]:
    """Cells whose mastery is gone, by name; `mastered` may hold cells that are mastered still."""
    memory: Mapping[str, Mastery] = {mastery.cell: mastery for mastery in mastered if mastery.reports_ago}
    lost = (
        Forgotten(
            cell=cell.name,
            mastered=memory[cell.name],
            rate=cell.rate,
            opportunities=cell.opportunities,
        )
        for cell in cells
        if cell.name in memory and cell.opportunities >= watch.opportunities and cell.wilson_low >= watch.lost
    )
    return tuple(sorted(lost, key=lambda forgotten: forgotten.cell))
