"""Every task of the pool is as likely as every other: the control that is hard to beat."""

import random
from collections.abc import Sequence

from loop.curricula.stateless import Stateless
from loop.worlds.pool import PoolTask


class UniformSampler(Stateless):
    """Draws without repetition within an update; keeps nothing between updates."""

    def weights(self, pool: Sequence[PoolTask]) -> list[float]:
        """Equal."""
        return [1.0 / len(pool)] * len(pool)

    def draw(self, pool: Sequence[PoolTask], count: int, seed: int) -> list[str]:
        """Ids of `count` tasks; whole rounds through the pool when it is smaller than that."""
        rng = random.Random(seed)
        ids = [task.id for task in pool]
        drawn: list[str] = []
        while ids and len(drawn) < count:
            drawn += rng.sample(ids, min(count - len(drawn), len(ids)))
        return drawn
