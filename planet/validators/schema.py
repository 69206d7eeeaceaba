"""V03 to V05: tables, references and tools."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable

from planet.records.view import ToolSpec
from planet.records.world import Column, Resource
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import LONGEST_NAME, NAME, VALUE, listed, shown
from planet.world.database import create_table
from planet.world.tools import tool_specs

SLICE = (2, 6)
"""Fewest and most resources whose tools one environment offers."""

# ── V03: tables ─────────────────────────────────────────────────────────────────────────────────────────────


def tables_are_sound(subject: Subject) -> list[Violation]:
    """V03."""
    resources = subject.world.layout.resources
    if not resources:
        return [_fault("V03", "layout", "the world has no table; it needs at least one")]
    found = _repeated("table", [r.name for r in resources], "layout")
    found += _repeated("id prefix", [r.prefix for r in resources], "layout")
    for resource in resources:
        found += _table(resource)
    return found or _definitions(resources)


def _repeated(what: str, names: Iterable[str], where: str) -> list[Violation]:
    """SQLite takes names that differ in case for one."""
    counts = Counter(name.lower() for name in names)
    return [
        _fault(
            "V03",
            where,
            f"{what} {shown(name)} stands {count} times in {where}; names are unique, case aside",
        )
        for name, count in counts.items()
        if count > 1
    ]


def _table(resource: Resource) -> list[Violation]:
    name, columns = resource.name, resource.columns
    found = _repeated("column", [c.name for c in columns], f"table {shown(name)}")
    if not _named(name) or name == "documents" or name.startswith("sqlite_"):
        found.append(
            _fault(
                "V03", name, f"table {shown(name)} needs another name: snake_case, not documents, not sqlite_"
            )
        )
    if not re.fullmatch(r"[A-Z]{2,4}", resource.prefix):
        found.append(
            _fault(
                "V03", name, f"id prefix {shown(resource.prefix)} of {name} must be 2 to 4 capitals, e.g. INV"
            )
        )
    if not columns or (columns[0].name, columns[0].type) != ("id", "id"):
        found.append(_fault("V03", name, f"the first column of {name} must be called id and be of type id"))
    for column in columns[1:]:
        found += _column(resource, column)
    kinds = {c.name: c for c in columns}
    label, status = kinds.get(resource.label), kinds.get(resource.status)
    if label is None or label.type != "text":
        found.append(
            _fault(
                "V03", name, f"the label of {name}, {shown(resource.label)}, must be one of its text columns"
            )
        )
    if status is None or status.type != "enum":
        found.append(
            _fault(
                "V03",
                name,
                f"the status of {name}, {shown(resource.status)}, must be one of its enum columns",
            )
        )
    return found


def _column(resource: Resource, column: Column) -> list[Violation]:
    where, found = f"{resource.name}.{column.name}"[: 2 * LONGEST_NAME], []
    if not _named(column.name):
        found.append(
            _fault("V03", where, f"column {shown(column.name)} of {resource.name} must be snake_case")
        )
    if column.type == "id":
        found.append(_fault("V03", where, f"{where} is a second column of type id; only the first is one"))
    if column.values and column.type != "enum":
        found.append(
            _fault("V03", where, f"{where} lists values but is of type {column.type}; make it an enum")
        )
    if column.type == "enum":
        odd = [v for v in column.values if not VALUE.fullmatch(v) or len(v) > LONGEST_NAME]
        if odd:
            found.append(
                _fault("V03", where, f"value {shown(odd[0])} of {where} must be snake_case, e.g. in_progress")
            )
        if len(set(column.values)) < max(2, len(column.values)):
            found.append(_fault("V03", where, f"{where} needs at least two values, all different"))
    return found


def _named(name: str) -> bool:
    return len(name) <= LONGEST_NAME and NAME.fullmatch(name) is not None


def _definitions(resources: tuple[Resource, ...]) -> list[Violation]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    found = []
    for resource in resources:
        try:
            connection.execute(create_table(resource))
        except sqlite3.Error as error:
            found.append(
                _fault("V03", resource.name, f"the definition of {resource.name} does not execute: {error}")
            )
    connection.close()
    return found


# ── V04: references ─────────────────────────────────────────────────────────────────────────────────────────


def references_are_sound(subject: Subject) -> list[Violation]:
    """V04. A reference points to the `id` of its target, which every table has."""
    found, names = [], set(subject.resources)
    for resource in subject.world.layout.resources:
        for column in resource.columns:
            where = f"{resource.name}.{column.name}"
            if column.type == "ref" and column.ref is None:
                found.append(_fault("V04", where, f"{where} is a reference to nothing; name a table in ref"))
            elif column.ref is not None and column.type != "ref":
                kind = f"is of type {column.type}, not the id's"
                message = f"{where} refers to {shown(column.ref)} but {kind}; make it a ref"
                found.append(_fault("V04", where, message))
            elif column.ref is not None and column.ref not in names:
                message = f"{where} refers to {shown(column.ref)}; tables are {listed(sorted(names), 40)}"
                found.append(_fault("V04", where, message))
    return found or _cycle(subject)


def _cycle(subject: Subject) -> list[Violation]:
    """Rows of a required cycle could never be inserted one by one."""
    needs = {
        r.name: {c.ref for c in r.columns if c.ref and c.required} for r in subject.world.layout.resources
    }
    while True:
        free = [name for name, targets in needs.items() if not targets & needs.keys()]
        if not free:
            break
        for name in free:
            del needs[name]
    if not needs:
        return []
    message = f"the required references of {listed(sorted(needs))} form a cycle; make one of them optional"
    return [_fault("V04", min(needs), message)]


# ── V05: tools ──────────────────────────────────────────────────────────────────────────────────────────────


def tools_are_sound(subject: Subject) -> list[Violation]:
    """V05."""
    return [*_tools(subject), *_slice(subject)]


def _tools(subject: Subject) -> list[Violation]:
    seen, due = subject.world.layout.tools, tool_specs(subject.world.layout.resources)
    if seen == due:
        return []
    found = []
    for name, count in Counter(t.name for t in seen).items():
        if count > 1:
            found.append(_fault("V05", name, f"tool {shown(name)} stands {count} times; list it once"))
    by_name, wanted = {t.name: t for t in seen}, {t.name: t for t in due}
    for name in wanted.keys() - by_name.keys():
        found.append(
            _fault("V05", name, f"tool {shown(name)} is missing; every table with tools has exactly its four")
        )
    for name in by_name.keys() - wanted.keys():
        found.append(_fault("V05", name, f"tool {shown(name)} belongs to no table with tools; remove it"))
    for name in by_name.keys() & wanted.keys():
        differing = _differing(by_name[name], wanted[name])
        if differing:
            found.append(
                _fault("V05", name, f"the {differing} of tool {shown(name)} does not match its table")
            )
    return sorted(found, key=lambda v: v.message)


def _differing(seen: ToolSpec, due: ToolSpec) -> str | None:
    """The first field that differs and decides how the tool is called; the description does not."""
    fields = (
        ("operation", "operation"),
        ("resource", "resource"),
        ("service", "service"),
        ("parameters", "JSON Schema"),
    )
    return next((shown_as for field, shown_as in fields if getattr(seen, field) != getattr(due, field)), None)


def _slice(subject: Subject) -> list[Violation]:
    chosen, found = subject.world.slice, []
    with_tools = {r.name for r in subject.world.layout.resources if r.tools}
    for name in chosen:
        if name not in with_tools:
            found.append(
                _fault("V05", "slice", f"the slice names {shown(name)}, which is no table with tools")
            )
    if len(set(chosen)) < len(chosen):
        found.append(_fault("V05", "slice", f"the slice names a table twice: {listed(chosen, 10)}"))
    if not SLICE[0] <= len(chosen) <= SLICE[1]:
        found.append(
            _fault("V05", "slice", f"the slice has {len(chosen)} tables; it needs {SLICE[0]} to {SLICE[1]}")
        )
    return found


def _fault(validator: str, where: str, message: str) -> Violation:
    return Violation(validator=validator, link="schema", where=where, message=message)
