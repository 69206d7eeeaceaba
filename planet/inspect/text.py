"""A world as text, section by section, as wide as the terminal."""

from collections.abc import Iterator
from typing import Any

from planet.inspect.sentences import call_told, kind_of, plain, rule_told, shown
from planet.records.task import Task
from planet.store import StoredWorld


def print_world(stored: StoredWorld, task: Task | None, rows: int) -> None:
    """Print everything about the world, with `rows` rows of each table, and one task with its key."""
    from rich.console import Console

    # names come from a file: they are no markup
    console = Console(markup=False, highlight=False, emoji=False)
    sections: dict[str, Iterator[Any]] = {
        f"world {stored.world.id}": _company(stored),
        "services": _services(stored),
        "tables": _tables(stored, rows),
        "pages": (f"{d.id} {d.title}: {d.body}" for d in stored.world.documents),
        "rules (hidden)": _rules(stored),
        "tasks": (f"{t.id}  {t.key.facets.family:<13} {t.view.instruction}" for t in stored.tasks),
    }
    if task:
        sections[f"task {task.id} (key hidden)"] = _task(task)
    for title, parts in sections.items():
        console.rule(plain(title))
        for part in parts:
            console.print(plain(part) if isinstance(part, str) else part)


def _company(stored: StoredWorld) -> Iterator[str]:
    company = stored.world.company
    yield f"{company.name}: {company.description}"
    place = f"{company.country}, {company.currency}, {company.locale}, {company.time_zone}"
    yield f"{company.industry} in {place}"
    yield f"brief: {stored.world.brief.text}"


def _services(stored: StoredWorld) -> Iterator[str]:
    graph = stored.world.graph
    for service in graph.services:
        yield f"{service.name} ({service.kind}): {service.description}"
        yield from (f"    uses {e.target}: {e.reason}" for e in graph.edges if e.source == service.name)


def _tables(stored: StoredWorld, rows: int) -> Iterator[Any]:
    """One table per resource, a line per column, so that wide tables fit."""
    from rich.table import Table
    from rich.text import Text

    for resource in stored.world.layout.resources:
        held = stored.world.seed.rows[resource.name]
        offered = "in the slice" if resource.name in stored.world.slice else "not in the slice"
        title = f"{resource.name} of {resource.service}: {len(held)} rows, {offered}"
        table = Table(title=Text(plain(title)), title_justify="left", show_header=False)
        for index, column in enumerate(resource.columns):
            values = ("" if row[index] is None else str(row[index]) for row in held[:rows])
            cells = (column.name, kind_of(resource, column), *values)
            table.add_row(*(Text(plain(cell)) for cell in cells))
        yield table


def _rules(stored: StoredWorld) -> Iterator[str]:
    for rule in stored.key.invariants:
        yield f"{rule.id} (told in {rule.document_id}): {rule_told(rule)}"
        yield f"    {rule.sql}"


def _task(task: Task) -> Iterator[str]:
    yield f"{task.view.role}: {task.view.instruction}"
    for edit in task.key.delta:
        yield f"before it begins: {edit.op} {edit.table} {edit.key} {shown(edit.values)}"
    for call in task.key.oracle:
        yield f"oracle: {call_told(call)}"
    for a in task.key.assertions:
        wanted = f", {a.column}: {shown(a.value)}" if a.column else ""
        yield f"{a.id} {a.kind}: {a.table} where {shown(a.where)}{wanted}"
    for rule in task.key.at_stake:
        yield f"at stake: {rule}"
