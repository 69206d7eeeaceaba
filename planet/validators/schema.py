"""V03 to V05: tables, references and tools."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator

from planet.records.view import ToolSpec
from planet.records.world import Column, Resource
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import LONGEST_NAME, NAME, VALUE, listed, problem_of, shown
from planet.validators.values import default_fits, fit_of
from planet.world.arguments import LONGEST_TEXT
from planet.world.database import create_table
from planet.world.tools import tool_specs

Finding = tuple[str, str]
"""(where, message)."""

SLICE = (2, 6)
"""Fewest and most resources whose tools one environment offers."""
_TAKEN = ("document", "documents")  # get_document and search_documents belong to the pages


def _faults(validator: str, findings: Iterable[Finding]) -> list[Violation]:
    return [Violation(validator=validator, link="schema", where=w, message=m) for w, m in findings]


# ── V03: tables ───────────────────────────────────────────────────────────────────────────────────────────


def tables_are_sound(subject: Subject) -> list[Violation]:
    """V03."""
    resources = subject.world.layout.resources
    if not resources:
        return _faults("V03", [("layout", "the world has no table; it needs at least one")])
    findings = [
        *_repeated("table", [r.name for r in resources], "the world"),
        *_repeated("id prefix", [r.prefix for r in resources], "the world"),
    ]
    for resource in resources:
        findings += [*_table(resource), *_shown_columns(resource)]
        for column in resource.columns:
            findings += _column(column, resource)
    return _faults("V03", findings or _definitions(resources))


def _repeated(what: str, names: Iterable[str], where: str) -> Iterator[Finding]:
    """SQLite takes names that differ in case for one."""
    for name, count in Counter(name.lower() for name in names).items():
        if count > 1:
            yield where, f"{what} {shown(name)} stands {count} times in {where}; names differ, case aside"


def _table(resource: Resource) -> Iterator[Finding]:
    name, columns = resource.name, resource.columns
    yield from _repeated("column", [c.name for c in columns], name)
    if not _is_name(name):
        yield name, f"table {shown(name)} must be called in snake_case"
    if name in _TAKEN or name.startswith("sqlite_"):
        yield name, f"table {shown(name)} needs another name; this one is taken"
    if not re.fullmatch(r"[A-Z]{2,4}", resource.prefix):
        yield name, f"id prefix {shown(resource.prefix)} of {name} must be 2 to 4 capitals, e.g. INV"
    if not columns or (columns[0].name, columns[0].type) != ("id", "id"):
        yield name, f"the first column of {name} must be called id and be of type id"
    problem = problem_of(resource.description, LONGEST_TEXT)
    if problem:
        yield name, f"the description of {name} {problem}"


def _shown_columns(resource: Resource) -> Iterator[Finding]:
    """Search and list show a label and a status; `disambiguate` and rules build on them."""
    types = {c.name: c.type for c in resource.columns}
    for part, name, due in (("label", resource.label, "text"), ("status", resource.status, "enum")):
        if types.get(name) != due:
            yield (
                resource.name,
                f"the {part} of {resource.name}, {shown(name)}, must be one of its {due} columns",
            )


def _column(column: Column, resource: Resource) -> Iterator[Finding]:
    where = f"{resource.name}.{column.name}"
    if not _is_name(column.name):
        yield where, f"column {shown(column.name)} must be called in snake_case"
    if column.type == "id" and column is not resource.columns[0]:
        yield where, f"{where} is a second column of type id; only the first is one"
    if column.values and column.type != "enum":
        yield where, f"{where} lists values but is of type {column.type}; make it an enum"
    if column.type == "enum":
        odd = [v for v in column.values if not VALUE.fullmatch(v) or len(v) > LONGEST_NAME]
        if odd:
            yield where, f"value {shown(odd[0])} of {where} must be in snake_case, e.g. in_progress"
        if len(set(column.values)) < max(2, len(column.values)):
            yield where, f"{where} needs at least two values, all different"
    for part in ("pool", "unit"):
        problem = problem_of(getattr(column, part) or "none", LONGEST_NAME)
        if problem:
            yield where, f"the {part} of {where} {problem}"
    if not -1e15 < column.low < column.high < 1e15:
        yield where, f"{where} goes from {column.low:g} to {column.high:g}; give a lower and a higher number"
    if not default_fits(column, resource):
        due = fit_of(column, resource)[1]
        yield where, f"the default of {where}, {shown(column.default)}, must be {due}"


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and NAME.fullmatch(name) is not None


def _definitions(resources: tuple[Resource, ...]) -> Iterator[Finding]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for resource in resources:
        try:
            connection.execute(create_table(resource))
        except sqlite3.Error as error:
            yield resource.name, f"the definition of {resource.name} does not execute: {error}"
    connection.close()


# ── V04: references ───────────────────────────────────────────────────────────────────────────────────────


def references_are_sound(subject: Subject) -> list[Violation]:
    """V04. A reference points to the `id` of its target, which every table has."""
    findings: list[Finding] = []
    for resource in subject.world.layout.resources:
        for column in resource.columns:
            findings += _reference(column, f"{resource.name}.{column.name}", subject.resources)
        findings += _second_references(resource)
    return _faults("V04", findings or _cycle(subject))


def _reference(column: Column, where: str, tables: dict[str, Resource]) -> Iterator[Finding]:
    if column.type == "ref" and column.ref is None:
        yield where, f"{where} is a reference to nothing; name a table in ref"
    if column.ref is None:
        return
    if column.type != "ref":
        kind = f"is of type {column.type}, not of the id's"
        yield where, f"{where} refers to {shown(column.ref)} but {kind}; make it a ref"
    if column.ref not in tables:
        yield where, f"{where} refers to {shown(column.ref)}; tables are {listed(sorted(tables), 40)}"


def _second_references(resource: Resource) -> Iterator[Finding]:
    """Pages and instructions name the table that a record belongs to, not the column that says so."""
    seen: dict[str, str] = {}
    for column in resource.columns:
        if column.type != "ref" or column.ref is None:
            continue
        first = seen.setdefault(column.ref, column.name)
        if first != column.name:
            where = f"{resource.name}.{column.name}"
            yield where, f"{where} refers to {shown(column.ref)} as {first} does; drop one of them"


def _cycle(subject: Subject) -> Iterator[Finding]:
    """Rows of a required cycle could never be inserted one by one."""
    needs = {r.name: {c.ref for c in r.columns if c.ref and c.required} for r in subject.resources.values()}
    while free := [name for name, targets in needs.items() if not targets & needs.keys()]:
        for name in free:
            del needs[name]
    if needs:
        names = listed(sorted(needs))
        yield min(needs), f"the required references of {names} form a cycle; make one of them optional"


# ── V05: tools ────────────────────────────────────────────────────────────────────────────────────────────


def tools_are_sound(subject: Subject) -> list[Violation]:
    """V05."""
    seen, due = subject.world.layout.tools, tool_specs(subject.world.layout.resources)
    findings = [] if seen == due else sorted(_tools(seen, due))
    return _faults("V05", [*findings, *_slice(subject)])


def _tools(seen: tuple[ToolSpec, ...], due: tuple[ToolSpec, ...]) -> Iterator[Finding]:
    for name, count in Counter(t.name for t in seen).items():
        if count > 1:
            yield name, f"tool {shown(name)} stands {count} times; list it once"
    for tool in seen:
        problem = problem_of(tool.description, LONGEST_TEXT)
        if problem:
            yield tool.name, f"the description of tool {shown(tool.name)} {problem}"
    by_name, wanted = {t.name: t for t in seen}, {t.name: t for t in due}
    for name in wanted.keys() - by_name.keys():
        yield name, f"tool {shown(name)} is missing; every table with tools has exactly its four"
    for name in by_name.keys() - wanted.keys():
        yield name, f"tool {shown(name)} belongs to no table with tools; remove it"
    for name in by_name.keys() & wanted.keys():
        part = _differing(by_name[name], wanted[name])
        if part:
            yield name, f"the {part} of tool {shown(name)} does not match its table"


def _differing(seen: ToolSpec, due: ToolSpec) -> str | None:
    """The first part that differs and decides how the tool is called; the description does not."""
    fields = {
        "operation": "operation",
        "resource": "resource",
        "service": "service",
        "parameters": "JSON Schema",
    }
    return next((part for field, part in fields.items() if getattr(seen, field) != getattr(due, field)), None)


def _slice(subject: Subject) -> Iterator[Finding]:
    chosen = subject.world.slice
    with_tools = {r.name for r in subject.world.layout.resources if r.tools}
    for name in chosen:
        if name not in with_tools:
            yield "slice", f"the slice names {shown(name)}, which is no table with tools"
    if len(set(chosen)) < len(chosen):
        yield "slice", f"the slice names a table twice: {listed(chosen, 10)}"
    if not SLICE[0] <= len(chosen) <= SLICE[1]:
        yield "slice", f"the slice has {len(chosen)} tables; it needs {SLICE[0]} to {SLICE[1]}"
