"""The tools of a world: their specifications for an agent, and their execution.

Every tool is compiled once per world into a closure over precomputed SQL, because a call must cost little
more than its statement. A bad argument gives a readable error; nothing here raises because of what an agent
sent.
"""

import re
import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple

from planet.records.episode import ToolResult
from planet.records.view import ToolSpec
from planet.records.world import Column, Resource, World
from planet.world.database import quote

PAGE = 5
"""Rows on a page of search and list."""

_OPERATORS = {"=": "=", "<": "<", ">": ">", "contains": "LIKE"}
_JSON_TYPE = {"int": "integer", "amount": "number", "bool": "boolean"}
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\Z")
_WORD = re.compile(r"[a-z0-9]+")
_LONGEST_TEXT = 2_000


class Write(NamedTuple):
    """One row written by a tool call; the write log of an episode is a list of these."""

    table: str
    key: str
    columns: tuple[str, ...]
    created: bool


Tool = Callable[[sqlite3.Connection, dict[str, Any], list[Write]], ToolResult]


# ── specifications ────────────────────────────────────────────────────────────────────────────────


def tool_specs(resources: tuple[Resource, ...]) -> tuple[ToolSpec, ...]:
    """The four tools of every resource that has tools, then the two shared document tools."""
    specs = [spec for r in resources if r.tools for spec in _resource_specs(r)]
    query = {
        "type": "object",
        "properties": {"query": {"type": "string"}, "page": _PAGE_SCHEMA},
        "required": ["query"],
    }
    specs.append(_spec("search_documents", "search_documents", None, "Find policy pages by words.", query))
    specs.append(_spec("get_document", "get_document", None, "Read one policy page.", _ID_ONLY))
    return tuple(specs)


_PAGE_SCHEMA = {"type": "integer", "minimum": 1}
_ID_ONLY = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


def _spec(name: str, operation: Any, owner: Resource | None, description: str, parameters: dict) -> ToolSpec:
    return ToolSpec(
        name=name,
        operation=operation,
        resource=owner.name if owner else None,
        service=owner.service if owner else None,
        description=description,
        parameters={**parameters, "additionalProperties": False},
    )


def _resource_specs(resource: Resource) -> list[ToolSpec]:
    name, noun = resource.name, resource.name.replace("_", " ")
    fields = {c.name: column_schema(c) for c in resource.columns}
    condition = {
        "type": "object",
        "properties": {
            "column": {"type": "string", "enum": list(fields)},
            "op": {"type": "string", "enum": list(_OPERATORS)},
            "value": {},
        },
        "required": ["column", "op", "value"],
    }
    search = {"filters": {"type": "array", "items": condition}, "page": _PAGE_SCHEMA}
    return [
        _spec(
            f"search_{name}",
            "search",
            resource,
            f"Find {noun} records by filters.",
            _object(search, ["filters"]),
        ),
        _spec(f"list_{name}", "list", resource, f"List {noun} records.", _object({"page": _PAGE_SCHEMA}, [])),
        _spec(f"get_{name}", "get", resource, f"Read all columns of one {noun}.", _ID_ONLY),
        _spec(
            f"update_{name}",
            "update",
            resource,
            f"Change a {noun}; without id, create one.",
            _object(fields, []),
        ),
    ]


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


def column_schema(column: Column) -> dict[str, Any]:
    """The JSON Schema of one column's values."""
    schema: dict[str, Any] = {"type": _JSON_TYPE.get(column.type, "string")}
    if column.values:
        schema["enum"] = list(column.values)
    if column.type == "date":
        schema["format"] = "date"
    return schema


# ── execution ─────────────────────────────────────────────────────────────────────────────────────


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
    return failure(f"page must be a whole number from 1, not {_shown(arguments.get('page'))}")


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
    readers = {c.name: _reader(c) for c in resource.columns}
    select = _select(resource)
    known: dict[tuple[tuple[str, str], ...], str] = {}

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
        key = tuple(shape)
        sql = known.get(key)
        if sql is None:
            where = " AND ".join(f"{quote(c)} {_OPERATORS[op]} ?" for c, op in key)
            sql = known[key] = f'{select} WHERE {where} ORDER BY "id" LIMIT {PAGE + 1} OFFSET ?'
        values.append((page - 1) * PAGE)
        return _listing(connection.execute(sql, values).fetchall(), page)

    return run


def _condition(
    item: Any, readers: dict[str, "Reader"], shape: list[tuple[str, str]], values: list[Any]
) -> str | None:
    """Append one filter to `shape` and `values`; the problem in words when it cannot be read."""
    if not isinstance(item, dict) or item.keys() != {"column", "op", "value"}:
        return f"a filter needs column, op and value, not {_shown(item)}"
    column, op, value = item["column"], item["op"], item["value"]
    reader = readers.get(column) if isinstance(column, str) else None
    if reader is None:
        return f"unknown column {_shown(column)}; columns are {', '.join(readers)}"
    if not isinstance(op, str) or op not in _OPERATORS:
        return f"unknown op {_shown(op)}; use one of {', '.join(_OPERATORS)}"
    if op == "contains":
        if not isinstance(value, str):
            return f"contains needs text, not {_shown(value)}"
        values.append("%" + value[:_LONGEST_TEXT].replace("%", "").replace("_", "") + "%")
    else:
        read, problem = reader(value)
        if problem:
            return f"{column}: {problem}"
        values.append(read)
    shape.append((column, op))
    return None


def _compile_get(resource: Resource) -> Tool:
    names = tuple(c.name for c in resource.columns)
    sql = f'SELECT {", ".join(map(quote, names))} FROM {quote(resource.name)} WHERE "id" = ?'

    def run(connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]) -> ToolResult:
        key = arguments.get("id")
        if not isinstance(key, str):
            return failure(f"id must be text, not {_shown(key)}")
        if len(arguments) > 1:
            return _unknown_argument(arguments, ("id",))
        row = connection.execute(sql, (key,)).fetchone()
        if row is None:
            return failure(f"no {resource.name} has id {_shown(key)}")
        return ToolResult(dict(zip(names, row, strict=True)), None)

    return run


def _compile_update(resource: Resource) -> Tool:
    readers = {c.name: _reader(c) for c in resource.columns}
    required = frozenset(c.name for c in resource.columns if c.required)
    table = quote(resource.name)
    known: dict[tuple[str, ...], str] = {}
    create = _compile_create(resource)

    def run(connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]) -> ToolResult:
        values: dict[str, Any] = {}
        for name, value in arguments.items():
            reader = readers.get(name)
            if reader is None:
                return failure(f"unknown column {_shown(name)}; columns are {', '.join(readers)}")
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
            sql = known.get(columns)
            if sql is None:
                sets = ", ".join(f"{quote(c)} = ?" for c in columns)
                sql = known[columns] = f'UPDATE {table} SET {sets} WHERE "id" = ?'
            if connection.execute(sql, (*values.values(), key)).rowcount == 0:
                return failure(f"no {resource.name} has id {_shown(key)}; leave id out to create a record")
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
                return f"{column.name}: no {column.ref} has id {_shown(value)}"
    return f"the {resource.name} cannot be stored: {error}"


def _search_documents(
    connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]
) -> ToolResult:
    query, page = arguments.get("query"), _page_of(arguments)
    if page is None:
        return _page_error(arguments)
    if not isinstance(query, str) or not query.strip():
        return failure(f"query must be words, not {_shown(query)}")
    if not arguments.keys() <= {"query", "page"}:
        return _unknown_argument(arguments, ("query", "page"))
    words = set(_WORD.findall(query[:_LONGEST_TEXT].lower()))
    scored = []
    for key, title, body in connection.execute('SELECT "id", "title", "body" FROM "documents"'):
        hits = len(words & set(_WORD.findall(f"{title} {body}".lower())))
        if hits:
            scored.append((-hits, key, title))
    found = sorted(scored)[(page - 1) * PAGE :]
    rows = [{"id": key, "title": title} for _, key, title in found[:PAGE]]
    return ToolResult({"rows": rows, "page": page, "more": len(found) > PAGE}, None)


def _get_document(connection: sqlite3.Connection, arguments: dict[str, Any], log: list[Write]) -> ToolResult:
    key = arguments.get("id")
    if not isinstance(key, str):
        return failure(f"id must be text, not {_shown(key)}")
    if len(arguments) > 1:
        return _unknown_argument(arguments, ("id",))
    row = connection.execute(
        'SELECT "id", "title", "body" FROM "documents" WHERE "id" = ?', (key,)
    ).fetchone()
    if row is None:
        return failure(f"no document has id {_shown(key)}")
    return ToolResult({"id": row[0], "title": row[1], "body": row[2]}, None)


def _unknown_argument(arguments: dict[str, Any], known: tuple[str, ...]) -> ToolResult:
    unknown = next(name for name in arguments if name not in known)
    return failure(f"unknown argument {_shown(unknown)}; arguments are {', '.join(known)}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


# ── readers of argument values ────────────────────────────────────────────────────────────────────

Reader = Callable[[Any], tuple[Any, str | None]]
"""A value as an agent sent it -> (value to store, None) or (None, what is wrong)."""


def _reader(column: Column) -> Reader:
    if column.type == "enum":
        return _enum_reader(frozenset(column.values), ", ".join(column.values))
    return {"int": _read_int, "amount": _read_amount, "bool": _read_bool, "date": _read_date}.get(
        column.type, _read_text
    )


def _enum_reader(values: frozenset[str], listed: str) -> Reader:
    def read(value: Any) -> tuple[Any, str | None]:
        if isinstance(value, str) and value in values:
            return value, None
        return None, f"must be one of {listed}, not {_shown(value)}"

    return read


def _read_text(value: Any) -> tuple[Any, str | None]:
    if isinstance(value, str) and len(value) <= _LONGEST_TEXT and value.isprintable():
        return value, None
    return None, f"must be printable text of at most {_LONGEST_TEXT} characters, not {_shown(value)}"


def _read_int(value: Any) -> tuple[Any, str | None]:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if whole and not isinstance(value, bool) and abs(value) < 2**53:
        return int(value), None
    return None, f"must be a whole number, not {_shown(value)}"


def _read_amount(value: Any) -> tuple[Any, str | None]:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:
        return float(value), None
    return None, f"must be a number, not {_shown(value)}"


def _read_bool(value: Any) -> tuple[Any, str | None]:
    return (
        (int(value), None)
        if isinstance(value, bool)
        else (None, f"must be true or false, not {_shown(value)}")
    )


def _read_date(value: Any) -> tuple[Any, str | None]:
    if isinstance(value, str) and _DATE.match(value):
        return value, None
    return None, f"must be a date like 2026-03-14, not {_shown(value)}"
