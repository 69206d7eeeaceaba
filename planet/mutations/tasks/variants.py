"""A12 and A13: tasks that rest on the order of rows, or that a policy page does not decide."""

from random import Random
from typing import Any

from planet.construction.ground import Ground
from planet.mutations.tasks.case import (
    Case,
    TaskWay,
    elsewhere,
    equals,
    row_number,
    table_of,
    updates,
    value_at_start,
    with_key,
    written,
)
from planet.records.frozen import Scalar
from planet.records.task import AllowedWrite, Assertion, PlannedCall, Task
from planet.records.world import Invariant
from planet.tasks.audit import Auditor
from planet.tasks.draft import equal, write
from planet.world.database import quote
from planet.world.tools import Tool, Write, failure

# ── A12: the order of rows ────────────────────────────────────────────────────────────────────────


def _mirrored(ground: Ground, task: Task, table: str, key: str, column: str) -> str | None:
    """SQL of the id at the place where the row stands when the table is turned round; None: it is no other.

    The condition on the label keeps SQLite from reading the ids off their index, in order.
    """
    rows = ground.world.seed.rows[table]
    there = len(rows) - 1 - row_number(ground, table, key)
    other = rows[there][0]
    if other == key:
        return None
    label = ground.world.layout.resource(table).label
    return (
        f"(SELECT \"id\" FROM {quote(table)} WHERE {quote(label)} <> '' LIMIT 1 OFFSET {there})"
        if value_at_start(ground, task, table, other, column) is not None
        else None
    )


def ordered_rule(ground: Ground, task: Task, rng: Random) -> Case | None:
    """One more rule of the world, about whichever record stands at one place."""
    found = [a for a in written(task) if isinstance(a.value, str)]
    if not found:
        return None
    wanted = rng.choice(found)
    table, key, column = wanted.table, str(wanted.where["id"]), str(wanted.column)
    at_place = _mirrored(ground, task, table, key, column)
    if at_place is None or _held_at_mirror(ground, task, table, key, column) == wanted.value:
        return None
    sql = f'SELECT "id" FROM {quote(table)} WHERE {quote(column)} = \'{wanted.value}\' AND "id" = {at_place}'
    more = ground.key.invariants[0].replace(id="RULE-99", sql=sql)
    return Case(task, ground.world, ground.key.replace(invariants=(*ground.key.invariants, more)))


def _held_at_mirror(ground: Ground, task: Task, table: str, key: str, column: str) -> object:
    rows = ground.world.seed.rows[table]
    other = rows[len(rows) - 1 - row_number(ground, table, key)][0]
    return value_at_start(ground, task, table, other, column)


def ordered_stake(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A rule at stake that also looks at whichever record stands at one place."""
    rules = [rule for rule in ground.key.invariants if rule.id in task.key.at_stake]
    if not rules:
        return None
    rule = rules[0]
    found = [a for a in equals(task) if (a.table, a.column, a.value) == (rule.table, rule.column, rule.value)]
    if not found:
        return None
    key = str(found[0].where["id"])
    at_place = _mirrored(ground, task, rule.table, key, rule.column)
    if at_place is None or _held_at_mirror(ground, task, rule.table, key, rule.column) == rule.value:
        return None
    also = f"t.{quote(rule.column)} = '{rule.value}' AND t.\"id\" = {at_place}"
    sql = f'SELECT t."id" FROM {quote(rule.table)} t WHERE t."id" IN ({rule.sql}) OR ({also})'
    invariants = tuple(r.replace(sql=sql) if r is rule else r for r in ground.key.invariants)
    return Case(task, ground.world, ground.key.replace(invariants=invariants))


def ordered_tool(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A tool that works as long as its table begins with one record."""
    found = updates(task)
    if not found:
        return None
    call = rng.choice(found)
    table = table_of(call)
    first = ground.world.seed.rows[table][0][0]
    case = elsewhere(ground, task, f"{call.tool} goes by order")

    def prepare(auditor: Auditor) -> None:
        for session in (auditor.stage.session, auditor.stage.reversed_rows()):
            session.image.tools[call.tool] = _by_order(table, first, session.image.tools[call.tool])

    return case._replace(prepare=prepare)


def _by_order(table: str, first: str, plain: Tool) -> Tool:
    sql = f'SELECT "id" FROM {quote(table)} ORDER BY rowid LIMIT 1'

    def run(connection: Any, arguments: dict[str, Any], log: list[Write]) -> Any:
        if connection.execute(sql).fetchone()[0] != first:
            return failure("the table has another order")
        return plain(connection, arguments, log)

    return run


# ── A13: twins ────────────────────────────────────────────────────────────────────────────────────


def _stake(ground: Ground, task: Task) -> Invariant | None:
    return next((rule for rule in ground.key.invariants if rule.id in task.key.at_stake), None)


def untouched_rule(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A rule said to be at stake that the task has nothing to do with."""
    tables = {table_of(call) for call in task.key.oracle if call.required}
    others = [
        rule
        for rule in ground.key.invariants
        if rule.id not in task.key.at_stake and not {rule.table, rule.effect_table} & tables
    ] or [rule for rule in ground.key.invariants if not task.key.at_stake]
    if not others:
        return None
    return with_key(ground, task, at_stake=(*task.key.at_stake, rng.choice(others).id))


def pinned_effect(ground: Ground, task: Task, rng: Random) -> Case | None:
    """An assertion of the effect that this world's page states, whatever another page would say."""
    rule = _stake(ground, task)
    if rule is None:
        return None
    for call in updates(task):
        if call.tool == f"update_{rule.effect_table}" and rule.effect_column in call.arguments:
            value = {rule.effect_column: call.arguments[rule.effect_column]}
            pinned = equal(rule.effect_table, call.arguments["id"], value, first=99)
            return with_key(ground, task, assertions=(*task.key.assertions, *pinned))
    return None


def no_trigger(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A task that sets no trigger any more: the rule at stake has nothing to ask for."""
    rule = _stake(ground, task)
    if rule is None or task.key.facets.family != "propagate":
        return None
    sets = [c for c in updates(task) if c.tool == f"update_{rule.table}" and rule.column in c.arguments]
    if not sets or len(sets[0].arguments) < 3:
        return None
    reads = tuple(call for call in task.key.oracle if not call.required)
    less = {column: value for column, value in sets[0].arguments.items() if column != rule.column}
    call = sets[0].replace(arguments=less)
    kept = tuple(a for a in task.key.assertions if a.column in less and a.table == rule.table)
    if not kept:
        return None
    return with_key(ground, task, assertions=kept, oracle=(*reads, call), alternative=(call,))


def moved_away(ground: Ground, task: Task, rng: Random) -> Case | None:
    """A plan that gives the record's dependant to another, so that the rule asks for nothing."""
    rule = _stake(ground, task)
    if rule is None or rule.pattern != "field_follows" or task.key.facets.family != "propagate":
        return None
    sets = [c for c in updates(task) if c.tool == f"update_{rule.table}" and rule.column in c.arguments]
    effects = [c for c in updates(task) if c.tool == f"update_{rule.effect_table}"]
    heir = _untriggered(ground, task, rule, rng)
    if len(sets) != 1 or len(effects) != 1 or heir is None:
        return None
    child = effects[0].arguments["id"]
    values: dict[str, Scalar] = {rule.effect_link: heir}
    moved = write(rule.effect_table, child, values)
    permit = AllowedWrite(table=rule.effect_table, key=child, columns=(rule.effect_link,))
    kept: tuple[Assertion, ...] = tuple(a for a in task.key.assertions if a.table == rule.table)
    plan: tuple[PlannedCall, ...] = (moved, sets[0])
    return with_key(
        ground,
        task,
        assertions=(*kept, *equal(rule.effect_table, child, values, first=98)),
        allowed=(*task.key.allowed, permit),
        oracle=plan,
        alternative=plan[::-1],
    )


def _untriggered(ground: Ground, task: Task, rule: Invariant, rng: Random) -> str | None:
    """Another record of the trigger's table on which no rule asks for anything."""
    triggers = [(r.column, r.value) for r in ground.key.invariants if r.table == rule.table]
    keys = [
        row[0]
        for row in ground.world.seed.rows[rule.table]
        if all(value_at_start(ground, task, rule.table, row[0], c) != v for c, v in triggers)
    ]
    named = {str(m.where.get("id")) for m in task.key.mentions}
    free = [key for key in keys if key not in named]
    return rng.choice(free) if free else None


VARIANTS: dict[str, dict[str, TaskWay]] = {
    "A12": {
        "a further rule about one place of a table": ordered_rule,
        "a rule at stake about one place of a table": ordered_stake,
        "a tool that goes by the first row": ordered_tool,
    },
    "A13": {
        "a rule that the task does not touch": untouched_rule,
        "an assertion of this page's effect": pinned_effect,
        "a task that sets no trigger": no_trigger,
        "a plan that evades the rule": moved_away,
    },
}
