"""Hardening and softening: pass rates move the difficulty that is asked for, a published rival rule.

Every cell of the facet is asked for alike. Where more than 0.66 of a cell's episodes passed, its next worlds
are one level harder; where fewer than 0.33 did, one level softer. The levels are those of
`loop.curricula.ladders.levels`, from the easiest over what the configuration asks to harder than that.
"""

from analysis.weakness import Cell
from loop.curricula.allocations.measured import Learnability
from loop.curricula.growers.counting import CountingBriefs
from loop.curricula.ladders.levels import harder, scale, told
from loop.curricula.protocols import Ask, GrowthRequest, State
from loop.curricula.targeting import Goal, aimed_at_goals, evenly, may_aim, probed, reason, targeted_count
from loop.worlds.placing import demanded
from planet.records.world import Difficulty


class HardenSoftenGrower(CountingBriefs):
    """New worlds for all cells, of a difficulty that follows how often each is passed."""

    reads_report = True

    def __init__(self, harden: float = 0.66, soften: float = 0.33) -> None:
        """Pass rates beyond which the level moves, 0 <= soften <= harden <= 1."""
        super().__init__()
        if not 0 <= soften <= harden <= 1:
            raise ValueError(f"soften={soften} and harden={harden} are not in this order within [0, 1]")
        self._harden, self._soften = harden, soften
        self._levels: dict[str, int] = {}  # cell -> level; absent: as the configuration asks

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """Targeted briefs first, then exploring ones."""
        report, targeting = request.report, request.targeting
        targeted = []
        if report is not None and may_aim(report, targeting):
            levels = (*scale(targeting.difficulty), harder(targeting.difficulty))
            chosen = probed(report.cells, targeting.facets, targeting)
            asked = {c.name: demanded(c.name, levels[self._moved(c, len(levels))]) for c in chosen}
            wanted = targeted_count(len(request.scenarios), targeting.share)
            goals = [_goal(cell, asked[cell.name]) for cell in evenly(chosen, wanted, request.seed)]
            targeted = aimed_at_goals(
                request.scenarios[: len(goals)],
                goals,
                report,
                targeting,
                request.avoid,
                request.seed,
                Learnability(),
            )
        return self.aimed_then_exploring(targeted, request)

    def _moved(self, cell: Cell, count: int) -> int:
        """The cell's level after this report."""
        passed = 1.0 - cell.rate
        step = (passed > self._harden) - (passed < self._soften)
        level = self._levels.get(cell.name, count - 2) + step  # the one before the last is as configured
        self._levels[cell.name] = min(max(level, 0), count - 1)
        return self._levels[cell.name]

    def state_dict(self) -> State:
        """The counts, and the level per cell."""
        return {**super().state_dict(), "levels": dict(sorted(self._levels.items()))}

    def load_state_dict(self, state: State) -> None:
        """Take up a stored state."""
        super().load_state_dict(state)
        self._levels = dict(state["levels"])


def _goal(cell: Cell, difficulty: Difficulty) -> Goal:
    return Goal(cell.name, f"{reason(cell)}; asked with {told(difficulty)}", difficulty)
