"""A01 to A03: a delta, mentions and assertions that do not fit the world."""

from random import Random

from planet.construction.ground import Ground
from planet.mutations.breach import breach, cells
from planet.mutations.tasks.case import (
    Case,
    TaskWay,
    bystanders,
    equals,
    next_id,
    set_edit,
    value_at_start,
    with_delta,
    with_key,
)
from planet.records.frozen import Scalar
from planet.records.task import Assertion, Edit, Mention, Task

# ── A01: the delta ────────────────────────────────────────────────────────────────────────────────


def unknown_row(ground: Ground, task: Task, rng: Random) -> Case:
    """A change of a record that is not there."""
    table = ground.world.layout.resource(rng.choice(ground.world.slice))
    return with_delta(
        ground, task, set_edit(table.name, next_id(ground, table.name), **{table.label: "Gone"})
    )


def unknown_table(ground: Ground, task: Task, rng: Random) -> Case:
    """A change of a table that is not there."""
    name = rng.choice(ground.world.slice)
    key = ground.world.seed.rows[name][0][0]
    return with_delta(ground, task, set_edit(f"{name}_archive", key, status="open"))


def unknown_column(ground: Ground, task: Task, rng: Random) -> Case:
    """A change of a column that is not there."""
    name = rng.choice(ground.world.slice)
    return with_delta(ground, task, set_edit(name, ground.world.seed.rows[name][0][0], shoe_size=4))


def refused_value(ground: Ground, task: Task, rng: Random) -> Case:
    """A value that the column does not take."""
    table = ground.world.layout.resource(rng.choice(ground.world.slice))
    key = rng.choice(ground.world.seed.rows[table.name])[0]
    return with_delta(ground, task, set_edit(table.name, key, **{table.status: "terrible"}))


def taken_id(ground: Ground, task: Task, rng: Random) -> Case:
    """A new record under the id of another."""
    table = ground.world.layout.resource(rng.choice(ground.world.slice))
    row = rng.choice(ground.world.seed.rows[table.name])
    values = dict(zip((c.name for c in table.columns[1:]), row[1:], strict=True))
    return with_delta(ground, task, Edit(op="insert", table=table.name, key=row[0], values=values))


def lost_parent(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A record taken away that another refers to."""
    found = [
        (column.ref, str(held))
        for table in ground.world.layout.resources
        for column in table.columns
        if column.ref
        for _, held in cells(ground.world, table, column.name)
        if held is not None
    ]
    if not found:
        return None
    name, key = rng.choice(found)
    return with_delta(ground, task, Edit(op="delete", table=name, key=key))


def broken_rule(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A rule broken that is not at stake."""
    rules = [rule for rule in ground.key.invariants if rule.id not in task.key.at_stake]
    edits = breach(ground.world, rng.choice(rules), rng) if rules else None
    return with_key(ground, task, delta=(*task.key.delta, *edits)) if edits else None


def unknown_rule(ground: Ground, task: Task, rng: Random) -> Case:
    """A rule at stake that the world has not."""
    return with_key(ground, task, at_stake=(*task.key.at_stake, "RULE-99"))


def unknown_assertion(ground: Ground, task: Task, rng: Random) -> Case:
    """An assertion about a column that is not there."""
    name = rng.choice(ground.world.slice)
    where = {"id": ground.world.seed.rows[name][0][0]}
    more = Assertion(id="a99", kind="equals", table=name, where=where, column="shoe_size", value=4)
    return with_key(ground, task, assertions=(*task.key.assertions, more))


# ── A02: mentions ─────────────────────────────────────────────────────────────────────────────────


def _mention(ground: Ground, task: Task, mention: Mention) -> Case:
    return with_key(ground, task, mentions=(*task.key.mentions, mention))


def of_many(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A mention that fits two records or more."""
    table = ground.world.layout.resource(rng.choice(ground.world.slice))
    keys = {key for key, _ in cells(ground.world, table, table.status)}
    values = [
        value
        for key, value in cells(ground.world, table, table.status)
        if value_at_start(ground, task, table.name, key, table.status) == value and key in keys
    ]
    common = sorted({str(value) for value in values if values.count(value) > 1})
    if not common:
        return None
    return _mention(ground, task, Mention(table=table.name, where={table.status: rng.choice(common)}))


def of_none(ground: Ground, task: Task, rng: Random) -> Case:
    """A mention that fits no record."""
    table = ground.world.layout.resource(rng.choice(ground.world.slice))
    where: dict[str, Scalar] = rng.choice(
        [{"id": next_id(ground, table.name)}, {table.label: "Nobody At All"}]
    )
    return _mention(ground, task, Mention(table=table.name, where=where))


def of_nothing(ground: Ground, task: Task, rng: Random) -> Case:
    """A mention in a table or by a column that is not there."""
    name = rng.choice(ground.world.slice)
    key = ground.world.seed.rows[name][0][0]
    wrong = [
        Mention(table=f"{name}_archive", where={"id": key}),
        Mention(table=name, where={"shoe_size": 4}),
    ]
    return _mention(ground, task, rng.choice(wrong))


def name_twice(ground: Ground, task: Task, rng: Random) -> Case:
    """A record called by a name that the delta gives to another, too."""
    table = ground.world.layout.resource(rng.choice(ground.world.slice))
    keys = [row[0] for row in ground.world.seed.rows[table.name]]
    first, second = rng.sample(keys, 2)
    delta = tuple(set_edit(table.name, key, **{table.label: "One Name For Two"}) for key in (first, second))
    mention = Mention(table=table.name, where={table.label: "One Name For Two"})
    return with_key(ground, task, delta=(*task.key.delta, *delta), mentions=(*task.key.mentions, mention))


# ── A03: assertions about records yet to be ───────────────────────────────────────────────────────


def new_id(ground: Ground, task: Task, rng: Random) -> Case | None:
    """The id that a created record will have, written into an assertion."""
    created = [a for a in task.key.assertions if a.kind == "exists" and "id" not in a.where]
    if not created:
        return None
    chosen = rng.choice(created)
    where = {"id": next_id(ground, chosen.table), **chosen.where}
    changed = tuple(a.replace(where=where) if a is chosen else a for a in task.key.assertions)
    return with_key(ground, task, assertions=changed)


def moved_assertion(ground: Ground, task: Task, rng: Random) -> Case | None:
    """An assertion about the record after the last."""
    found = equals(task)
    if not found:
        return None
    chosen = rng.choice(found)
    where = {"id": next_id(ground, chosen.table)}
    changed = tuple(a.replace(where=where) if a is chosen else a for a in task.key.assertions)
    return with_key(ground, task, assertions=changed)


def one_more(ground: Ground, task: Task, rng: Random) -> Case:
    """One more assertion, about a record yet to be created."""
    table = ground.world.layout.resource(rng.choice(ground.world.slice))
    more = Assertion(id="a99", kind="exists", table=table.name, where={"id": next_id(ground, table.name)})
    return with_key(ground, task, assertions=(*task.key.assertions, more))


def taken_away(ground: Ground, task: Task, rng: Random) -> Case | None:
    """An assertion about a record that the delta takes away."""
    pointed = {
        str(held)
        for table in ground.world.layout.resources
        for column in table.columns
        if column.ref
        for _, held in cells(ground.world, table, column.name)
    } | {str(value) for edit in task.key.delta for value in edit.values.values()}
    loose = [
        (name, key)
        for name in ground.world.slice
        for key in bystanders(ground, task, name)
        if key not in pointed and not any(rule.effect_table == name for rule in ground.key.invariants)
    ]
    if not loose:
        return None
    name, key = rng.choice(loose)
    gone = Assertion(id="a99", kind="exists", table=name, where={"id": key})
    delta = (*task.key.delta, Edit(op="delete", table=name, key=key))
    return with_key(ground, task, delta=delta, assertions=(*task.key.assertions, gone))


START: dict[str, dict[str, TaskWay]] = {
    "A01": {
        "a delta on an unknown record": unknown_row,
        "a delta on an unknown table": unknown_table,
        "a delta on an unknown column": unknown_column,
        "a value that the column does not take": refused_value,
        "a new record under a taken id": taken_id,
        "a record taken away that others refer to": lost_parent,
        "a rule broken that is not at stake": broken_rule,
        "a rule at stake that there is not": unknown_rule,
        "an assertion on an unknown column": unknown_assertion,
    },
    "A02": {
        "a mention of several records": of_many,
        "a mention of no record": of_none,
        "a mention in no table or by no column": of_nothing,
        "a name given to two records": name_twice,
    },
    "A03": {
        "the id that a new record will have": new_id,
        "an assertion about the record after the last": moved_assertion,
        "one more assertion, about a new record": one_more,
        "an assertion about a record taken away": taken_away,
    },
}
