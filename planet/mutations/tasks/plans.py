"""A08 and A09: plans that do not do the task."""

from random import Random
from typing import Any

from planet.construction.ground import Ground
from planet.mutations.tasks.case import (
    Case,
    TaskWay,
    label_edit,
    other_cell_values,
    replaced,
    table_of,
    updates,
    with_call,
    with_key,
    writes,
)
from planet.records.task import PlannedCall, Task
from planet.tasks.draft import write

# ── A08: the oracle ───────────────────────────────────────────────────────────────────────────────


def _asserted(task: Task, call: PlannedCall) -> list[str]:
    """Arguments of a write on which an assertion looks."""
    looked = {(a.table, a.column) for a in task.key.assertions}
    looked |= {(a.table, c) for a in task.key.assertions for c in a.where if c != "id"}
    return [c for c in call.arguments if c != "id" and (table_of(call), c) in looked]


def _slipped(ground: Ground, task: Task, call: PlannedCall, rng: Random) -> dict[str, Any] | None:
    """The arguments of a write with one asserted value wrong."""
    for column in rng.sample(found := _asserted(task, call), len(found)):
        values = sorted(
            set(other_cell_values(ground, table_of(call), column, call.arguments[column])), key=str
        )
        if values:
            return {**call.arguments, column: rng.choice(values)}
    return None


def wrong_value(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A value that was not asked for."""
    call = rng.choice(writes(task))
    arguments = _slipped(ground, task, call, rng)
    return with_call(ground, task, call, arguments=arguments) if arguments else None


def not_allowed(ground: Ground, task: Task, rng: Random) -> Case:
    """A write that the key does not allow."""
    gone = rng.choice(task.key.allowed)
    return with_key(ground, task, allowed=tuple(p for p in task.key.allowed if p is not gone))


def unknown_tool(ground: Ground, task: Task, rng: Random) -> Case:
    """A tool that the agent has not."""
    call = rng.choice(writes(task))
    return with_call(ground, task, call, tool=f"{call.tool}_archive")


def unknown_argument(ground: Ground, task: Task, rng: Random) -> Case:
    """An argument that the tool has not."""
    call = rng.choice(writes(task))
    return with_call(ground, task, call, arguments={**call.arguments, "shoe_size": 4})


def left_out(ground: Ground, task: Task, rng: Random) -> Case:
    """A write left out."""
    gone = rng.choice(writes(task))
    return with_key(ground, task, oracle=tuple(c for c in task.key.oracle if c is not gone))


def other_record(ground: Ground, task: Task, rng: Random) -> Case | None:
    """The right change of another record."""
    found = updates(task)
    if not found:
        return None
    call = rng.choice(found)
    key = call.arguments["id"]
    others = [row[0] for row in ground.world.seed.rows[table_of(call)] if row[0] != key]
    return with_call(ground, task, call, arguments={**call.arguments, "id": rng.choice(others)})


# ── A09: the alternative ──────────────────────────────────────────────────────────────────────────


def oracle_again(ground: Ground, task: Task, rng: Random) -> Case:
    """The oracle itself as the other plan."""
    return with_key(ground, task, alternative=task.key.oracle)


def no_plan(ground: Ground, task: Task, rng: Random) -> Case:
    """A plan without calls, or one that only reads."""
    reads = tuple(call for call in task.key.alternative if not call.required)
    return with_key(ground, task, alternative=rng.choice([(), reads]))


def half(ground: Ground, task: Task, rng: Random) -> Case:
    """A write left out of the other plan."""
    gone = rng.choice([call for call in task.key.alternative if call.required])
    return with_key(ground, task, alternative=tuple(c for c in task.key.alternative if c is not gone))


def wrong_alternative(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A wrong value in the other plan."""
    call = rng.choice([call for call in task.key.alternative if call.required])
    arguments = _slipped(ground, task, call, rng)
    if not arguments:
        return None
    return with_key(ground, task, alternative=replaced(task.key.alternative, call, arguments=arguments))


def stray_write(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A record changed on the way of which the task says nothing."""
    table = rng.choice(ground.world.slice)
    change = label_edit(ground, task, table, rng)
    if change is None:
        return None
    key, column, text = change
    return with_key(ground, task, alternative=(*task.key.alternative, write(table, key, {column: text})))


PLANS: dict[str, dict[str, TaskWay]] = {
    "A08": {
        "a wrong value": wrong_value,
        "a write that is not allowed": not_allowed,
        "a tool that there is not": unknown_tool,
        "an argument that there is not": unknown_argument,
        "a write left out": left_out,
        "another record": other_record,
    },
    "A09": {
        "the oracle again": oracle_again,
        "a plan that writes nothing": no_plan,
        "a write left out": half,
        "a wrong value": wrong_alternative,
        "a write that is not asked for": stray_write,
    },
}
