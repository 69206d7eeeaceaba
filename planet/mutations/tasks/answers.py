"""A04 and A05: tasks that depend on a clock, and tasks whose answer is there from the start."""

from random import Random

from planet.construction.ground import Ground
from planet.mutations.tasks.case import (
    Case,
    TaskWay,
    next_id,
    set_edit,
    table_of,
    value_at_start,
    with_delta,
    with_instruction,
    with_key,
    writes,
    written,
)
from planet.records.task import Edit, Task

# ── A04: clocks ───────────────────────────────────────────────────────────────────────────────────


def _said(*forms: str) -> TaskWay:
    def way(ground: Ground, task: Task, rng: Random) -> Case:
        return with_instruction(ground, task, rng.choice(forms).format(task.view.instruction))

    return way


def clock_in_rule(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A rule at stake whose check compares with the present."""
    rules = [rule for rule in ground.key.invariants if rule.id in task.key.at_stake]
    if not rules:
        return None
    chosen = rng.choice(rules)
    word = rng.choice(["now", "today", "current_date"])
    sql = f"{chosen.sql} AND p.\"id\" <> '{word}'"
    invariants = tuple(r.replace(sql=sql) if r is chosen else r for r in ground.key.invariants)
    return Case(task, ground.world, ground.key.replace(invariants=invariants))


# ── A05: answers that are there ───────────────────────────────────────────────────────────────────


def done_by_delta(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A delta that does a part of the work."""
    found = written(task)
    if not found or task.key.at_stake:
        return None
    chosen = rng.choice(found)
    return with_delta(
        ground, task, set_edit(chosen.table, str(chosen.where["id"]), **{str(chosen.column): chosen.value})
    )


def as_it_is(ground: Ground, task: Task, rng: Random) -> Case | None:
    """An assertion of the value that is there."""
    found = written(task)
    if not found:
        return None
    chosen = rng.choice(found)
    value = value_at_start(ground, task, chosen.table, chosen.where["id"], str(chosen.column))
    changed = tuple(a.replace(value=value) if a is chosen else a for a in task.key.assertions)
    return with_key(ground, task, assertions=changed)


def already_created(ground: Ground, task: Task, rng: Random) -> Case | None:
    """The record that is to be created, there from the start."""
    created = [call for call in writes(task) if "id" not in call.arguments]
    if not created or task.key.at_stake:
        return None
    call = rng.choice(created)
    table = ground.world.layout.resource(table_of(call))
    row = rng.choice(ground.world.seed.rows[table.name])
    model = dict(zip((c.name for c in table.columns), row, strict=True))
    values = {**model, **call.arguments}
    key = next_id(ground, table.name)
    del values["id"]
    return with_delta(ground, task, Edit(op="insert", table=table.name, key=key, values=values))


def _page(field: str) -> TaskWay:
    """A page that names a record of the task."""

    def way(ground: Ground, task: Task, rng: Random) -> Case | None:
        keys = [str(m.where["id"]) for m in task.key.mentions if "id" in m.where]
        if not keys:
            return None
        page = rng.choice(ground.world.documents)
        told = page.replace(**{field: f"{getattr(page, field)} {rng.choice(keys)} too ."})
        pages = tuple(told if d is page else d for d in ground.world.documents)
        return in_world(ground, task, pages)

    return way


def in_world(ground: Ground, task: Task, pages: tuple) -> Case:
    """The task in its world with other pages."""
    world = ground.world.replace(documents=pages)
    moved = Task(view=task.view.replace(world_id=world.id), key=task.key.replace(world_id=world.id))
    return Case(moved, world, ground.key.replace(world_id=world.id))


ANSWERS: dict[str, dict[str, TaskWay]] = {
    "A04": {
        "today at the end": _said("{} today", "{} today .", "{} , before tomorrow"),
        "today at the beginning": _said("Today , {}", "As of today: {}", "Yesterday's order : {}"),
        "now before a mark": _said("{} now, please", "{} right now!", "do this NOW : {}"),
        "a check that compares with the present": clock_in_rule,
    },
    "A05": {
        "a delta that does a part": done_by_delta,
        "an assertion of what is there": as_it_is,
        "the new record there already": already_created,
        "a page that names the record": _page("body"),
        "a title that names the record": _page("title"),
    },
}
