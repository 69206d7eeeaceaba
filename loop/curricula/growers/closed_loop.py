"""The closed loop: new worlds for what the newest report finds weak."""

from collections.abc import Sequence

from loop.curricula.allocations.measured import Learnability
from loop.curricula.growers.counting import CountingBriefs
from loop.curricula.ladders.climbing import Ladders
from loop.curricula.protocols import Allocation, Ask, GroupOutcome, GrowthRequest, State
from loop.curricula.targeting import aimed_at_report, may_aim, targeted_count
from planet.records.world import Brief


class ClosedLoopGrower(CountingBriefs):
    """New worlds for the cells of the newest report, and a share that explores as random worlds do."""

    reads_report = True

    def __init__(self, allocation: Allocation | None = None) -> None:
        """`allocation`: what cells are worth; the run passes the one of `targeting.allocation`."""
        super().__init__()
        self._allocation = allocation or Learnability()
        self._ladders = Ladders()

    def observe(self, outcomes: Sequence[GroupOutcome]) -> None:
        """Tell the allocation rule and the ladders."""
        self._allocation.observe(outcomes)
        self._ladders.observe(outcomes)

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """Targeted briefs first, then exploring ones; all explore when the report has no cell to aim at."""
        targeting, report = request.targeting, request.report
        targeted: list[Brief] = []
        if report is not None:
            self._allocation.hear(report)
            self._ladders.hear(report, targeting, request.train_tasks)
            if may_aim(report, targeting):
                wanted = targeted_count(len(request.scenarios), targeting.share)
                targeted = aimed_at_report(
                    request.scenarios[:wanted],
                    report,
                    targeting,
                    request.avoid,
                    request.seed,
                    self._allocation,
                    self._ladders,
                )
        return self.aimed_then_exploring(targeted, request)

    def state_dict(self) -> State:
        """Counts, allocation and ladders."""
        learned = {"allocation": self._allocation.state_dict(), "ladders": self._ladders.state_dict()}
        return {**super().state_dict(), **learned}

    def load_state_dict(self, state: State) -> None:
        """Take up a stored state."""
        super().load_state_dict(state)
        self._allocation.load_state_dict(state["allocation"])
        self._ladders.load_state_dict(state["ladders"])

    def metrics(self) -> dict[str, float]:
        """Briefs so far, what the allocation rule measures, and how many ladders stand."""
        return {
            **super().metrics(),
            **self._allocation.metrics(),
            "grower/ladders": float(len(self._ladders.standing)),
        }
