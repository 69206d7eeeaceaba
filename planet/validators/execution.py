"""V12: every tool answers, updates persist and stay inside the episode, reset and reload give equal state.

The world runs as a session runs it (a private copy, foreign keys enforced, a savepoint around the episode),
with every tool of the world offered instead of one task's.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

from planet.author.artifacts import Link
from planet.records.world import Column, Resource
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import shown
from planet.world.database import quote
from planet.world.tools import default_of

State = dict[str, list[tuple]]
"""Rows by table, in the order of their ids."""


def world_runs(subject: Subject) -> list[Violation]:
    """V12."""
    seen, due = subject.key.world_id, subject.world.id
    if seen != due:
        return [
            _fault(
                "rules", "key", f"the key is for world {shown(seen)}, not {due}; load both from one folder"
            )
        ]
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(subject.tables.serialize())
    subject.add_pages(connection)
    start = _state(connection, [*subject.resources, "documents"])
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("SAVEPOINT episode")
    found = [*_pages(connection, subject)]
    for resource in subject.world.layout.resources:
        if resource.tools:
            found += _Probe(connection, subject, resource).run()
    connection.execute("ROLLBACK TO episode")
    found += _differences(_state(connection, list(start)), start, "a reset")
    found += _differences(_state(subject.tables, list(subject.resources)), start, "a reload")
    connection.close()
    return found


def _state(connection: sqlite3.Connection, names: list[str]) -> State:
    return {
        name: connection.execute(f'SELECT * FROM {quote(name)} ORDER BY "id"').fetchall() for name in names
    }


def _differences(state: State, start: State, what: str) -> Iterator[Violation]:
    for name, rows in state.items():
        if rows != start[name]:
            yield _fault("seed", name, f"{what} gives other rows of {name} than the episode began with")


def _pages(connection: sqlite3.Connection, subject: Subject) -> Iterator[Violation]:
    calls: dict[str, dict[str, Any]] = {"search_documents": {"query": "policy"}}
    if subject.world.documents:
        calls["get_document"] = {"id": subject.world.documents[0].id}
    for tool, arguments in calls.items():
        result = subject.tools[tool](connection, arguments, [])
        if not result.ok:
            yield _fault("rules", tool, f"tool {tool} does not answer: {result.error}")


class _Probe:
    """The four tools of one resource, tried on its first row and on a new one."""

    def __init__(self, connection: sqlite3.Connection, subject: Subject, resource: Resource) -> None:
        self.connection, self.subject, self.resource = connection, subject, resource
        self.rows = subject.world.seed.rows[resource.name]
        self.first = dict(zip((c.name for c in resource.columns), self.rows[0], strict=True))
        self.found: list[Violation] = []

    def run(self) -> list[Violation]:
        """What does not work."""
        name, key = self.resource.name, self.first["id"]
        self._call("list", {})
        hits = self._call("search", {"filters": [{"column": "id", "op": "=", "value": key}]})
        if hits and [row["id"] for row in hits["rows"]] != [key]:
            self._report("search", f"does not find {name} {key} by its id")
        self._reads(key, self.first)
        status = self.resource.column(self.resource.status)
        change = {status.name: next(v for v in status.values if v != self.first[status.name])}
        if self._call("update", {"id": key, **change}):
            self._reads(key, self.first | change)
        record = self._new_record({})
        if record is not None:
            made = self._call("update", record)
            if made:
                self._reads(made["id"], record)
            second = self._new_record(record)
            if second is not None:
                self._call("update", second)  # a default of a unique column serves one record only
        return self.found

    def _reads(self, key: str, wanted: dict[str, Any]) -> None:
        row = self._call("get", {"id": key})
        for column, value in wanted.items():
            if row and row[column] != value:
                self._report("get", f"shows {column} {shown(row[column])} instead of {shown(value)}")

    def _new_record(self, before: dict[str, Any]) -> dict[str, Any] | None:
        """The fewest columns of a new record after the one made `before`; None when a unique one of them
        leaves no value to give."""
        record: dict[str, Any] = {}
        for column in self.resource.columns[1:]:
            if column.required and default_of(column, self.resource, "") is None:
                value = self._value(column, before)
                if value is None:
                    return None
                record[column.name] = bool(value) if column.type == "bool" else value
        status = self.resource.column(self.resource.status)
        return record or {status.name: status.values[0]}

    def _value(self, column: Column, before: dict[str, Any]) -> Any:
        """A value that the column takes, and no row has if the column is unique; None when there is none."""
        index = self.resource.columns.index(column)
        held = {row[index] for row in self.rows} | {before.get(column.name)} if column.unique else set()
        if column.type == "ref":
            parents = self.subject.world.seed.rows[column.ref or ""]
            return next((row[0] for row in parents if row[0] not in held), None)
        if not column.unique:
            return self.first[column.name]
        if column.type in ("int", "amount"):
            return max(held - {None}) + 1
        if column.type == "text":
            return next(text for n in range(len(held) + 1) if (text := f"new {n}") not in held)
        return next((v for v in column.values if v not in held), None)

    def _call(self, operation: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """The payload of a call; None, and a finding, when it fails."""
        run = self.subject.tools[f"{operation}_{self.resource.name}"]
        try:
            result = run(self.connection, arguments, [])
        except sqlite3.Error as error:
            self._report(operation, f"fails: {error}")
            return None
        if not result.ok:
            self._report(operation, f"does not answer: {result.error}")
        return result.payload

    def _report(self, operation: str, problem: str) -> None:
        tool = f"{operation}_{self.resource.name}"
        self.found.append(_fault("schema", tool, f"tool {tool} {problem}"))


def _fault(link: Link, where: str, message: str) -> Violation:
    return Violation(validator="V12", link=link, where=where, message=message)
