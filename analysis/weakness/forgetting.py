"""The forgetting watch: cells that were mastered once and are lost again.

A cell is mastered when the one-sided upper bound of its failure rate is low, and lost when the lower bound is
above that: between the two, nothing is said. Both bounds are Wilson's at the report's confidence.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from analysis.weakness.rates import wilson_high
from analysis.weakness.record import Cell, Forgotten, Mastery, WeaknessReport


class Watch(NamedTuple):
    """What mastered and lost mean."""

    mastered: float = 0.3  # the failure rate is surely at most this
    lost: float = 0.3  # the failure rate is surely at least this
    opportunities: int = 16  # episodes below which a cell is neither


def mastered_cells(
    cells: Iterable[Cell], history: Sequence[WeaknessReport], watch: Watch, confidence: float
) -> tuple[Mastery, ...]:
    """Cells mastered now or in an earlier report, each as it was when that was last so, by name.

    history: earlier reports, oldest first. What these remember of reports before them counts, too.
    """
    found: dict[str, Mastery] = {}
    for ago, report in zip(range(len(history), 0, -1), history, strict=True):
        for memory in report.mastered:
            _keep(found, memory.replace(reports_ago=memory.reports_ago + ago))
        for mastery in _mastered(report.cells, watch, confidence, ago):
            _keep(found, mastery)
    for mastery in _mastered(cells, watch, confidence, 0):
        _keep(found, mastery)
    return tuple(found[name] for name in sorted(found))


def _keep(found: dict[str, Mastery], mastery: Mastery) -> None:
    known = found.get(mastery.cell)
    if known is None or mastery.reports_ago <= known.reports_ago:
        found[mastery.cell] = mastery


def _mastered(cells: Iterable[Cell], watch: Watch, confidence: float, ago: int) -> Iterable[Mastery]:
    for cell in cells:
        high = wilson_high(cell.failures, cell.opportunities, confidence)
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
