"""Rows of a world at one moment, and what differs between two moments."""

import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

from planet.records.task import Edit
from planet.records.world import World

Record = dict[str, Any]


class State:
    """Tables with tools by name; rows as tuples by id, in the order of the table's columns."""

    def __init__(self, columns: dict[str, tuple[str, ...]], rows: dict[str, dict[str, tuple]]) -> None:
        self.columns, self.rows = columns, rows

    def record(self, table: str, key: str) -> Record:
        """A row by column; KeyError when there is none."""
        return dict(zip(self.columns[table], self.rows[table][key], strict=True))

    def get(self, table: str, key: str, column: str) -> Any:
        """One cell."""
        return self.rows[table][key][self.columns[table].index(column)]

    def where(self, table: str, **values: Any) -> list[str]:
        """Ids of the rows that have all of these values, in the order of the table."""
        places = [(self.columns[table].index(c), v) for c, v in values.items()]
        return [key for key, row in self.rows[table].items() if all(row[p] == v for p, v in places)]


class Differences(NamedTuple):
    """What happened between two states."""

    created: dict[tuple[str, str], Record]  # (table, id) -> the record at the end
    removed: tuple[tuple[str, str], ...]
    changed: dict[tuple[str, str, str], Any]  # (table, id, column) -> the value at the end

    @property
    def tables(self) -> set[str]:
        """Tables in which anything differs."""
        return {place[0] for place in (*self.created, *self.removed, *self.changed)}


def seed_state(world: World) -> State:
    """The world before any task."""
    columns = {r.name: tuple(c.name for c in r.columns) for r in world.layout.resources}
    return State(columns, {name: {row[0]: row for row in world.seed.rows.get(name, ())} for name in columns})


def edited(state: State, delta: Iterable[Edit]) -> State:
    """The state with a task's edits applied in order."""
    rows = dict(state.rows)
    for edit in delta:
        table = rows[edit.table] = dict(rows[edit.table])
        if edit.op == "delete":
            del table[edit.key]
            continue
        names = state.columns[edit.table]
        empty = dict.fromkeys(names) | {"id": edit.key}
        old = dict(zip(names, table[edit.key], strict=True)) if edit.op == "set" else empty
        table[edit.key] = tuple((old | edit.values)[name] for name in names)
    return State(state.columns, rows)


def read_back(connection: sqlite3.Connection, start: State, tables: Iterable[str]) -> State:
    """The state of a database, of which only `tables` can differ from `start`."""
    rows = dict(start.rows)
    for table in tables:
        rows[table] = {row[0]: row for row in connection.execute(f'SELECT * FROM "{table}"')}
    return State(start.columns, rows)


def differences(start: State, end: State) -> Differences:
    """Every record and cell that is not as it was; 25 is 25.0."""
    created: dict[tuple[str, str], Record] = {}
    removed: list[tuple[str, str]] = []
    changed: dict[tuple[str, str, str], Any] = {}
    for table, after in end.rows.items():
        before = start.rows[table]
        if after is before or after == before:
            continue
        created |= {(table, key): end.record(table, key) for key in after if key not in before}
        removed += [(table, key) for key in before if key not in after]
        for key, row in before.items():
            for column, old, new in zip(end.columns[table], row, after.get(key, row), strict=True):
                if old != new:
                    changed[table, key, column] = new
    return Differences(created, tuple(removed), changed)
