"""What growers share: the count of the briefs that they asked for."""

from loop.curricula.protocols import State
from loop.curricula.stateless import Stateless


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

    def count(self, targeted: int, random: int) -> None:
        """Add to the counts."""
        self._targeted += targeted
        self._random += random
