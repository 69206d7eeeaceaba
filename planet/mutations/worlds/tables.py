"""V03: tables whose form SQLite, the tools or the tasks cannot use."""

from collections.abc import Callable
from random import Random
from typing import Any

from planet.construction.ground import Ground
from planet.mutations.worlds.change import (
    Made,
    Way,
    any_table,
    spare,
    with_changed_column,
    with_new_column,
    with_table,
)
from planet.mutations.worlds.proposed import A_PROPOSAL, proposed
from planet.records.world import Column, Resource


def _table(change: Callable[[Resource, Random], Resource]) -> Way:
    def way(ground: Ground, rng: Random) -> Made:
        table = any_table(ground, rng)
        return with_table(ground, table.name, change(table, rng))

    return way


def _column(*types: str, **changes: Any) -> Way:
    """A column of one of the types, which nothing rests on, changed."""

    def way(ground: Ground, rng: Random) -> Made | None:
        found = spare(ground, rng, *types)
        return with_changed_column(ground, *found, **changes) if found else None

    return way


def id_second(table: Resource, rng: Random) -> Resource:
    """The id behind the column that follows it."""
    first, second, *rest = table.columns
    return table.replace(columns=(second, first, *rest))  # type: ignore[no-any-return]


def wrong_label(table: Resource, rng: Random) -> Resource:
    """A label that is no text, or no column."""
    names = [c.name for c in table.columns if c.type != "text"]
    return table.replace(label=rng.choice([*names, "nickname_of_it"]))  # type: ignore[no-any-return]


def wrong_status(table: Resource, rng: Random) -> Resource:
    """A status that is no enum, or no column."""
    names = [c.name for c in table.columns if c.type != "enum"]
    return table.replace(status=rng.choice([*names, "phase_of_it"]))  # type: ignore[no-any-return]


def column_twice(ground: Ground, rng: Random) -> Made:
    """A second column of one name, case aside."""
    table = any_table(ground, rng)
    column = rng.choice(table.columns[1:])
    again = Column(name=column.name.upper(), type="int")
    return with_new_column(ground, table, again, [None] * len(ground.world.seed.rows[table.name]))


def prefix_twice(ground: Ground, rng: Random) -> Made:
    """Two tables with one prefix of ids."""
    table = any_table(ground, rng)
    other = rng.choice([r for r in ground.world.layout.resources if r is not table])
    return with_table(ground, table.name, table.replace(prefix=other.prefix))


def one_value(ground: Ground, rng: Random) -> Made | None:
    """An enum of which one value is left, or one stands twice."""
    found = spare(ground, rng, "enum")
    if not found:
        return None
    first = found[1].values[0]
    return with_changed_column(ground, *found, values=rng.choice([(first,), (first, first)]))


def crowded(table: Resource, rng: Random) -> Resource:
    """More columns than SQLite takes."""
    more = tuple(Column(name=f"extra_{number}", type="int") for number in range(2_000))
    return table.replace(columns=(*table.columns, *more))  # type: ignore[no-any-return]


TABLES: dict[str, Way] = {
    A_PROPOSAL: proposed("V03"),
    "a prefix of small letters": _table(lambda table, rng: table.replace(prefix=table.prefix.lower())),
    "two tables of one prefix": prefix_twice,
    "the id not first": _table(id_second),
    "a label that is no text": _table(wrong_label),
    "a status that is no enum": _table(wrong_status),
    "no description": _table(lambda table, rng: table.replace(description="")),
    "more columns than SQLite takes": _table(crowded),
    "a column twice, case aside": column_twice,
    "a second id": _column("int", "date", "amount", type="id"),
    "a quote in a column's name": _column("int", "date", "amount", name='h"; drop'),
    "an enum of one value": one_value,
    "an enum value of two words": _column("enum", values=("fine", "not bad")),
    "a default outside the enum": _column("enum", default="terrible"),
    "a default of another type": _column("int", "date", "amount", default="three"),
    "a range upside down": _column("int", "amount", low=9.0, high=1.0),
    "a range without end": _column("int", "amount", high=float("inf")),
}
