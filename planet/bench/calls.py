"""Every operation of a tool, beside the bare statement that it comes to, on the slice's largest table."""

import sqlite3
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple

from planet.bench.row import Row
from planet.bench.spread import beside, spent, spread
from planet.bench.stage import Stage
from planet.errors import SessionError
from planet.records.world import Resource
from planet.world.database import quote
from planet.world.tools import PAGE

BOUND = 4.0
"""A call should take no longer than so many times its bare statements."""
_EPISODE = 20
"""Calls between two starts, so that log and tables stay as they are in an episode."""


class Operation(NamedTuple):
    """A call of a tool, and the same done bare."""

    what: str
    tool: str
    arguments: dict[str, Any]
    bare: Callable[[], object]


def call_rows(stage: Stage, repeats: int) -> list[Row]:
    """A row per operation; SessionError when one of the benchmark's own calls is refused."""
    return [*(_row(stage, o, repeats) for o in operations(stage)), _refused(stage, repeats)]


def _row(stage: Stage, operation: Operation, repeats: int) -> Row:
    def call() -> None:
        result = stage.session.call(operation.tool, operation.arguments)
        if result.error is not None:
            raise SessionError(f"{operation.tool} {operation.arguments}: {result.error}")

    ours, raw = beside(call, operation.bare, repeats, before=stage.reset, every=_EPISODE)
    return Row(
        what=f"call: {operation.what}",
        ours=ours,
        raw=raw,
        raw_is="its statements" if operation.what == "create" else "its statement",
        bound=BOUND,
    )


def _refused(stage: Stage, repeats: int) -> Row:
    tool = f"search_{largest(stage).name}"
    arguments = {"filters": [{"column": "no_such_column", "op": "=", "value": 1}]}
    times = []
    for number in range(repeats):
        if number % _EPISODE == 0:
            stage.reset()
        times.append(spent(lambda: stage.session.call(tool, arguments))[0])
    return Row(what="call: refused", ours=spread(times), raw=None, raw_is="")


def operations(stage: Stage) -> list[Operation]:
    """All operations that the world's largest offered table affords, then those of documents."""
    resource = largest(stage)
    return [*_reads(stage, resource), *_writes(stage, resource), *_documents(stage)]


def largest(stage: Stage) -> Resource:
    """The table of the slice with the most rows; the first of equals."""
    offered = [stage.world.layout.resource(name) for name in stage.world.slice]
    return max(offered, key=lambda resource: len(stage.world.seed.rows[resource.name]))


def _reads(stage: Stage, resource: Resource) -> Iterator[Operation]:
    rows = stage.world.seed.rows[resource.name]
    table = quote(resource.name)
    shown = f'SELECT "id", {quote(resource.label)}, {quote(resource.status)} FROM {table}'
    page = f'ORDER BY "id" LIMIT {PAGE + 1} OFFSET ?'
    last = max(1, len(rows) // PAGE)
    pages: list[tuple[str, dict[str, Any], int]] = [
        ("list", {}, 0),
        (f"list, page {last}", {"page": last}, (last - 1) * PAGE),
    ]
    for what, arguments, start in pages:
        bare = _bare(stage, f"{shown} {page}", (start,))
        yield Operation(what, f"list_{resource.name}", arguments, bare)
    for column, op, value, condition, bound in _filters(resource, rows):
        filters = {"filters": [{"column": column, "op": op, "value": value}]}
        bare = _bare(stage, f"{shown} WHERE {quote(column)} {condition} {page}", (bound, 0))
        yield Operation(f"search, {op}", f"search_{resource.name}", filters, bare)
    key = rows[len(rows) // 2][0]
    bare = _bare(stage, f'SELECT * FROM {table} WHERE "id" = ?', (key,))
    yield Operation("get", f"get_{resource.name}", {"id": key}, bare)


def _filters(resource: Resource, rows: tuple[tuple, ...]) -> Iterator[tuple[str, str, Any, str, Any]]:
    """(column, operator, value, condition in SQL, its parameter) of one filter per operator that fits."""
    middle = rows[len(rows) // 2]
    places = {column.name: place for place, column in enumerate(resource.columns)}
    status = middle[places[resource.status]]
    yield resource.status, "=", status, "= ?", status
    word = str(middle[places[resource.label]]).split(" ")[0]
    yield resource.label, "contains", word, "LIKE ?", f"%{word}%"
    ordered = [c.name for c in resource.columns if c.type in ("date", "int", "amount")]
    known = next((name for name in ordered if middle[places[name]] is not None), None)
    if known is not None:
        value = middle[places[known]]
        yield known, "<", value, "< ?", value
        yield known, ">", value, "> ?", value


def _writes(stage: Stage, resource: Resource) -> Iterator[Operation]:
    row = stage.world.seed.rows[resource.name][0]
    values = dict(zip((c.name for c in resource.columns), row, strict=True))
    status, table = resource.status, quote(resource.name)
    other = resource.column(status).values[-1]
    bare = _bare(stage, f'UPDATE {table} SET {quote(status)} = ? WHERE "id" = ?', (other, row[0]))
    yield Operation("update", f"update_{resource.name}", {"id": row[0], status: other}, bare)
    if any(column.unique and column.type != "id" for column in resource.columns):
        return  # equal records cannot be created again and again
    given = {
        c.name: bool(values[c.name]) if c.type == "bool" else values[c.name]
        for c in resource.columns
        if c.type != "id" and values[c.name] is not None
    }
    bare = _created(stage.raw, resource, values)
    yield Operation("create", f"update_{resource.name}", given, bare)


def _created(raw: sqlite3.Connection, resource: Resource, values: dict[str, Any]) -> Callable[[], object]:
    """The newest number looked up, and a row inserted."""
    start = len(resource.prefix) + 2
    newest = f'SELECT MAX(CAST(SUBSTR("id", {start}) AS INTEGER)) FROM {quote(resource.name)}'
    insert = f"INSERT INTO {quote(resource.name)} VALUES ({', '.join('?' * len(values))})"
    rest, numbers = tuple(values.values())[1:], count()  # the id stands first

    def bare() -> None:
        raw.execute(newest).fetchone()
        raw.execute(insert, (f"bare-{next(numbers)}", *rest))

    return bare


def _documents(stage: Stage) -> Iterator[Operation]:
    page = stage.world.documents[0]
    query = " ".join(page.title.split()[:3])
    bare = _bare(stage, 'SELECT "id", "title", "body" FROM "documents"', ())
    yield Operation("search_documents", "search_documents", {"query": query}, bare)
    bare = _bare(stage, 'SELECT "id", "title", "body" FROM "documents" WHERE "id" = ?', (page.id,))
    yield Operation("get_document", "get_document", {"id": page.id}, bare)


def _bare(stage: Stage, sql: str, values: tuple) -> Callable[[], object]:
    return lambda: stage.raw.execute(sql, values).fetchall()
