"""The gate that all arms share: a group whose members did equally well says nothing about what to change."""

from collections.abc import Sequence

from loop.curricula.protocols import State


class UnequalRewardGate:
    """Admits a group unless its unpenalised rewards are all equal; a group of one is admitted."""

    def __init__(self) -> None:
        self._admitted = 0
        self._dropped = 0

    def admit(self, raw_rewards: Sequence[float]) -> bool:
        """Whether the group is trained on; an empty group never is."""
        admitted = len(raw_rewards) == 1 or len(set(raw_rewards)) > 1
        self._admitted += admitted
        self._dropped += not admitted
        return admitted

    def state_dict(self) -> State:
        """The two counts."""
        return {"admitted": self._admitted, "dropped": self._dropped}

    def load_state_dict(self, state: State) -> None:
        """Take up stored counts."""
        self._admitted, self._dropped = state["admitted"], state["dropped"]

    def metrics(self) -> dict[str, float]:
        """Share of all groups so far that were dropped."""
        total = self._admitted + self._dropped
        return {"gate/dropped_share": self._dropped / total if total else 0.0}
