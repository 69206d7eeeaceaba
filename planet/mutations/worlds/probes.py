"""V10: checks that do not hold at the start, never fire, or judge otherwise than their rule.

Each is a lawful SELECT over the world's columns, and page and rule are as they were: only what the check says
of the rows is wrong.
"""

from random import Random
from typing import Any

from planet.construction.ground import Ground
from planet.construction.rows import with_value
from planet.expand.rules import check_sql, rule_of
from planet.mutations.breach import breach
from planet.mutations.worlds.change import Made, Way, any_rule, other_values, with_rule, with_sql
from planet.records.world import Invariant
from planet.world.database import quote


def broken_seed(ground: Ground, rng: Random) -> Made | None:
    """Rows that break a rule before anybody acts."""
    edits = breach(ground.world, any_rule(ground, rng), rng)
    if edits is None:
        return None
    world = ground.world
    for edit in edits:
        table = world.layout.resource(edit.table)
        for column, value in edit.values.items():
            world = with_value(world, table, edit.key, table.place(column), value)
    return world, ground.key.replace(world_id=world.id)


def _as_if(ground: Ground, rule: Invariant, **changes: Any) -> Made:
    """The check of another rule under the name of this one."""
    return with_rule(ground, rule, sql=check_sql(rule_of(rule, **changes)))


def other_trigger(ground: Ground, rng: Random) -> Made:
    """A check that waits for another value of the trigger."""
    rule = any_rule(ground, rng)
    values = other_values(ground.world.layout.resource(rule.table), rule.column, rule.value)
    return _as_if(ground, rule, value=rng.choice(values))


def other_effect(ground: Ground, rng: Random) -> Made:
    """A check that wants another value of the effect."""
    rule = any_rule(ground, rng)
    table = ground.world.layout.resource(rule.effect_table)
    values = other_values(table, rule.effect_column, rule.effect_value)
    return _as_if(ground, rule, effect_value=rng.choice(values))


def other_column(ground: Ground, rng: Random) -> Made | None:
    """A check that looks at another column of the effect."""
    rule = any_rule(ground, rng)
    table = ground.world.layout.resource(rule.effect_table)
    others = [c for c in table.columns if c.type == "enum" and c.name != rule.effect_column]
    if not others:
        return None
    column = rng.choice(others)
    return _as_if(ground, rule, effect_column=column.name, effect_value=rng.choice(column.values))


def other_pattern(ground: Ground, rng: Random) -> Made:
    """One effect row asked for where the rule wants every one, or the other way round."""
    rule = any_rule(ground, rng)
    swapped = {"record_required": "field_follows", "field_follows": "record_required"}
    return _as_if(ground, rule, pattern=swapped[rule.pattern])


def wider_trigger(ground: Ground, rng: Random) -> Made:
    """A check that also binds records of another value, of which the page says nothing."""
    rule = any_rule(ground, rng)
    other = rng.choice(other_values(ground.world.layout.resource(rule.table), rule.column, rule.value))
    trigger = f"p.{quote(rule.column)} = '{rule.value}'"
    wider = f"p.{quote(rule.column)} IN ('{rule.value}', '{other}')"
    return with_rule(ground, rule, sql=rule.sql.replace(trigger, wider))


def _never(rule: Invariant) -> str:
    return f'SELECT "id" FROM {quote(rule.table)} WHERE "id" IS NULL'


def _always(rule: Invariant) -> str:
    return f"SELECT \"id\" FROM {quote(rule.table)} WHERE {quote(rule.column)} = '{rule.value}'"


def _inverted(rule: Invariant) -> str:
    return rule.sql.replace("NOT EXISTS", "EXISTS").replace(" IS NOT ", " IS ")


def _unlinked(rule: Invariant) -> str:
    link = f"c.{quote(rule.effect_link)}"
    return rule.sql.replace(f'{link} = p."id"', f"{link} = {link}")


PROBES: dict[str, Way] = {
    "rows that break a rule": broken_seed,
    "a check that never fires": with_sql(_never),
    "a check that nothing satisfies": with_sql(_always),
    "a check turned into its opposite": with_sql(_inverted),
    "a check of another value of the trigger": other_trigger,
    "a check of another value of the effect": other_effect,
    "a check of another column": other_column,
    "a check of one effect for all, or of all for one": other_pattern,
    "a check that binds other records too": wider_trigger,
    "a check that any record's effect satisfies": with_sql(_unlinked),
}
