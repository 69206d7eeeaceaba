"""V12: every tool answers, updates persist and stay inside the episode, reset and reload give equal state.

The world runs as a session runs it (a private copy, foreign keys enforced, a savepoint around the episode),
with every tool of the world offered instead of one task's.
"""

import sqlite3
from typing import Any

from planet.author.artifacts import Link
from planet.records.episode import ToolResult
from planet.records.world import Column, Resource
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import shown
from planet.world.database import build, quote

State = dict[str, list[tuple]]
"""Rows by table, in the order of their ids."""


def world_runs(subject: Subject) -> list[Violation]:
    """V12."""
    if subject.key.world_id != subject.world.id:
        seen, due = shown(subject.key.world_id), subject.world.id
        message = f"the key is for world {seen}, not {due}; load both from one folder"
        return [_fault("rules", "key", message)]
    image = build(subject.world)
    start = _state(image, subject)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(image.serialize())
    image.close()
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("SAVEPOINT episode")
    found = _pages(connection, subject)
    for resource in subject.world.layout.resources:
        if resource.tools:
            found += _Probe(connection, subject, resource).run()
    connection.execute("ROLLBACK TO episode")
    if _state(connection, subject) != start:
        found.append(_fault("seed", "reset", "a rollback and a fresh load do not give the same rows"))
    connection.close()
    return found


def _state(connection: sqlite3.Connection, subject: Subject) -> State:
    names = [*subject.resources, "documents"]
    return {
        name: connection.execute(f'SELECT * FROM {quote(name)} ORDER BY "id"').fetchall() for name in names
    }


def _pages(connection: sqlite3.Connection, subject: Subject) -> list[Violation]:
    search, read = subject.tools["search_documents"], subject.tools["get_document"]
    results = {"search_documents": search(connection, {"query": "policy"}, [])}
    if subject.world.documents:
        results["get_document"] = read(connection, {"id": subject.world.documents[0].id}, [])
    return [
        _fault("rules", tool, f"tool {tool} does not answer: {result.error}")
        for tool, result in results.items()
        if not result.ok
    ]


class _Probe:
    """The four tools of one resource, tried on its first row and on a new one."""

    def __init__(self, connection: sqlite3.Connection, subject: Subject, resource: Resource) -> None:
        self.connection, self.subject, self.resource = connection, subject, resource
        rows = subject.world.seed.rows[resource.name]
        self.first = dict(zip((c.name for c in resource.columns), rows[0], strict=True))
        self.found: list[Violation] = []

    def run(self) -> list[Violation]:
        name, key = self.resource.name, self.first["id"]
        status = self.resource.status
        self._call(f"list_{name}", {})
        shown_rows = self._call(f"search_{name}", {"filters": [{"column": "id", "op": "=", "value": key}]})
        if shown_rows and [row["id"] for row in shown_rows["rows"]] != [key]:
            self._report(f"search_{name}", f"does not find {key} by its id")
        self._persists(key, {status: _another(self.resource.column(status), self.first[status])})
        values = self._new_record()
        if values is not None:
            made = self._call(f"update_{name}", values)
            if made:
                self._reads(made["id"], values)
        return self.found

    def _persists(self, key: str, change: dict[str, Any]) -> None:
        self._reads(key, self.first)
        if self._call(f"update_{self.resource.name}", {"id": key, **change}):
            self._reads(key, self.first | change)

    def _reads(self, key: str, wanted: dict[str, Any]) -> None:
        row = self._call(f"get_{self.resource.name}", {"id": key})
        for column, value in wanted.items():
            if row and row[column] != value:
                self._report(
                    f"get_{self.resource.name}",
                    f"shows {column} {shown(row[column])} instead of {shown(value)}",
                )

    def _new_record(self) -> dict[str, Any] | None:
        """Arguments for a record like the first one; None when a unique column leaves no value to give."""
        values = {}
        for column in self.resource.columns[1:]:
            if not column.required:
                continue
            value = self._unused(column) if column.unique else self.first[column.name]
            if value is None:
                return None
            values[column.name] = bool(value) if column.type == "bool" else value
        return values or {self.resource.status: self.resource.column(self.resource.status).values[0]}

    def _unused(self, column: Column) -> Any:
        held = {
            row[self.resource.columns.index(column)]
            for row in self.subject.world.seed.rows[self.resource.name]
        }
        if column.type == "text":
            return next(text for n in range(len(held) + 1) if (text := f"new {n}") not in held)
        if column.type in ("int", "amount"):
            return next(n for n in range(len(held) + 1) if n not in held)
        if column.type == "ref":
            parents = self.subject.world.seed.rows[column.ref or ""]
            return next((row[0] for row in parents if row[0] not in held), None)
        return next((v for v in column.values if v not in held), None)

    def _call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """The payload of a call; None, and a finding, when it fails."""
        try:
            result = self.subject.tools[tool](self.connection, arguments, [])
        except sqlite3.Error as error:
            result = ToolResult(None, str(error))
        if not result.ok:
            self._report(tool, f"does not answer: {result.error}")
        return result.payload

    def _report(self, tool: str, problem: str) -> None:
        self.found.append(_fault("schema", tool, f"tool {tool} {problem}"))


def _another(column: Column, value: Any) -> Any:
    return next(v for v in column.values if v != value)


def _fault(link: Link, where: str, message: str) -> Violation:
    return Violation(validator="V12", link=link, where=where, message=message)
