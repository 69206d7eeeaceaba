"""Sampling for learnability: `sfl` (Rutherford et al., arXiv 2408.15099), with a posterior instead of probes.

The score of a task is the mean of p (1 - p) under a Beta posterior of its all-pass rate p. The tasks with the
highest scores share the draws in proportion to them, above a uniform floor, so that no task ever vanishes.

Deviations: (1) outcomes of training rollouts are used instead of separate ones, so no steps are spent on
scoring, and a task never tried has the score of the prior; (2) old outcomes fade, because the policy changes.
"""

import math
import zlib
from collections.abc import Sequence

from loop.curricula.samplers.draws import ByWeight, above_floor
from loop.curricula.samplers.outcomes import FadingOutcomes
from loop.worlds.pool import PoolTask


def learnability(passes: float, fails: float, prior: tuple[float, float] = (1.0, 1.0)) -> float:
    """E[p (1 - p)] for p ~ Beta(prior + counts), which is a b / ((a + b)(a + b + 1)); at most 0.25."""
    a, b = prior[0] + passes, prior[1] + fails
    return a * b / ((a + b) * (a + b + 1.0))


class LearnabilitySampler(ByWeight, FadingOutcomes):
    """Weighs tasks by learnability, above a uniform floor."""

    def __init__(self, floor: float = 0.2, top: float = 0.25, memory: float = 0.8) -> None:
        """Shares and a factor.

        `floor`: share of the mass that is uniform, in [0, 1]. `top`: share of the pool that has the rest, in
        (0, 1]. `memory`: factor on a task's older counts, (0, 1].
        """
        if not 0 <= floor <= 1:
            raise ValueError(f"floor={floor} is outside [0, 1]")
        if not 0 < top <= 1:
            raise ValueError(f"top={top} is outside (0, 1]")
        super().__init__(memory)
        self._floor, self._top = floor, top

    def weights(self, pool: Sequence[PoolTask]) -> list[float]:
        """Probability of each task of the pool; sums to 1."""
        scores = [learnability(*self.of(task.id)) for task in pool]
        # Equal scores, such as those of tasks never tried, go by hash: the pool's order means nothing.
        order = sorted(range(len(pool)), key=lambda i: (-scores[i], zlib.crc32(pool[i].id.encode())))
        best = set(order[: math.ceil(self._top * len(pool))])
        total = sum(scores[i] for i in best)
        return above_floor([s / total if i in best else 0.0 for i, s in enumerate(scores)], self._floor)

    def metrics(self) -> dict[str, float]:
        """How many tasks were tried, and their mean learnability."""
        values = [learnability(*counts) for counts in self.all()]
        mean = math.fsum(values) / len(values) if values else 0.0  # in any order: a resumed run has another
        return {"sampler/tasks_tried": float(len(values)), "sampler/learnability": mean}
