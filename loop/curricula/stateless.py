"""The part of a curriculum that keeps nothing: what every part without a memory shares."""

from collections.abc import Sequence

from loop.curricula.protocols import GroupOutcome, State


class Stateless:
    """Learns nothing, stores nothing, measures nothing."""

    def observe(self, outcomes: Sequence[GroupOutcome]) -> None:
        """Nothing to learn."""

    def state_dict(self) -> State:
        """Empty."""
        return {}

    def load_state_dict(self, state: State) -> None:
        """Nothing to take up."""

    def metrics(self) -> dict[str, float]:
        """None."""
        return {}
