"""The execution of tools.

Every tool is compiled once per world into a closure over precomputed SQL, because a call must cost little
more than its statement. A bad argument gives a readable error; nothing here raises because of what an agent
sent.
"""

import re
import sqlite3
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

from planet.records.episode import ToolResult
from planet.records.world import Column, Resource, World
from planet.world.arguments import LONGEST_TEXT, Reader, reader_of, shown
from planet.world.database import quote
from planet.world.specs import OPERATORS, column_schema, tool_specs

__all__ = ["PAGE", "Tool", "Write", "column_schema", "compile_tools", "default_of", "failure", "tool_specs"]

PAGE = 5
"""Rows on a page of search and list."""

_STATEMENTS = 1_024
"""Of one tool that are kept: an agent may ask for any combination of columns, and each is another one."""
_WORD = re.compile(r"[a-z0-9]+")
_LIKE_SIGN = re.compile(r"[%_!]")


class Write(NamedTuple):
    """One row written by a tool call; the write log of an episode is a list of these."""

    table: str
    key: str
    columns: tuple[str, ...]
    created: bool


Tool = Callable[[sqlite3.Connection, dict[str, Any], list[Write]], ToolResult]


def failure(message: str) -> ToolResult:
    """A tool result that carries an error for the agent to read."""
    return ToolResult(None, message)


def compile_tools(world: World) -> dict[str, Tool]:
    """Tool name -> executable, for every tool of the world (not only those of the slice)."""
    tools: dict[str, Tool] = {"search_documents": _search_documents, "get_document": _get_document}
    for resource in world.layout.resources:
        if resource.tools:
            tools[f"search_{resource.name}"] = _compile_search(resource)
            tools[f"list_{resource.name}"] = _compile_list(resource)
            tools[f"get_{resource.name}"] = _compile_get(resource)
            tools[f"update_{resource.name}"] = _compile_update(resource)
    return tools


def _page_of(arguments: dict[str, Any]) -> int | None:
    page = arguments.get("page", 1)
    valid = isinstance(page, int) and not isinstance(page, bool) and 1 <= page <= 1_000_000
    return page if valid else None


def _page_error(arguments: dict[str, Any]) -> ToolResult:
    return failure(f"page must be a whole number from 1, not {shown(arguments.get('page'))}")


def _listing(rows: list[tuple], page: int) -> ToolResult:
    shown = [{"id": r[0], "label": r[1], "status": r[2]} for r in rows[:PAGE]]
    return ToolResult({"rows": shown, "page": page, "more": len(rows) > PAGE}, None)


def _select(resource: Resource) -> str:
    return f'SELECT "id", {quote(resource.label)}, {quote(resource.status)} FROM {quote(resource.name)}'


def _compile_list(resource: Resource) -> Tool:
    sql = f'{_select(resource)} ORDER BY "id" LIMIT {PAGE + 1} OFFSET ?'

    def run(connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]) -> ToolResult:
        page = _page_of(arguments)
        if page is None:
            return _page_error(arguments)
        if not arguments.keys() <= {"page"}:
            return _unknown_argument(arguments, ("page",))
        return _listing(connection.execute(sql, ((page - 1) * PAGE,)).fetchall(), page)

    return run


def _compile_search(resource: Resource) -> Tool:
    readers = {c.name: reader_of(c) for c in resource.columns}
    select = _select(resource)

    @lru_cache(maxsize=_STATEMENTS)
    def statement(shape: tuple[tuple[str, str], ...]) -> str:
        where = " AND ".join(f"{quote(c)} {OPERATORS[op]}" for c, op in shape)
        return f'{select} WHERE {where} ORDER BY "id" LIMIT {PAGE + 1} OFFSET ?'

    def run(connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]) -> ToolResult:
        page = _page_of(arguments)
        if page is None:
            return _page_error(arguments)
        filters = arguments.get("filters")
        if not isinstance(filters, list) or not 1 <= len(filters) <= 8:
            return failure("filters must be a list of one to eight conditions {column, op, value}")
        if not arguments.keys() <= {"filters", "page"}:
            return _unknown_argument(arguments, ("filters", "page"))
        shape: list[tuple[str, str]] = []
        values: list[Any] = []
        for item in filters:
            problem = _condition(item, readers, shape, values)
            if problem:
                return failure(problem)
        values.append((page - 1) * PAGE)
        return _listing(connection.execute(statement(tuple(shape)), values).fetchall(), page)

    return run


def _condition(
    item: Any, readers: dict[str, Reader], shape: list[tuple[str, str]], values: list[Any]
) -> str | None:
    """Append one filter to `shape` and `values`; the problem in words when it cannot be read."""
    if not isinstance(item, dict) or item.keys() != {"column", "op", "value"}:
        return f"a filter needs column, op and value, not {shown(item)}"
    column, op, value = item["column"], item["op"], item["value"]
    reader = readers.get(column) if isinstance(column, str) else None
    if reader is None:
        return f"unknown column {shown(column)}; columns are {', '.join(readers)}"
    if not isinstance(op, str) or op not in OPERATORS:
        return f"unknown op {shown(op)}; use one of {', '.join(OPERATORS)}"
    if op == "contains":
        if not _is_text(value):
            return f"contains needs printable text, not {shown(value)}"
        values.append(f"%{_LIKE_SIGN.sub(_escaped, value)}%")
    else:
        read, problem = reader(value)
        if problem:
            return f"{column}: {problem}"
        values.append(read)
    shape.append((column, op))
    return None


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= LONGEST_TEXT and value.isprintable()


def _escaped(sign: re.Match[str]) -> str:
    return f"!{sign[0]}"


def _compile_get(resource: Resource) -> Tool:
    names = tuple(c.name for c in resource.columns)
    truths = tuple(c.name for c in resource.columns if c.type == "bool")
    sql = f'SELECT {", ".join(map(quote, names))} FROM {quote(resource.name)} WHERE "id" = ?'

    def run(connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]) -> ToolResult:
        key = arguments.get("id")
        if not isinstance(key, str):
            return failure(f"id must be text, not {shown(key)}")
        if len(arguments) > 1:
            return _unknown_argument(arguments, ("id",))
        row = connection.execute(sql, (key,)).fetchone()
        if row is None:
            return failure(f"no {resource.name} has id {shown(key)}")
        record = dict(zip(names, row, strict=True))
        for name in truths:  # SQLite keeps 0 and 1, but `update_` wants true and false back
            record[name] = None if record[name] is None else bool(record[name])
        return ToolResult(record, None)

    return run


def _compile_update(resource: Resource) -> Tool:
    readers = {c.name: reader_of(c) for c in resource.columns}
    required = frozenset(c.name for c in resource.columns if c.required)
    table = quote(resource.name)
    create = _compile_create(resource)

    @lru_cache(maxsize=_STATEMENTS)
    def statement(columns: tuple[str, ...]) -> str:
        sets = ", ".join(f"{quote(c)} = ?" for c in columns)
        return f'UPDATE {table} SET {sets} WHERE "id" = ?'

    def run(connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]) -> ToolResult:
        values: dict[str, Any] = {}
        for name, value in arguments.items():
            reader = readers.get(name)
            if reader is None:
                return failure(f"unknown column {shown(name)}; columns are {', '.join(readers)}")
            if value is None and name not in required and name != "id":
                values[name] = None
                continue
            values[name], problem = reader(value)
            if problem:
                return failure(f"{name}: {problem}")
        key = values.pop("id", None)
        try:
            if key is None:
                return create(connection, values, log)
            if not values:
                return failure("nothing to change: give at least one column beside id")
            columns = tuple(values)
            if connection.execute(statement(columns), (*values.values(), key)).rowcount == 0:
                return failure(f"no {resource.name} has id {shown(key)}; leave id out to create a record")
        except sqlite3.IntegrityError as error:
            return failure(_integrity(connection, resource, values, str(error)))
        log.append(Write(resource.name, key, columns, False))
        return ToolResult({"id": key, "created": False}, None)

    return run


def _compile_create(resource: Resource) -> Tool:
    table, width = quote(resource.name), len(resource.prefix) + 1
    names = tuple(c.name for c in resource.columns)
    insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})"
    newest = f'SELECT MAX(CAST(SUBSTR("id", {width + 1}) AS INTEGER)) FROM {table}'

    def run(connection: sqlite3.Connection, values: dict[str, Any], log: list[Write]) -> ToolResult:
        if not values:
            return failure("give id to change a record, or columns to create one")
        key = f"{resource.prefix}-{(connection.execute(newest).fetchone()[0] or 0) + 1:04d}"
        row = {c.name: default_of(c, resource, key) for c in resource.columns} | values
        row["id"] = key
        missing = [c.name for c in resource.columns if c.required and row[c.name] is None]
        if missing:
            return failure(f"a new {resource.name} needs {', '.join(missing)}")
        connection.execute(insert, tuple(row[n] for n in names))
        log.append(Write(resource.name, key, tuple(values), True))
        return ToolResult({"id": key, "created": True}, None)

    return run


def default_of(column: Column, resource: Resource, key: str) -> Any:
    """The value of `column` in a new record that does not give one."""
    if column.default is not None:
        return column.default
    if column.name == resource.label:
        return f"New {resource.name.replace('_', ' ')} {key}"
    if column.name == resource.status:
        return column.values[0]
    return None


def _integrity(connection: sqlite3.Connection, resource: Resource, values: dict[str, Any], error: str) -> str:
    for column in resource.columns:
        value = values.get(column.name)
        if column.ref and value is not None:
            sql = f'SELECT 1 FROM {quote(column.ref)} WHERE "id" = ?'
            if connection.execute(sql, (value,)).fetchone() is None:
                return f"{column.name}: no {column.ref} has id {shown(value)}"
    return f"the {resource.name} cannot be stored: {error}"


def _search_documents(
    connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]
) -> ToolResult:
    query, page = arguments.get("query", ""), _page_of(arguments)
    if page is None:
        return _page_error(arguments)
    if not _is_text(query) or not query.strip(" "):
        return failure(f"query must be words in at most {LONGEST_TEXT} characters, not {shown(query)}")
    if not arguments.keys() <= {"query", "page"}:
        return _unknown_argument(arguments, ("query", "page"))
    words = set(_WORD.findall(query.lower()))
    scored = []
    for key, title, body in connection.execute('SELECT "id", "title", "body" FROM "documents"'):
        hits = len(words & _words_of(title, body))
        if hits:
            scored.append((-hits, key, title))
    found = sorted(scored)[(page - 1) * PAGE :]
    rows = [{"id": key, "title": title} for _, key, title in found[:PAGE]]
    return ToolResult({"rows": rows, "page": page, "more": len(found) > PAGE}, None)


@lru_cache(maxsize=4_096)  # the pages of a world are read again and again
def _words_of(title: str, body: str) -> frozenset[str]:
    return frozenset(_WORD.findall(f"{title} {body}".lower()))


def _get_document(connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]) -> ToolResult:
    key = arguments.get("id")
    if not isinstance(key, str):
        return failure(f"id must be text, not {shown(key)}")
    if len(arguments) > 1:
        return _unknown_argument(arguments, ("id",))
    row = connection.execute(
        'SELECT "id", "title", "body" FROM "documents" WHERE "id" = ?', (key,)
    ).fetchone()
    if row is None:
        return failure(f"no document has id {shown(key)}")
    return ToolResult({"id": row[0], "title": row[1], "body": row[2]}, None)


def _unknown_argument(arguments: dict[str, Any], known: tuple[str, ...]) -> ToolResult:
    unknown = next(name for name in arguments if name not in known)
    return failure(f"unknown argument {shown(unknown)}; arguments are {', '.join(known)}")
