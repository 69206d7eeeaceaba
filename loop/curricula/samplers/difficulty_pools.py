"""Difficulty pools, a published rival rule: tasks neither nearly solved nor nearly hopeless are drawn.

A task's pass rate is the posterior mean of its fading outcomes; the pools are cut at 0.25 and 0.75. Tasks of
the middle pool are drawn alike. A task never tried has rate 0.5, so it is in the middle until it shows
otherwise; the floor lets a task come back when the policy has changed.
"""

from collections.abc import Sequence

from loop.curricula.samplers.draws import ByWeight, above_floor
from loop.curricula.samplers.outcomes import FadingOutcomes
from loop.worlds.pool import PoolTask


class DifficultyPoolsSampler(ByWeight, FadingOutcomes):
    """Draws from the middle pool, above a uniform floor; from all tasks while the middle is empty."""

    def __init__(
        self, low: float = 0.25, high: float = 0.75, floor: float = 0.2, memory: float = 0.8
    ) -> None:
        """`low`, `high`: pass rates that bound the middle pool. `floor`: share of the mass that is uniform.

        `memory`: factor on a task's older counts, (0, 1].
        """
        if not 0 <= low <= 0.5 <= high <= 1:
            raise ValueError(f"low={low} and high={high} do not enclose 0.5, where a task never tried is")
        if not 0 <= floor <= 1:
            raise ValueError(f"floor={floor} is outside [0, 1]")
        super().__init__(memory)
        self._low, self._high, self._floor = low, high, floor

    def weights(self, pool: Sequence[PoolTask]) -> list[float]:
        """Probability of each task of the pool; sums to 1."""
        rates = [_rate(*self.of(task.id)) for task in pool]
        inside = [self._low <= rate <= self._high for rate in rates]
        if not any(inside):
            inside = [True] * len(pool)
        share = 1.0 / sum(inside)
        return above_floor([share if middle else 0.0 for middle in inside], self._floor)

    def metrics(self) -> dict[str, float]:
        """How many tasks were tried, and how many of them are in each outer pool."""
        rates = [_rate(*counts) for counts in self.all()]
        return {
            "sampler/tasks_tried": float(len(rates)),
            "sampler/tasks_hard": float(sum(rate < self._low for rate in rates)),
            "sampler/tasks_easy": float(sum(rate > self._high for rate in rates)),
        }


def _rate(passes: float, fails: float) -> float:
    """The posterior mean of a pass rate under a uniform prior."""
    return (1.0 + passes) / (2.0 + passes + fails)
