"""Demonstrations for the warm start: oracles of foundation tasks, played in real sessions."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from loop.config import Coverage
from loop.errors import RunError
from loop.learning.coverage import demonstrated_weights
from loop.learning.learner import Shown
from loop.worlds.pool import Environment
from loop.worlds.sessions import SessionPool
from planet.identity import stream
from planet.records.task import Task

ANSWER = "done"
"""What every demonstration says at its end: the tasks ask for deeds, not for words."""


class Demonstrated(NamedTuple):
    """Demonstrations, and what they were drawn by and cost."""

    shown: list[Shown]
    coverage: dict[str, float]  # family -> the share by which it was drawn
    steps: int  # calls that sessions executed for them


class Demonstrator(Protocol):
    """Solves foundation tasks for the warm start."""

    def demonstrate(
        self,
        foundation: Sequence[Environment],
        coverage: Coverage,
        seed: int,
        count: int,
        sessions: SessionPool,
    ) -> Demonstrated:
        """`count` demonstrations, families by their weights; RunError when there can be none."""


class OracleDemonstrator:
    """Shows every task as its oracle solves it."""

    def demonstrate(
        self,
        foundation: Sequence[Environment],
        coverage: Coverage,
        seed: int,
        count: int,
        sessions: SessionPool,
    ) -> Demonstrated:
        """Families drawn by their weights, tasks of a family in turn."""
        shown, shares = drawn(foundation, coverage, seed, count, lambda e, t: demonstrate(e, t, sessions))
        steps = sum(len(d.trajectory.calls) for d in {id(d): d for d in shown}.values())
        return Demonstrated(shown, shares, steps)


def drawn(
    foundation: Sequence[Environment],
    coverage: Coverage,
    seed: int,
    count: int,
    show: Callable[[Environment, Task], Shown],
) -> tuple[list[Shown], dict[str, float]]:
    """`count` demonstrations, families drawn by their weights and tasks of a family in turn; and the weights.

    show: of a task that is drawn for the first time, how it is solved.
    """
    by_family: dict[str, list[tuple[Environment, Task]]] = {}
    for environment in foundation:
        for task in environment.tasks:
            by_family.setdefault(task.key.facets.family, []).append((environment, task))
    weights = demonstrated_weights(by_family, coverage, seed)
    if not any(weights.values()):
        raise RunError(
            f"coverage.without: {', '.join(coverage.without)}: nothing else is there to be shown; withhold "
            "fewer families, or let the demonstrator solve more tasks"
        )
    rng = stream(seed, "demonstrations")
    for tasks in by_family.values():
        rng.shuffle(tasks)
    known: dict[str, Shown] = {}
    shown: list[Shown] = []
    for family in rng.choices(list(weights), list(weights.values()), k=count):
        environment, task = by_family[family][0]
        by_family[family].append(by_family[family].pop(0))
        if task.id not in known:
            known[task.id] = show(environment, task)
        shown.append(known[task.id])
    return shown, weights


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
