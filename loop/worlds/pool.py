"""The pool: admitted worlds and their tasks, in the order in which they came. Nothing ever leaves it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from planet.records.task import Task
from planet.records.world import World, WorldKey

Origin = Literal["foundation", "train", "diagnose", "validate", "test", "grown"]


@dataclass(frozen=True)
class PoolTask:
    """What samplers and growers may know of a task."""

    id: str
    world_id: str
    family: str
    cells: frozenset[str]  # "facet:value" that the task requires
    industry: str
    country: str
    profile: str
    rung: str = ""  # of a ladder, for which it was made; empty: not for one
    grown: int = -1  # iteration in which it joined the pool; -1: it was there from the start


@dataclass(frozen=True)
class Environment:
    """A world with its key and its tasks, as it was admitted."""

    world: World
    key: WorldKey
    tasks: tuple[Task, ...]
    origin: Origin
    iteration: int | None = None  # in which it was made; None: before the first one
    brief_id: str | None = None  # None: not made from a recorded brief


@dataclass
class Pool:
    """Environments by world id, and their tasks by id. A world that comes again brings more tasks."""

    _environments: dict[str, Environment] = field(default_factory=dict)
    _tasks: dict[str, Task] = field(default_factory=dict)
    _listed: list[PoolTask] = field(default_factory=list)

    def add(self, environments: Iterable[Environment]) -> None:
        """Admit environments at the end; of a world that is known, its further tasks."""
        for environment in environments:
            known = self._environments.get(environment.world.id)
            self._environments[environment.world.id] = (
                environment if known is None else replace(known, tasks=(*known.tasks, *environment.tasks))
            )
            for task in environment.tasks:
                self._tasks[task.id] = task
                self._listed.append(listed(task, environment))

    @property
    def listed(self) -> tuple[PoolTask, ...]:
        """All tasks, oldest first."""
        return tuple(self._listed)

    def task(self, task_id: str) -> Task:
        """The task with this id; KeyError when it is not in the pool."""
        return self._tasks[task_id]

    def environment(self, world_id: str) -> Environment:
        """The environment of this world; KeyError when it is not in the pool."""
        return self._environments[world_id]

    def __iter__(self) -> Iterator[Environment]:
        return iter(self._environments.values())

    def __len__(self) -> int:
        return len(self._environments)


def listed(task: Task, environment: Environment) -> PoolTask:
    """A task of an environment as samplers and growers see it."""
    from planet.cells import cells_of

    cells, world = cells_of(task.key), environment.world
    return PoolTask(
        id=task.id,
        world_id=world.id,
        family=task.key.facets.family,
        cells=cells,
        industry=world.company.industry,
        country=world.company.country,
        profile=world.brief.profile,
        rung=_rung(task, cells, environment),
        grown=-1 if environment.iteration is None else environment.iteration,
    )


def _rung(task: Task, cells: frozenset[str], environment: Environment) -> str:
    """The rung that a task was made for: a world's first tasks are its target's, at the target's difficulty;
    those after its quota may have the cell and are as hard as any."""
    target = environment.world.brief.target
    if target is None or not target.rung or target.cells[0] not in cells:
        return ""
    aimed = environment.tasks[: target.quota]
    return target.rung if any(task.id == one.id for one in aimed) else ""
