"""A06 and A07: tasks that are done by doing nothing, or by looking."""

from collections.abc import Callable
from random import Random
from typing import Any

from planet.construction.ground import Ground
from planet.mutations.tasks.case import (
    Case,
    TaskWay,
    elsewhere,
    equals,
    set_edit,
    value_at_start,
    with_key,
    written,
)
from planet.records.frozen import Scalar
from planet.records.task import Assertion, Task
from planet.records.world import Resource
from planet.tasks.audit import Auditor
from planet.world.database import quote
from planet.world.tools import Tool, Write


def _only(task: Task, ground: Ground, *assertions: Assertion) -> Case | None:
    """The task with these assertions alone; None where a rule is at stake, which the delta may break."""
    return None if task.key.at_stake else with_key(ground, task, assertions=assertions)


def nothing_wanted(ground: Ground, task: Task, rng: Random) -> Case | None:
    """No assertion, and no rule at stake."""
    return _only(task, ground)


def as_it_is(ground: Ground, task: Task, rng: Random) -> Case | None:
    """An assertion of a cell that nobody writes, as it is."""
    table, key = _record(ground, rng)
    value = value_at_start(ground, task, table.name, key, table.label)
    where: dict[str, Scalar] = {"id": key}
    kept = Assertion(id="a1", kind="equals", table=table.name, where=where, column=table.label, value=value)
    return _only(task, ground, kept)


def differing(ground: Ground, task: Task, rng: Random) -> Case | None:
    """An assertion that a cell is not what it never was."""
    table, key = _record(ground, rng)
    where: dict[str, Scalar] = {"id": key}
    other = Assertion(
        id="a1", kind="differs", table=table.name, where=where, column=table.label, value="Nobody"
    )
    return _only(task, ground, other)


def existing(ground: Ground, task: Task, rng: Random) -> Case | None:
    """An assertion that a record exists which is there."""
    table, key = _record(ground, rng)
    return _only(task, ground, Assertion(id="a1", kind="exists", table=table.name, where={"id": key}))


def _record(ground: Ground, rng: Random) -> tuple[Resource, str]:
    table = ground.world.layout.resource(rng.choice(ground.world.slice))
    return table, rng.choice(ground.world.seed.rows[table.name])[0]


def done_by_delta(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A delta that does all of the work."""
    found = equals(task)
    if not found or len(found) < len(task.key.assertions) or task.key.at_stake:
        return None
    done = tuple(set_edit(a.table, str(a.where["id"]), **{str(a.column): a.value}) for a in found)
    return with_key(ground, task, delta=(*task.key.delta, *done))


def _reading(*tools: str) -> TaskWay:
    """A tool that only reads, and does a part of the task as it does."""

    def way(ground: Ground, task: Task, rng: Random) -> Case | None:
        found = [a for a in written(task) if not task.key.at_stake]
        if not found:
            return None
        wanted = rng.choice(found)
        name = rng.choice(tools).format(rng.choice(ground.world.slice))
        case = elsewhere(ground, task, f"{name} writes")
        sql = f'UPDATE {quote(wanted.table)} SET {quote(str(wanted.column))} = ? WHERE "id" = ?'
        values = (wanted.value, wanted.where["id"])

        def write(connection: Any, log: list[Write]) -> None:
            connection.execute(sql, values)

        return case._replace(prepare=tampered(name, write))

    return way


def tampered(name: str, first: Callable[[Any, list[Write]], None]) -> Callable[[Auditor], None]:
    """Have a tool of the auditor's world do something else before its work."""

    def prepare(auditor: Auditor) -> None:
        tools = auditor.stage.session.image.tools
        tools[name] = _after(first, tools[name])

    return prepare


def _after(first: Callable[[Any, list[Write]], None], plain: Tool) -> Tool:
    def run(connection: Any, arguments: dict[str, Any], log: list[Write]) -> Any:
        first(connection, log)
        return plain(connection, arguments, log)

    return run


FLOOR: dict[str, dict[str, TaskWay]] = {
    "A06": {
        "nothing asserted": nothing_wanted,
        "an assertion of what is there": as_it_is,
        "an assertion of what is not there": differing,
        "an assertion of a record that is there": existing,
        "a delta that does all": done_by_delta,
    },
    "A07": {
        "a list that writes": _reading("list_{}"),
        "a get that writes": _reading("get_{}"),
        "a search for documents that writes": _reading("search_documents"),
        "a document that writes when it is read": _reading("get_document"),
    },
}
