"""How a rule is broken in the rows: its trigger set on one record, and no record with its effect."""

from collections.abc import Iterator
from random import Random

from planet.records.task import Edit
from planet.records.world import Invariant, Resource, World


def breach(world: World, rule: Invariant, rng: Random) -> tuple[Edit, ...] | None:
    """Edits of the seed rows after which `rule` does not hold, whatever its check says; None: no row serves.

    It is read off what a rule means (`planet.records.world.Invariant`), so that it can judge a check.
    """
    parent, child = world.layout.resource(rule.table), world.layout.resource(rule.effect_table)
    children: dict[object, list[str]] = {}
    for key, link in cells(world, child, rule.effect_link):
        children.setdefault(link, []).append(key)
    follows = rule.pattern == "field_follows"  # such a rule says nothing of a record without an effect row
    keys = [row[0] for row in world.seed.rows[parent.name] if children.get(row[0]) or not follows]
    if not keys:
        return None
    key = rng.choice(keys)
    wrong = rng.choice([v for v in child.column(rule.effect_column).values if v != rule.effect_value])
    trigger = Edit(op="set", table=parent.name, key=key, values={rule.column: rule.value})
    away = (
        Edit(op="set", table=child.name, key=other, values={rule.effect_column: wrong})
        for other in children.get(key, ())
    )
    return (trigger, *away)


def cells(world: World, table: Resource, column: str) -> Iterator[tuple[str, object]]:
    """(id, value) of one column."""
    index = table.place(column)
    return ((row[0], row[index]) for row in world.seed.rows[table.name])
