"""Growers: no new worlds, random new worlds, and worlds made for what the policy is bad at."""

from loop.curricula.protocols import Ask, GrowthRequest, State
from loop.curricula.targeting import aimed_at_random, aimed_at_report, targeted_count


class _Counting:
    """Counts the briefs asked for; the whole state of the growers here."""

    def __init__(self) -> None:
        self._targeted = 0
        self._random = 0

    def state_dict(self) -> State:
        """The two counts."""
        return {"targeted": self._targeted, "random": self._random}

    def load_state_dict(self, state: State) -> None:
        """Take up stored counts."""
        self._targeted, self._random = state["targeted"], state["random"]

    def metrics(self) -> dict[str, float]:
        """Briefs asked for so far."""
        return {"grower/briefs_targeted": float(self._targeted), "grower/briefs_random": float(self._random)}

    def count(self, targeted: int, random: int) -> None:
        """Add to the counts."""
        self._targeted += targeted
        self._random += random


class NoGrower(_Counting):
    """The fixed corpus."""

    reads_report = False

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """None, ever."""
        return []


class RandomWorldsGrower(_Counting):
    """New worlds whose cells are drawn from the training generator: is it *new* or *targeted*?"""

    reads_report = False

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """One brief per scenario, aimed at random."""
        briefs = aimed_at_random(
            request.scenarios, request.train_tasks, request.targeting, request.avoid, request.seed
        )
        self.count(0, len(briefs))
        return [Ask(brief, aimed=False) for brief in briefs]


class ClosedLoopGrower(_Counting):
    """New worlds for the cells of the newest report, and a share that explores as random worlds do."""

    reads_report = True

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """Targeted briefs first, then exploring ones; all explore when the report has no cell to aim at."""
        wanted = targeted_count(len(request.scenarios), request.targeting.share)
        targeted = []
        if request.report is not None:
            targeted = aimed_at_report(
                request.scenarios[:wanted], request.report, request.targeting, request.avoid, request.seed
            )
        rest = request.scenarios[len(targeted) :]
        explore = aimed_at_random(rest, request.train_tasks, request.targeting, request.avoid, request.seed)
        self.count(len(targeted), len(explore))
        return [Ask(b, aimed=True) for b in targeted] + [Ask(b, aimed=False) for b in explore]
