"""The world as an SQLite database: definitions, rows, and the guard under which untrusted SQL runs."""

import sqlite3
from collections.abc import Callable, Iterable

from planet.errors import GraderError
from planet.records.world import Column, Document, Resource, World
from planet.world.untrusted_sql import text_problem

_SQL_TYPE = {
    "id": "TEXT",
    "text": "TEXT",
    "enum": "TEXT",
    "date": "TEXT",
    "ref": "TEXT",
    "int": "INTEGER",
    "bool": "INTEGER",
    "amount": "REAL",
}
_AGGREGATES = {"count", "sum", "min", "max", "avg", "total"}
_SCALARS = {"abs", "coalesce", "ifnull", "lower", "upper", "length", "round"}
_FUNCTIONS = frozenset(_AGGREGATES | _SCALARS)
STEP_LIMIT = 2_000_000
"""Virtual-machine instructions that one hidden check may take; a compact world's takes a few hundred."""
MOST_IDS = 100_000
"""Violating rows that one check may name."""

DOCUMENTS = """CREATE TABLE "documents" (
    "id" TEXT PRIMARY KEY NOT NULL, "title" TEXT NOT NULL, "body" TEXT NOT NULL
) STRICT"""


def quote(name: str) -> str:
    """`name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def create_table(resource: Resource) -> str:
    """The CREATE TABLE statement of a resource."""
    columns = ", ".join(_column(c) for c in resource.columns)
    return f"CREATE TABLE {quote(resource.name)} ({columns}) STRICT"


def _column(column: Column) -> str:
    parts = [quote(column.name), _SQL_TYPE[column.type]]
    if column.type == "id":
        parts.append("PRIMARY KEY NOT NULL")
    elif column.required:
        parts.append("NOT NULL")
    if column.unique and column.type != "id":
        parts.append("UNIQUE")
    if column.values:
        options = ", ".join("'" + v.replace("'", "''") + "'" for v in column.values)
        parts.append(f"CHECK ({quote(column.name)} IN ({options}))")
    if column.type == "bool":
        parts.append(f"CHECK ({quote(column.name)} IN (0, 1))")
    if column.ref:
        parts.append(f'REFERENCES {quote(column.ref)}("id")')
    return " ".join(parts)


def build(world: World, page: int | None = None) -> sqlite3.Connection:
    """An in-memory database with the world's tables, seed rows and documents; foreign keys not yet enforced.

    `page`: bytes of a page of the database; None: SQLite's default.
    Raises sqlite3.Error when the definitions or the rows do not load: the validators turn that into a report.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    if page is not None:
        connection.execute(f"PRAGMA page_size = {page}")
    connection.execute("BEGIN")
    for resource in world.layout.resources:
        connection.execute(create_table(resource))
        insert_rows(connection, resource, world.seed.rows.get(resource.name, ()))
    connection.execute(DOCUMENTS)
    insert_documents(connection, world.documents)
    connection.execute("COMMIT")
    return connection


def insert_rows(connection: sqlite3.Connection, resource: Resource, rows: Iterable[tuple]) -> None:
    """Insert seed rows, values in the order of the resource's columns."""
    marks = ", ".join("?" * len(resource.columns))
    connection.executemany(f"INSERT INTO {quote(resource.name)} VALUES ({marks})", rows)


def insert_documents(connection: sqlite3.Connection, documents: Iterable[Document]) -> None:
    """Insert policy pages."""
    rows = [(d.id, d.title, d.body) for d in documents]
    connection.executemany('INSERT INTO "documents" VALUES (?, ?, ?)', rows)


class Guard:
    """An authorizer that, while `closed`, lets a connection prepare nothing but SELECT over a few functions.

    SQLite asks when a statement is prepared, not when it runs, so statements already cached cost nothing.
    Attaching a file or loading an extension is refused at all times.
    """

    def __init__(self) -> None:
        self.closed = False

    def __call__(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH):
            return sqlite3.SQLITE_DENY
        if not self.closed or action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and not (first or "").lower().startswith("sqlite_"):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY


def violating_ids(connection: sqlite3.Connection, guard: Guard, sql: str) -> list[str]:
    """Ids of the rows that violate a hidden check, under the guard and the step limit.

    Raises GraderError when the SQL writes, reads what it may not, does not parse, or takes too long or too
    much: it may never have been validated.
    """
    problem = text_problem(sql)
    if problem:
        raise GraderError(f"hidden check {problem}: {sql[:200]!r}")
    stop = _step_counter(STEP_LIMIT)
    guard.closed = True
    connection.set_progress_handler(stop, 10_000)
    try:
        found = [str(row[0]) for row in connection.execute(sql).fetchmany(MOST_IDS + 1)]
    except (
        sqlite3.Error,
        UnicodeEncodeError,
        ValueError,
        MemoryError,
    ) as error:  # memory: a limit of SQLite's
        raise GraderError(
            f"hidden check could not run: {error or 'too large'}; sql: {sql[:200]!r}"
        ) from error
    finally:
        connection.set_progress_handler(None, 0)
        guard.closed = False
    if len(found) > MOST_IDS:
        raise GraderError(f"hidden check names more than {MOST_IDS:,} rows; sql: {sql[:200]!r}")
    return found


def _step_counter(limit: int) -> Callable[[], int]:
    seen = 0

    def stop() -> int:
        nonlocal seen
        seen += 10_000
        return int(seen > limit)

    return stop
