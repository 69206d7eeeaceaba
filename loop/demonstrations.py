"""Demonstrations for the warm start: oracles played in real sessions, with coverage that is uneven on purpose.

Task families are weighed by a power law over an order that is permuted per seed, above a floor, so that a policy
begins sharp on some skills and nearly blind to others, and which ones are which does not follow from the worlds.
"""

from collections.abc import Sequence

from loop.config import Coverage
from loop.errors import RunError
from loop.learner import Shown
from loop.pool import Environment
from loop.session_pool import SessionPool
from planet.identity import stream
from planet.records.task import Task

ANSWER = "done"
"""What every demonstration says at its end: the tasks ask for deeds, not for words."""


def family_weights(families: Sequence[str], coverage: Coverage, seed: int) -> dict[str, float]:
    """Share of each family in the demonstrations; sums to 1.

    The family at rank k (from 1) of the seed's order has a share proportional to k ** -exponent; what is below the
    floor is raised to it, and the rest is scaled down.
    """
    order = stream(seed, "coverage").sample(sorted(families), len(families))
    raw = {family: (rank + 1) ** -coverage.exponent for rank, family in enumerate(order)}
    return with_floor(raw, coverage.floor)


def with_floor(weights: dict[str, float], floor: float) -> dict[str, float]:
    """Weights scaled to sum to 1, none below the floor; `floor` times their number is at most 1."""
    low: set[str] = set()
    while True:
        free = sum(w for name, w in weights.items() if name not in low)
        mass = 1.0 - floor * len(low)
        shares = {n: floor if n in low else w * mass / free for n, w in weights.items()}
        below = {n for n, share in shares.items() if n not in low and share < floor}
        if not below:
            return shares
        low |= below


def demonstrations(
    foundation: Sequence[Environment], coverage: Coverage, seed: int, count: int, sessions: SessionPool
) -> list[Shown]:
    """`count` demonstrations of foundation tasks, families drawn by their weights, tasks of a family in turn."""
    by_family: dict[str, list[tuple[Environment, Task]]] = {}
    for environment in foundation:
        for task in environment.tasks:
            by_family.setdefault(task.key.facets.family, []).append((environment, task))
    weights = family_weights(sorted(by_family), coverage, seed)
    rng = stream(seed, "demonstrations")
    for tasks in by_family.values():
        rng.shuffle(tasks)
    played: dict[str, Shown] = {}
    drawn: list[Shown] = []
    for family in rng.choices(list(weights), list(weights.values()), k=count):
        environment, task = by_family[family][0]
        by_family[family].append(by_family[family].pop(0))
        if task.id not in played:
            played[task.id] = demonstrate(environment, task, sessions)
        drawn.append(played[task.id])
    return drawn


def demonstrate(environment: Environment, task: Task, sessions: SessionPool) -> Shown:
    """The oracle's calls with the results they have; RunError when they do not solve the task."""
    session = sessions.open(environment, task)
    for planned in task.key.oracle:
        session.call(planned.tool, planned.arguments)
    trajectory = session.finish(ANSWER, "answer")
    solved = session.grade().all_pass
    sessions.give_back(session)
    if not solved:
        raise RunError(
            f"task {task.id}: its oracle plan does not solve it; audit world {environment.world.id}"
        )
    return Shown(task.view, trajectory)
