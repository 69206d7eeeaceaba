"""Prioritized level replay: `plr` (Jiang et al., arXiv 2010.03934) over the tasks of the pool.

    P(replay) = (1 - staleness) P_score + staleness P_stale,   P_score ~ (1 / rank) ** (1 / temperature),
    P_stale ~ updates since the task was tried last

The score of a task is its regret, which is exact here: the oracle of an audited task earns 1.0, so regret is
1 - the mean reward of the newest group. As in the paper, a task never tried is drawn with the share that
such tasks have of the pool, and uniformly among them.

Deviations: (1) tasks of equal score share the mass of their ranks, because rewards of small groups tie often;
(2) temperature and staleness are those of arXiv 2110.02439 (0.3, 0.3), not 0.1: an update draws many prompts
without repetition; (3) a small uniform floor, as under every sampler here.
"""

from collections.abc import Sequence
from math import fsum

from loop.curricula.protocols import GroupOutcome, State
from loop.curricula.samplers.draws import ByWeight, above_floor
from loop.worlds.pool import PoolTask


class PrioritizedReplaySampler(ByWeight):
    """Ranks tasks by regret, mixed with how long ago they were tried."""

    def __init__(self, temperature: float = 0.3, staleness: float = 0.3, floor: float = 0.1) -> None:
        """`temperature`: β, above 0. `staleness`: ρ, and `floor`: shares of the mass, in [0, 1]."""
        if not temperature > 0:
            raise ValueError(f"temperature={temperature} is not above 0")
        for name, value in (("staleness", staleness), ("floor", floor)):
            if not 0 <= value <= 1:
                raise ValueError(f"{name}={value} is outside [0, 1]")
        self._temperature, self._staleness, self._floor = temperature, staleness, floor
        self._updates = 0
        self._tried: dict[str, tuple[float, int]] = {}  # task -> (regret, update in which it was tried last)

    def weights(self, pool: Sequence[PoolTask]) -> list[float]:
        """Probability of each task of the pool; sums to 1."""
        tried = [i for i, task in enumerate(pool) if task.id in self._tried]
        unseen = 1.0 / len(pool)  # each, so that all of them have their share of the pool
        shares = [unseen] * len(pool)
        seen_mass = unseen * len(tried)
        scores = [self._tried[pool[i].id] for i in tried]
        by_score = _by_rank([regret for regret, _ in scores], self._temperature)
        by_age = _in_proportion([float(self._updates - last) for _, last in scores])
        for i, score, age in zip(tried, by_score, by_age, strict=True):
            shares[i] = seen_mass * ((1 - self._staleness) * score + self._staleness * age)
        return above_floor(shares, self._floor)

    def observe(self, outcomes: Sequence[GroupOutcome]) -> None:
        """One update is over: the regret of each of its tasks, and when it was."""
        self._updates += 1
        for outcome in outcomes:
            self._tried[outcome.task_id] = (1.0 - outcome.mean_reward, self._updates)

    def state_dict(self) -> State:
        """Updates so far; regret and last update per task."""
        return {"updates": self._updates, "tried": {t: list(v) for t, v in sorted(self._tried.items())}}

    def load_state_dict(self, state: State) -> None:
        """Take up a stored state."""
        self._updates = state["updates"]
        self._tried = {task: (regret, last) for task, (regret, last) in state["tried"].items()}

    def metrics(self) -> dict[str, float]:
        """How many tasks were tried, and their mean regret."""
        regrets = [regret for regret, _ in self._tried.values()]
        mean = fsum(regrets) / len(regrets) if regrets else 0.0  # in any order: a resumed run has another
        return {"sampler/tasks_tried": float(len(regrets)), "sampler/regret": mean}


def _by_rank(scores: Sequence[float], temperature: float) -> list[float]:
    """Shares by rank of the score, the highest first; equal scores share the mass of their ranks."""
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    mass: dict[float, list[float]] = {}
    for rank, index in enumerate(order, start=1):
        mass.setdefault(scores[index], []).append(rank ** (-1.0 / temperature))
    return _in_proportion([sum(mass[score]) / len(mass[score]) for score in scores])


def _in_proportion(values: Sequence[float]) -> list[float]:
    """Values scaled to sum to 1; equal shares when they are all 0."""
    total = sum(values)
    return [value / total if total > 0 else 1.0 / len(values) for value in values]
