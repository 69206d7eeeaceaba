"""`python -m planet.inspect DIR WORLD`: one world for a reader, keys included."""

import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planet.command import Parser, command, finish
from planet.records.task import Task
from planet.records.world import Column, Resource
from planet.store import StoredWorld, read_world, task_named, world_named


def main(argv: list[str] | None = None) -> int:
    """Print the world. Exit code 0, 2 for wrong use."""
    parser = _parser()
    given = parser.parse_args(argv)
    return finish(parser, lambda: _run(given))


def _parser() -> Parser:
    parser = command("inspect", "A world for a reader: company, services, tables, pages, rules, a task.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    parser.add_argument("world", metavar="WORLD_ID", help="or how it begins")
    parser.add_argument("--task", default="", metavar="TASK_ID", help="the task to show (default: the first)")
    parser.add_argument("--rows", type=int, default=3, metavar="N", help="rows of each table (default 3)")
    return parser


def _run(given: Namespace) -> int:
    from rich.console import Console

    stored = read_world(given.folder, world_named(given.folder, given.world))
    console = Console(
        markup=False, highlight=False, emoji=False
    )  # names come from a file: they are no markup
    sections = {
        f"world {stored.world.id}": _company(stored),
        "services": _services(stored),
        "tables": _tables(stored, max(0, given.rows)),
        "pages": (f"{d.id} {d.title}: {d.body}" for d in stored.world.documents),
        "rules (hidden)": _rules(stored),
        "tasks": (f"{t.id}  {t.key.facets.family:<13} {t.view.instruction}" for t in stored.tasks),
    }
    if stored.tasks:
        task = task_named(stored, given.task) if given.task else stored.tasks[0]
        sections[f"task {task.id} (key hidden)"] = _task(task)
    for title, parts in sections.items():
        console.rule(title)
        for part in parts:
            console.print(part)
    return 0


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


def _tables(stored: StoredWorld, shown: int) -> Iterator[Any]:
    """One table per resource, a line per column, so that wide tables fit."""
    from rich.table import Table
    from rich.text import Text

    for resource in stored.world.layout.resources:
        rows = stored.world.seed.rows[resource.name]
        offered = "in the slice" if resource.name in stored.world.slice else "not in the slice"
        title = f"{resource.name} of {resource.service}: {len(rows)} rows, {offered}"
        table = Table(title=Text(title), title_justify="left", show_header=False)
        for index, column in enumerate(resource.columns):
            values = ("" if row[index] is None else str(row[index]) for row in rows[:shown])
            table.add_row(*map(Text, (column.name, _kind(resource, column), *values)))
        yield table


def _kind(resource: Resource, column: Column) -> str:
    if column.ref:
        return f"-> {column.ref}"
    mark = {resource.label: ", label", resource.status: ", status"}.get(column.name, "")
    return column.type + mark + (f": {' '.join(column.values)}" if column.values else "")


def _rules(stored: StoredWorld) -> Iterator[str]:
    for rule in stored.key.invariants:
        every = "every" if rule.pattern == "field_follows" else "a"
        trigger = f"when {rule.table}.{rule.column} is {rule.value}"
        effect = f"{every} {rule.effect_table} linked by {rule.effect_link} has {rule.effect_column}"
        yield f"{rule.id} (told in {rule.document_id}): {trigger}, {effect} {rule.effect_value}"
        yield f"    {rule.sql}"


def _task(task: Task) -> Iterator[str]:
    yield f"{task.view.role}: {task.view.instruction}"
    for edit in task.key.delta:
        yield f"before it begins: {edit.op} {edit.table} {edit.key} {_json(edit.values)}"
    for call in task.key.oracle:
        yield f"oracle: {call.tool} {_json(call.arguments)}"
    for a in task.key.assertions:
        wanted = f", {a.column}: {_json(a.value)}" if a.column else ""
        yield f"{a.id} {a.kind}: {a.table} where {_json(a.where)}{wanted}"
    for rule in task.key.at_stake:
        yield f"at stake: {rule}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    raise SystemExit(main())
