"""Balanced worlds: every cell of the facet equally often, without a report.

The control that asks whether a closed loop needs its report, or only an end to the long tail.
"""

from loop.curricula.growers.counting import CountingBriefs
from loop.curricula.protocols import Ask, GrowthRequest, State
from loop.curricula.targeting import aimed_evenly, cells_of_facets
from planet.identity import stream


class BalancedWorldsGrower(CountingBriefs):
    """Each brief goes to the cell that was asked for least often so far."""

    reads_report = False

    def __init__(self) -> None:
        super().__init__()
        self._asked: dict[str, int] = {}  # cell -> briefs so far

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """One brief per scenario; what a quota cannot divide evenly is evened out by the next ones."""
        facets = request.targeting.facets
        cells = sorted({cell for task in request.train_tasks for cell in cells_of_facets(task, facets)})
        if not cells:  # there is nothing to balance
            return self.aimed_then_exploring([], request)
        order = stream(request.seed, "balanced").sample(cells, len(cells))  # ties are broken by lot
        goals = []
        for _ in request.scenarios:
            least = min(order, key=lambda cell: self._asked.get(cell, 0))
            self._asked[least] = self._asked.get(least, 0) + 1
            goals.append(least)
        briefs = aimed_evenly(
            request.scenarios, goals, request.train_tasks, request.targeting, request.avoid, request.seed
        )
        self.count(0, len(briefs))
        return [Ask(brief, aimed=False) for brief in briefs]

    def state_dict(self) -> State:
        """The counts, and briefs per cell."""
        return {**super().state_dict(), "asked": dict(sorted(self._asked.items()))}

    def load_state_dict(self, state: State) -> None:
        """Take up a stored state."""
        super().load_state_dict(state)
        self._asked = dict(state["asked"])
