"""TRACE's rule: aim at the cells whose contrast between failed and passed episodes is large enough.

    coverage = share of failed episodes that require the cell
    delta    = coverage - share of passed episodes that require the cell

Cells with coverage of at least 0.10 and delta of at least 0.20 are aimed at, all alike; with none, all
briefs explore. A rival's published rule: everything else is as in the closed loop.
"""

from analysis.weakness import Cell, WeaknessReport
from analysis.weakness.record import CONTRAST, COVERAGE
from loop.curricula.allocations.measured import Learnability
from loop.curricula.growers.counting import CountingBriefs
from loop.curricula.protocols import Ask, GrowthRequest
from loop.curricula.targeting import Goal, aimed_at_goals, eligible, evenly, may_aim, reason, targeted_count
from planet.records.world import Brief


def contrast(cell: Cell, report: WeaknessReport) -> tuple[float, float]:
    """(coverage, delta) of a cell; a share of no episodes is 0.

    A report that does not hold them is counted from the cell, where shared blame counts in parts.
    """
    if cell.coverage is not None and cell.contrast is not None:
        return cell.coverage, cell.contrast
    passed = report.all_pass * report.episodes
    failed = report.episodes - passed
    coverage = cell.failures / failed if failed > 0 else 0.0
    spared = (cell.opportunities - cell.failures) / passed if passed > 0 else 0.0
    return coverage, coverage - spared


class TraceGrower(CountingBriefs):
    """New worlds for cells of high contrast."""

    reads_report = True

    def __init__(self, coverage: float = COVERAGE, delta: float = CONTRAST) -> None:
        """The least of either, as published; in [0, 1]."""
        super().__init__()
        for name, value in (("coverage", coverage), ("delta", delta)):
            if not 0 <= value <= 1:
                raise ValueError(f"{name}={value} is outside [0, 1]")
        self._coverage, self._delta = coverage, delta

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """Targeted briefs first, then exploring ones."""
        return self.aimed_then_exploring(self._targeted_briefs(request), request)

    def _targeted_briefs(self, request: GrowthRequest) -> list[Brief]:
        report, targeting = request.report, request.targeting
        if report is None or not may_aim(report, targeting):
            return []
        chosen = [
            c for c in eligible(report.cells, targeting.facets, targeting) if self._stands_out(c, report)
        ]
        wanted = targeted_count(len(request.scenarios), targeting.share)
        goals = [
            Goal(cell.name, reason(cell), targeting.difficulty)
            for cell in evenly(chosen, wanted, request.seed)
        ]
        scenarios = request.scenarios[: len(goals)]
        return aimed_at_goals(
            scenarios, goals, report, targeting, request.avoid, request.seed, Learnability()
        )

    def _stands_out(self, cell: Cell, report: WeaknessReport) -> bool:
        coverage, delta = contrast(cell, report)
        return coverage >= self._coverage and delta >= self._delta
