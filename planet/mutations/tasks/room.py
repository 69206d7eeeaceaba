"""A10 and A11: plans with needless writes, and plans that leave no room to look around."""

from random import Random
from typing import Any

from planet.construction.ground import Ground
from planet.mutations.tasks.case import (
    Case,
    TaskWay,
    elsewhere,
    label_edit,
    table_of,
    updates,
    with_call,
    with_key,
    writes,
)
from planet.mutations.tasks.floor import tampered
from planet.records.task import AllowedWrite, Task
from planet.tasks.audit import Auditor
from planet.tasks.draft import read, write
from planet.tasks.grow import TURNS
from planet.world.database import quote
from planet.world.tools import Tool, Write, failure

# ── A10: needless writes ──────────────────────────────────────────────────────────────────────────


def said_twice(ground: Ground, task: Task, rng: Random) -> Case | None:
    """An update made twice."""
    found = updates(task)
    return with_key(ground, task, oracle=(*task.key.oracle, rng.choice(found))) if found else None


def read_as_write(ground: Ground, task: Task, rng: Random) -> Case:
    """A read that counts as a write without which the task fails."""
    reads = [call for call in task.key.oracle if not call.required]
    if reads:
        return with_call(ground, task, rng.choice(reads), required=True)
    look = read(f"list_{rng.choice(ground.world.slice)}").replace(required=True)
    return with_key(ground, task, oracle=(look, *task.key.oracle))


def idle_write(ground: Ground, task: Task, rng: Random) -> Case | None:
    """An allowed write that nothing asks for."""
    table = rng.choice(ground.world.slice)
    change = label_edit(ground, task, table, rng)
    if change is None:
        return None
    key, column, text = change
    permit = AllowedWrite(table=table, key=key, columns=(column,))
    idle = write(table, key, {column: text})
    return with_key(ground, task, oracle=(*task.key.oracle, idle), allowed=(*task.key.allowed, permit))


def half_again(ground: Ground, task: Task, rng: Random) -> Case | None:
    """One column of an update written once more."""
    found = [call for call in updates(task) if len(call.arguments) > 2]
    if not found:
        return None
    call = rng.choice(found)
    column = rng.choice([name for name in call.arguments if name != "id"])
    again = write(table_of(call), call.arguments["id"], {column: call.arguments[column]})
    return with_key(ground, task, oracle=(*task.key.oracle, again))


# ── A11: no room to look around ───────────────────────────────────────────────────────────────────


def no_turn(ground: Ground, task: Task, rng: Random) -> Case:
    """No turn more than the oracle takes."""
    case = with_key(ground, task)
    return case._replace(turns=rng.randint(1, len(task.key.oracle)))


def long_oracle(ground: Ground, task: Task, rng: Random) -> Case:
    """An oracle that reads until its turns are used up."""
    missing = TURNS[ground.brief.profile] - len(task.key.oracle)
    looks = tuple(read(f"list_{rng.choice(ground.world.slice)}") for _ in range(max(0, missing)))
    return with_key(ground, task, oracle=(*looks, *task.key.oracle))


def _pedant(kind: type, message: str) -> TaskWay:
    """A tool that takes a number in one form only: the one in which the oracle writes it."""

    def way(ground: Ground, task: Task, rng: Random) -> Case | None:
        numbers = [v for call in writes(task) for v in call.arguments.values() if _is_whole(v)]
        found = [call for call in writes(task) if any(_is_whole(v) for v in call.arguments.values())]
        if not numbers or any(type(v) is kind for v in numbers):
            return None
        name = rng.choice(found).tool
        case = elsewhere(ground, task, f"{name} is pedantic")

        def prepare(auditor: Auditor) -> None:
            tools = auditor.stage.session.image.tools
            tools[name] = _refusing(kind, message, tools[name])

        return case._replace(prepare=prepare)

    return way


def _is_whole(value: object) -> bool:
    return type(value) is int or (isinstance(value, float) and value.is_integer())


def _refusing(kind: type, message: str, plain: Tool) -> Tool:
    def run(connection: Any, arguments: dict[str, Any], log: list[Write]) -> Any:
        if any(type(value) is kind for value in arguments.values()):
            return failure(message)
        return plain(connection, arguments, log)

    return run


def tracing_list(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A list that changes a record of which the task says nothing."""
    table = ground.world.slice[0]
    change = label_edit(ground, task, table, rng)
    if change is None:
        return None
    key, column, text = change
    case = elsewhere(ground, task, f"list_{table} leaves a trace")

    def leave(connection: Any, log: list[Write]) -> None:
        connection.execute(f'UPDATE {quote(table)} SET {quote(column)} = ? WHERE "id" = ?', (text, key))
        log.append(Write(table, key, (column,), False))

    return case._replace(prepare=tampered(f"list_{table}", leave))


ROOM: dict[str, dict[str, TaskWay]] = {
    "A10": {
        "a write said twice": said_twice,
        "a read that counts as a write": read_as_write,
        "a write that nothing asks for": idle_write,
        "a column written once more": half_again,
    },
    "A11": {
        "no turn to spare": no_turn,
        "an oracle as long as the episode": long_oracle,
        "a tool that refuses 25 for 25.0": _pedant(int, "write 25.0"),
        "a tool that refuses 25.0 for 25": _pedant(float, "write 25"),
        "a list that leaves a trace": tracing_list,
    },
}
