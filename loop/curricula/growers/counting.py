"""What growers share: briefs at random beside those that aim, and the count of both."""

from collections.abc import Sequence

from loop.curricula.protocols import Ask, GrowthRequest, State
from loop.curricula.stateless import Stateless
from loop.curricula.targeting import aimed_at_random
from planet.records.world import Brief


class CountingBriefs(Stateless):
    """Counts the briefs asked for; the whole state of a grower that learns nothing."""

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

    def aimed_then_exploring(self, targeted: Sequence[Brief], request: GrowthRequest) -> list[Ask]:
        """Targeted briefs for the first scenarios, and briefs aimed at random for the rest; counts both."""
        rest = request.scenarios[len(targeted) :]
        explore = aimed_at_random(rest, request.train_tasks, request.targeting, request.avoid, request.seed)
        self.count(len(targeted), len(explore))
        return [Ask(b, aimed=True) for b in targeted] + [Ask(b, aimed=False) for b in explore]

    def count(self, targeted: int, random: int) -> None:
        """Add to the counts."""
        self._targeted += targeted
        self._random += random
