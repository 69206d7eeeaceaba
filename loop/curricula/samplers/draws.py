"""Drawing tasks by weight."""

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence

from loop.worlds.pool import PoolTask


class ByWeight(ABC):
    """A sampler that draws as its weights say."""

    @abstractmethod
    def weights(self, pool: Sequence[PoolTask]) -> list[float]:
        """The weight of each task of the pool."""

    def draw(self, pool: Sequence[PoolTask], count: int, seed: int) -> list[str]:
        """Ids of `count` tasks, without repetition while the pool lasts."""
        return draw_by_weight([t.id for t in pool], self.weights(pool) if pool else [], count, seed)


def draw_by_weight(ids: Sequence[str], weights: Sequence[float], count: int, seed: int) -> list[str]:
    """`count` ids, without repetition while those of positive weight last.

    ValueError when ids are to be drawn and none has a weight above 0.
    """
    if ids and count and not any(weight > 0 for weight in weights):
        raise ValueError(f"none of {len(ids)} tasks has a weight above 0; keep a floor under the weights")
    rng = random.Random(seed)
    drawn: list[str] = []
    while ids and len(drawn) < count:
        drawn += _without_repetition(rng, ids, weights, min(count - len(drawn), len(ids)))
    return drawn


def _without_repetition(
    rng: random.Random, ids: Sequence[str], weights: Sequence[float], count: int
) -> list[str]:
    """Weighted draws without repetition: the largest log(u) / weight (Efraimidis and Spirakis, 2006)."""
    draws = [(math.log(1.0 - rng.random()), weight, task) for task, weight in zip(ids, weights, strict=True)]
    keys = [(draw / weight, task) for draw, weight, task in draws if weight > 0]
    return [task for _, task in sorted(keys, reverse=True)[:count]]


def above_floor(shares: Sequence[float], floor: float) -> list[float]:
    """Shares that sum to 1, scaled to 1 - floor above a uniform floor: with a floor, none of them is 0."""
    uniform = floor / len(shares) if shares else 0.0
    return [uniform + (1.0 - floor) * share for share in shares]
