"""One thing changed in a sound world, and all that follows from it changed too: tools follow tables, the key
is for the changed world. So nothing but the one thing is wrong."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from planet.construction.ground import Ground
from planet.construction.own_table import with_column
from planet.expand.rules import rule_of, rule_page
from planet.records.world import Column, Document, Invariant, Resource, SeedState, World, WorldKey
from planet.world.specs import layout_of

Made = tuple[World, WorldKey]
Way = Callable[[Ground, Random], Made | None]
"""Corrupts a sound world; None where the world has nothing to corrupt in this way."""


def with_fields(ground: Ground, **fields: Any) -> Made:
    """The world with some fields replaced."""
    world = ground.world.replace(**fields)
    return world, ground.key.replace(world_id=world.id)


def with_table(ground: Ground, name: str, table: Resource, **fields: Any) -> Made:
    """The world with the table called `name` replaced."""
    tables = tuple(table if r.name == name else r for r in ground.world.layout.resources)
    return with_fields(ground, layout=layout_of(tables), **fields)


def with_changed_column(ground: Ground, table: Resource, column: Column, /, **changes: Any) -> Made:
    """The world with one column changed, its cells as they were."""
    return with_table(ground, table.name, with_column(table, column.name, **changes))


def with_new_column(ground: Ground, table: Resource, column: Column, values: Sequence[Any]) -> Made:
    """The world with one more column, and a value for each row."""
    rows = ground.world.seed.rows[table.name]
    longer = tuple((*row, value) for row, value in zip(rows, values, strict=True))
    seed = SeedState(rows={**ground.world.seed.rows, table.name: longer})
    return with_table(ground, table.name, table.replace(columns=(*table.columns, column)), seed=seed)


def with_rows(ground: Ground, name: str, rows: Sequence[tuple[Any, ...]]) -> Made:
    """The world with other rows of one table."""
    return with_fields(ground, seed=SeedState(rows={**ground.world.seed.rows, name: tuple(rows)}))


def with_rule(ground: Ground, rule: Invariant, **fields: Any) -> Made:
    """The key with one rule changed; the world is the same."""
    rules = tuple(r.replace(**fields) if r is rule else r for r in ground.key.invariants)
    return ground.world, ground.key.replace(invariants=rules)


def with_page(ground: Ground, page: Document, **fields: Any) -> Made:
    """The world with one page changed."""
    pages = tuple(d.replace(**fields) if d is page else d for d in ground.world.documents)
    return with_fields(ground, documents=pages)


def restated(ground: Ground, rule: Invariant, **fields: Any) -> Made:
    """The world with one rule changed in the key and on its page, so that both say the same wrong thing."""
    changed = rule.replace(**fields)
    title, body = page_text(ground, changed)
    world, key = with_page(ground, page_of(ground, rule), title=title, body=body)
    rules = tuple(changed if r is rule else r for r in ground.key.invariants)
    return world, key.replace(invariants=rules)


def page_text(ground: Ground, rule: Invariant) -> tuple[str, str]:
    """Title and body of a page that states the rule, whatever it names."""
    services = {r.name: r.service for r in ground.world.layout.resources}
    services.setdefault(rule.effect_table, "the company")
    return rule_page(rule_of(rule), services, 0)


def page_of(ground: Ground, rule: Invariant) -> Document:
    """The page that states a rule."""
    return next(d for d in ground.world.documents if d.id == rule.document_id)


def spare(ground: Ground, rng: Random, *types: str) -> tuple[Resource, Column] | None:
    """A column of one of the types that nothing else rests on: no rule names it, and no list shows it."""
    taken = {("", "")}
    for rule in ground.key.invariants:
        taken |= {
            (rule.table, rule.column),
            (rule.effect_table, rule.effect_link),
            (rule.effect_table, rule.effect_column),
        }
    found = [
        (table, column)
        for table in ground.world.layout.resources
        for column in table.columns
        if column.type in types
        and (table.name, column.name) not in taken
        and column.name not in (table.label, table.status)
    ]
    return rng.choice(found) if found else None


def with_sql(write: Callable[[Invariant], str]) -> Way:
    """The way in which the check of a rule reads as `write` has it."""

    def way(ground: Ground, rng: Random) -> Made:
        rule = any_rule(ground, rng)
        return with_rule(ground, rule, sql=write(rule))

    return way


def any_rule(ground: Ground, rng: Random) -> Invariant:
    """One of the world's rules."""
    return rng.choice(ground.key.invariants)


def any_table(ground: Ground, rng: Random) -> Resource:
    """One of the world's tables with tools."""
    return rng.choice([r for r in ground.world.layout.resources if r.tools])


def other_values(table: Resource, column: str, *taken: str) -> list[str]:
    """Values of an enum but those taken."""
    return [value for value in table.column(column).values if value not in taken]
