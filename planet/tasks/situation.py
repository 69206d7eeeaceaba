"""A world as the families see it: rows by name, columns that may be set, references inside the slice."""

from collections.abc import Iterator
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from planet.records.frozen import Scalar
from planet.records.world import Column, Difficulty, Invariant, Resource, World, WorldKey

Row = dict[str, Any]
_DRAWS = 1_000
"""Draws of a value before what is left is looked through: one in a thousand that is free is found so."""


class Reference(NamedTuple):
    """`child.column` points to `parent`."""

    child: Resource
    column: str
    parent: Resource


class Situation:
    """A world, its key, the difficulty asked for, and the stream from which one task is drawn."""

    def __init__(
        self,
        world: World,
        key: WorldKey,
        rng: Random,
        difficulty: Difficulty,
        rows: dict[str, list[Row]] | None = None,
    ) -> None:
        """`rows`: what other situations of the world have read of it, and this one adds to."""
        self.world, self.key, self.rng, self.difficulty = world, key, rng, difficulty
        self._rows = {} if rows is None else rows

    @cached_property
    def offered(self) -> tuple[Resource, ...]:
        """Resources whose tools the agent has."""
        return tuple(self.world.layout.resource(name) for name in self.world.slice)

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """References between two resources of the slice."""
        return tuple(
            Reference(child, column.name, parent)
            for child in self.offered
            for column in child.columns
            for parent in self.offered
            if column.ref == parent.name and parent is not child
        )

    @cached_property
    def rules(self) -> tuple[Invariant, ...]:
        """Rules whose two tables are both in the slice, so that the agent can obey them."""
        return tuple(i for i in self.key.invariants if {i.table, i.effect_table} <= set(self.world.slice))

    def rows(self, resource: Resource) -> list[Row]:
        """The seed rows of a resource by column name."""
        if resource.name not in self._rows:
            names = [c.name for c in resource.columns]
            rows = self.world.seed.rows[resource.name]
            self._rows[resource.name] = [dict(zip(names, row, strict=True)) for row in rows]
        return self._rows[resource.name]

    def settable(self, resource: Resource) -> list[Column]:
        """Columns that a task may set."""
        return [c for c in resource.columns if c.type in ("enum", "date", "amount", "int")]

    def columns_to_set(self, resource: Resource) -> tuple[Column, ...] | None:
        """Two columns, the first an enum; where one is asked for, that one alone; None: there are no such."""
        columns = self.settable(resource)
        enums = [c for c in columns if c.type == "enum"]
        if not enums or len(columns) < 2:
            return None
        first = self.rng.choice(enums)
        if self.difficulty.columns == 1:
            return (first,)
        return first, self.rng.choice([c for c in columns if c is not first])

    def other_value(self, resource: Resource, column: Column, *taken: Scalar) -> Scalar | None:
        """A value of the column that is none of `taken` and triggers no rule; None when there is none."""
        if column.type == "enum":
            barred = {*taken, *self.triggers(resource, column.name)}
            left = [v for v in column.values if v not in barred]
            return self.rng.choice(left) if left else None
        for _ in range(_DRAWS):
            value = _drawn(column, self.rng)
            if value not in taken:
                return value
        held = set(taken)  # nearly all of the range: as many values as are held, and one, hold a free one
        return next((value for value in _range_of(column) if value not in held), None)

    def new_values(
        self, resource: Resource, columns: tuple[Column, ...], rows: list[Row]
    ) -> tuple[Scalar, ...] | None:
        """A value for each column that none of `rows` holds; None when there is none."""
        values = tuple(self.other_value(resource, c, *(r[c.name] for r in rows)) for c in columns)
        return None if None in values else values

    def triggers(self, resource: Resource, column: str) -> set[str]:
        """Values of the column that trigger a rule."""
        return {i.value for i in self.key.invariants if (i.table, i.column) == (resource.name, column)}

    def untriggered(self, resource: Resource) -> list[Row]:
        """Rows that trigger no rule, so that changing what refers to them breaks none."""
        triggers = [(i.column, i.value) for i in self.key.invariants if i.table == resource.name]
        return [row for row in self.rows(resource) if all(row[c] != v for c, v in triggers)]

    def free(self, resource: Resource) -> list[Row]:
        """Rows that no triggered rule binds, so that any of their columns may be set."""
        rows = self.rows(resource)
        for rule in self.key.invariants:
            if rule.effect_table == resource.name:
                parents = {r["id"] for r in self.untriggered(self.world.layout.resource(rule.table))}
                rows = [r for r in rows if r[rule.effect_link] is None or r[rule.effect_link] in parents]
        return rows

    def untied(self, resource: Resource, column: str, parent: Resource) -> list[Row]:
        """Free rows whose reference may be pointed elsewhere without breaking a rule."""
        parents = {row["id"] for row in self.untriggered(parent)}
        return [row for row in self.free(resource) if row[column] is None or row[column] in parents]


def _drawn(column: Column, rng: Random) -> Scalar:
    """A date, or a number within the bounds of its column."""
    if column.type == "date":
        return f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    value = rng.randint(*_bounds(column))
    return value if column.type == "int" else float(value)


def _range_of(column: Column) -> Iterator[Scalar]:
    """All that `_drawn` may give, in order."""
    if column.type == "date":
        return (f"2026-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 29))
    low, high = _bounds(column)
    return (value if column.type == "int" else float(value) for value in range(low, high + 1))


def _bounds(column: Column) -> tuple[int, int]:
    """Ten values at least."""
    return int(column.low), max(int(column.high), int(column.low) + 9)


def said(value: Scalar) -> str:
    """A value as an instruction says it: enum words apart, numbers plain."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).replace("_", " ") if isinstance(value, str) else str(value)


def quoted(text: str) -> str:
    """Free text in double quotes, so that its extent is plain."""
    return f'"{text}"'


def noun(name: str) -> str:
    """A table or column as words; a reference without its `_id`."""
    return name.removesuffix("_id").replace("_", " ")


def column_fields(columns: tuple[Column, ...], values: tuple[Scalar, ...]) -> dict[str, str]:
    """Phrasing fields of the columns to set: c1 and v1, and c2 and v2 where there are two."""
    fields: dict[str, str] = {}
    for number, (column, value) in enumerate(zip(columns, values, strict=True), start=1):
        fields |= {f"c{number}": noun(column.name), f"v{number}": said(value)}
    return fields
