"""A task with one thing wrong, and the stage on which its audit has to see it."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from planet.construction.ground import Ground
from planet.records.frozen import Scalar
from planet.records.task import Assertion, Edit, PlannedCall, Task
from planet.records.world import World, WorldKey
from planet.tasks.audit import Auditor
from planet.tasks.twin import known_as
from planet.world.grading import start_value


class Case(NamedTuple):
    """What is audited."""

    task: Task
    world: World
    key: WorldKey
    turns: int | None = None  # of the episodes; None: as many as the profile gives
    prepare: Callable[[Auditor], None] | None = None  # done to the auditor beforehand


TaskWay = Callable[[Ground, Task, Random], Case | None]
"""Corrupts a sound task of a world; None where the task has nothing to corrupt in this way."""


def with_key(ground: Ground, task: Task, **fields: Any) -> Case:
    """The task with some fields of its key replaced."""
    return Case(Task(view=task.view, key=task.key.replace(**fields)), ground.world, ground.key)


def with_delta(ground: Ground, task: Task, edit: Edit) -> Case:
    """The task with one more change of the state before the episode."""
    return with_key(ground, task, delta=(*task.key.delta, edit))


def with_call(ground: Ground, task: Task, call: PlannedCall, **fields: Any) -> Case:
    """The task with one call of its oracle changed."""
    return with_key(ground, task, oracle=replaced(task.key.oracle, call, **fields))


def replaced(plan: tuple[PlannedCall, ...], call: PlannedCall, **fields: Any) -> tuple[PlannedCall, ...]:
    """A plan with one call changed."""
    return tuple(c.replace(**fields) if c is call else c for c in plan)


def with_instruction(ground: Ground, task: Task, instruction: str) -> Case:
    """The task, told otherwise."""
    return Case(Task(view=task.view.replace(instruction=instruction), key=task.key), ground.world, ground.key)


def elsewhere(ground: Ground, task: Task, what: str, **fields: Any) -> Case:
    """The task in a variant of its world that no other case shares, so that its tools may be changed."""
    world = known_as(ground.world.replace(**fields), ground.world, f"{what} {task.id}")
    view = task.view.replace(world_id=world.id)
    moved = Task(view=view, key=task.key.replace(world_id=world.id))
    return Case(moved, world, ground.key.replace(world_id=world.id))


def writes(task: Task) -> list[PlannedCall]:
    """The calls of the oracle without which the task fails."""
    return [call for call in task.key.oracle if call.required]


def updates(task: Task) -> list[PlannedCall]:
    """Those of them that change a record which is there."""
    return [call for call in writes(task) if "id" in call.arguments]


def table_of(call: PlannedCall) -> str:
    """The table on which a call works."""
    return call.tool.partition("_")[2]


def equals(task: Task) -> list[Assertion]:
    """Assertions that a cell of a named record has a value."""
    return [a for a in task.key.assertions if a.kind == "equals" and "id" in a.where and a.column]


def written(task: Task) -> list[Assertion]:
    """Those of them that an update of the oracle brings about."""
    cells_set = {
        (table_of(call), call.arguments["id"], column) for call in updates(task) for column in call.arguments
    }
    return [a for a in equals(task) if (a.table, a.where["id"], a.column) in cells_set]


def value_at_start(ground: Ground, task: Task, table: str, key: Scalar, column: str) -> Scalar:
    """A cell when the episode begins: as in the seed, unless the delta says otherwise."""
    return start_value(ground.world, task.key, table, str(key), column)


def touched(task: Task) -> set[tuple[str, str]]:
    """(table, id) of every record that the key names."""
    found = {(e.table, e.key) for e in task.key.delta}
    found |= {(p.table, p.key) for p in task.key.allowed if p.key}
    for call in (*task.key.oracle, *task.key.alternative):
        found |= {("", str(value)) for value in call.arguments.values()}
    return found | {(m.table, str(m.where["id"])) for m in task.key.mentions if "id" in m.where}


def bystanders(ground: Ground, task: Task, table: str) -> list[str]:
    """Ids of records of the table of which the task says nothing."""
    named = {key for _, key in touched(task)}
    return [row[0] for row in ground.world.seed.rows[table] if row[0] not in named]


def label_edit(ground: Ground, task: Task, table: str, rng: Random) -> tuple[str, str, str] | None:
    """(id, column, text): a harmless change of a record of which the task says nothing."""
    others = bystanders(ground, task, table)
    return (rng.choice(others), ground.world.layout.resource(table).label, "Renamed") if others else None


def next_id(ground: Ground, table: str) -> str:
    """The id that a new record would be given."""
    prefix = ground.world.layout.resource(table).prefix
    numbers = [int(row[0].rpartition("-")[2]) for row in ground.world.seed.rows[table]]
    return f"{prefix}-{max(numbers) + 1:04d}"


def set_edit(table: str, key: str, **values: Scalar) -> Edit:
    """One change of the state before the episode."""
    return Edit(op="set", table=table, key=key, values=values)


def row_number(ground: Ground, table: str, key: str) -> int:
    """Where a record stands in its table."""
    return next(n for n, row in enumerate(ground.world.seed.rows[table]) if row[0] == key)


def other_cell_values(ground: Ground, table: str, column: str, *taken: Scalar) -> Iterator[Scalar]:
    """Values that other records have in a column."""
    resource = ground.world.layout.resource(table)
    index = resource.place(column)
    return (row[index] for row in ground.world.seed.rows[table] if row[index] not in (None, *taken))
