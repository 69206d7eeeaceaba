"""The newest worlds first: what has just been made for a report is practised before the next one is measured.

Under uniform draws, worlds made for a report are diluted by all that came before: of a pool of 96 worlds that
48 join, a third is new, and after three such growths a fifth of the draws still goes to the newest.
"""

from collections.abc import Sequence

from loop.curricula.samplers.draws import ByWeight, above_floor
from loop.curricula.stateless import Stateless
from loop.worlds.pool import PoolTask


class NewestSampler(ByWeight, Stateless):
    """Draws from the tasks of the newest growth, above a uniform floor; uniformly before the first one."""

    def __init__(self, floor: float = 0.3) -> None:
        """`floor`: share of the mass that is uniform over the whole pool, in [0, 1]."""
        if not 0 <= floor <= 1:
            raise ValueError(f"floor={floor} is outside [0, 1]")
        self._floor = floor

    def weights(self, pool: Sequence[PoolTask]) -> list[float]:
        """Probability of each task of the pool; sums to 1."""
        newest = max((task.grown for task in pool), default=-1)
        chosen = [task.grown == newest for task in pool]
        share = 1.0 / max(sum(chosen), 1)
        return above_floor([share if new else 0.0 for new in chosen], self._floor)
