"""Every task of the pool is as likely as every other: the control that is hard to beat."""

import random
from collections.abc import Sequence

from loop.curricula.protocols import GroupOutcome, State
from loop.worlds.pool import PoolTask


class UniformSampler:
    """Draws without repetition within an update; keeps nothing between updates."""

    def draw(self, pool: Sequence[PoolTask], count: int, seed: int) -> list[str]:
        """Ids of `count` tasks; whole rounds through the pool when it is smaller than that."""
        rng = random.Random(seed)
        ids = [task.id for task in pool]
        drawn: list[str] = []
        while ids and len(drawn) < count:
            drawn += rng.sample(ids, min(count - len(drawn), len(ids)))
        return drawn

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
