"""Rows of a database file that may come from anyone. Reading them runs nothing that the file holds."""

import sqlite3
from pathlib import Path
from typing import Any

from planet.records.world import Resource, SeedState, World
from planet.world.database import Guard, quote
from planet.world.untrusted_sql import bound

MOST_ROWS = 1_000_000
"""Of one table."""


def read_rows(path: Path, world: World) -> SeedState:
    """The rows of the world's tables; ValueError or sqlite3.Error when they cannot be had, or not safely."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        bound(connection)
        _refuse_all_but_tables(connection)
        guard = Guard()
        guard.closed = True
        connection.set_authorizer(guard)
        return SeedState(rows={r.name: _rows_of(connection, r) for r in world.layout.resources})
    finally:
        connection.close()


def _refuse_all_but_tables(connection: sqlite3.Connection) -> None:
    """ValueError when reading the database could run something: a view, a trigger, a computed column."""
    objects = "SELECT type, name FROM sqlite_master WHERE type NOT IN ('table', 'index')"
    modules = "SELECT 'virtual table', name FROM sqlite_master WHERE rootpage = 0 AND type = 'table'"
    for kind, name in connection.execute(f"{objects} UNION ALL {modules}"):
        raise ValueError(f"the database holds the {kind} {str(name)[:40]!r}; only tables are read")
    columns = "FROM sqlite_master m, pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND c.hidden <> 0"
    for table, column in connection.execute(f"SELECT m.name, c.name {columns}"):
        raise ValueError(f"column {str(column)[:40]!r} of table {str(table)[:40]!r} is computed")


def _rows_of(connection: sqlite3.Connection, resource: Resource) -> tuple[tuple[Any, ...], ...]:
    names = ", ".join(quote(c.name) for c in resource.columns)
    taken = {c.name.lower() for c in resource.columns}
    order = next((name for name in ("rowid", "oid", "_rowid_") if name not in taken), None)
    if order is None:  # each of SQLite's names for it is that of a column
        raise ValueError(f"table {resource.name} has columns rowid, oid and _rowid_; its rows have no order")
    cursor = connection.execute(f"SELECT {names} FROM {quote(resource.name)} ORDER BY {order}")
    rows = cursor.fetchmany(MOST_ROWS + 1)
    if len(rows) > MOST_ROWS:
        raise ValueError(f"table {resource.name} has more than {MOST_ROWS:,} rows")
    return tuple(rows)
