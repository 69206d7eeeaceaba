"""A world as one HTML page that needs nothing else: no script, no network, and no text taken for markup."""

from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files
from typing import Any

from planet.inspect.drawing import drawn
from planet.inspect.sentences import (
    allowed_told,
    assertion_told,
    call_told,
    edit_told,
    kind_of,
    plain,
    rule_told,
    shown,
)
from planet.records.task import Task
from planet.records.world import Column, Invariant, Resource
from planet.store import StoredWorld

FEW_RULES = 6
"""Up to so many, rules are drawn at once; more of them hide the graph until they are asked for."""

_HEAD = (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)


def world_page(stored: StoredWorld, opened: Task | None, rows: int) -> str:
    """The page, with `rows` rows of each table, and one task unfolded. Equal worlds give equal pages."""
    style = files("planet.inspect").joinpath("page.css").read_text(encoding="utf-8")
    title = _text(f"{stored.world.company.name}, world {stored.world.id}")
    body = "".join(
        [
            *_company(stored),
            *_services(stored),
            *_rules(stored),
            *_pages(stored),
            *_tasks(stored, opened),
            *_tables(stored, rows),
        ]
    )
    return f"{_HEAD}<title>{title}</title><style>{style}</style></head><body>{body}</body></html>\n"


def _text(value: Any) -> str:
    return escape(plain(str(value)))


def _items(parts: Iterable[str], kind: str = "ul", named: str = "") -> str:
    start = f'<{kind} class="{named}">' if named else f"<{kind}>"
    return f"{start}{''.join(f'<li>{part}</li>' for part in parts)}</{kind}>"


# ── company and services ──────────────────────────────────────────────────────────────────────────


def _company(stored: StoredWorld) -> Iterator[str]:
    world, company = stored.world, stored.world.company
    where = f"{company.country}, {company.currency}, {company.locale}, {company.time_zone}"
    place = f"{company.industry} in {where}"
    yield f"<header><h1>{_text(company.name)}</h1><p>{_text(company.description)}</p>"
    yield f'<p class="note">{_text(place)}; world {_text(world.id)}</p>'
    facts = {
        "services": len(world.graph.services),
        "tables": len(world.layout.resources),
        "rows": sum(map(len, world.seed.rows.values())),
        "tools offered": len(world.offered),
        "pages": len(world.documents),
        "rules": len(stored.key.invariants),
        "tasks": len(stored.tasks),
    }
    yield _items((f"<b>{count:,}</b>{name}" for name, count in facts.items()), named="facts")
    yield f'<blockquote>{_text(world.brief.text)} <span class="kind">the brief</span></blockquote>'
    yield "<nav>"
    for name in ("services", "rules", "pages", "tasks", "tables"):
        yield f'<a href="#{name}">{name.capitalize()}</a>'
    yield "</nav></header>"


def _services(stored: StoredWorld) -> Iterator[str]:
    world = stored.world
    checked = " checked" if len(stored.key.invariants) <= FEW_RULES else ""
    yield '<h2 id="services">Services</h2>'
    yield f'<div class="scroll">{drawn(stored)}</div>'
    yield '<p class="note">A line leads from a service to what it uses; blue ones offer their tools.</p>'
    yield f'<p><label><input type="checkbox" id="rules-drawn"{checked}> draw the hidden rules</label></p>'
    tables = {
        s.name: [f"<code>{_text(r.name)}</code>" for r in world.layout.resources if r.service == s.name]
        for s in world.graph.services
    }
    for service in world.graph.services:
        kind = "" if service.kind == service.name else f' <span class="kind">{_text(service.kind)}</span>'
        yield f"<h3>{_text(service.name)}{kind}</h3>"
        yield f"<p>{_text(service.description)} Tables: {', '.join(tables[service.name]) or 'none'}.</p>"
        uses = [e for e in world.graph.edges if e.source == service.name]
        if uses:
            yield _items(f"uses {_text(edge.target)}: {_text(edge.reason)}" for edge in uses)


# ── rules and pages ───────────────────────────────────────────────────────────────────────────────


def _rules(stored: StoredWorld) -> Iterator[str]:
    yield '<h2 id="rules">Rules</h2>'
    yield '<p class="note">The agent reads the page; the check is hidden from it, and only looks.</p>'
    pages = {d.id: d for d in stored.world.documents}
    for rule in stored.key.invariants:
        yield f"<h3>{_text(rule.id)}</h3><p>{_sentence(rule)}</p>"
        page = pages.get(rule.document_id)
        if page:
            source = f'<span class="kind">{_text(page.id)}, {_text(page.title)}</span>'
            yield f"<blockquote>{_text(page.body)} {source}</blockquote>"
        yield f"<details><summary>check</summary><pre>{_text(rule.sql)}</pre></details>"


def _sentence(rule: Invariant) -> str:
    told = rule_told(rule)
    return f"{_text(told[0].upper() + told[1:])}."


def _pages(stored: StoredWorld) -> Iterator[str]:
    states = {rule.document_id: f"states {rule.id}" for rule in stored.key.invariants}
    yield '<h2 id="pages">Pages</h2>'
    yield _items(
        f"<b>{_text(page.id)} {_text(page.title)}</b> "
        f'<span class="tag">{_text(states.get(page.id, "states no rule"))}</span><br>{_text(page.body)}'
        for page in stored.world.documents
    )


# ── tasks ─────────────────────────────────────────────────────────────────────────────────────────


def _tasks(stored: StoredWorld, opened: Task | None) -> Iterator[str]:
    rules = {rule.id: rule for rule in stored.key.invariants}
    yield '<h2 id="tasks">Tasks</h2>'
    yield '<p class="note">With what is hidden: plans, conditions, what may be changed.</p>'
    for task in stored.tasks:
        is_open = " open" if opened is not None and task.id == opened.id else ""
        family = f'<span class="tag">{_text(task.key.facets.family)}</span>'
        yield f"<details{is_open}><summary>{family} {_text(task.view.instruction)}</summary>"
        yield from _task(task, rules)
        yield "</details>"


def _task(task: Task, rules: dict[str, Invariant]) -> Iterator[str]:
    key = task.key
    role = task.view.role.replace("_", " ")
    yield f'<p class="note">Task {_text(task.id)}, given to the {_text(role)}.</p>'
    lists = {
        "Before it begins": map(edit_told, key.delta),
        "The oracle's plan": map(call_told, key.oracle),
        "Another plan that is right": map(call_told, key.alternative),
        "What must hold at the end": map(assertion_told, key.assertions),
        "Rules at stake": (f"{r}: {rule_told(rules[r])}" if r in rules else r for r in key.at_stake),
        "What may be changed": map(allowed_told, key.allowed),
    }
    for title, sentences in lists.items():
        parts = [_text(sentence) for sentence in sentences]
        if parts:
            yield f"<h3>{title}</h3>{_items(parts, 'ol' if 'plan' in title else 'ul')}"


# ── tables ────────────────────────────────────────────────────────────────────────────────────────


def _tables(stored: StoredWorld, rows: int) -> Iterator[str]:
    yield '<h2 id="tables">Tables</h2>'
    for resource in stored.world.layout.resources:
        held = stored.world.seed.rows[resource.name]
        offered = '<span class="tag">offered</span>' if resource.name in stored.world.slice else ""
        what = f"<b>{_text(resource.name)}</b> of {_text(resource.service)}, {len(held):,} rows"
        yield f"<details><summary>{what} {offered}</summary>"
        yield f"<p>{_text(resource.description)}</p>"
        yield _table(("column", "holds", "is"), (_column(resource, column) for column in resource.columns))
        if rows and held:
            yield _table([_text(c.name) for c in resource.columns], (map(_cell, row) for row in held[:rows]))
        yield "</details>"


def _column(resource: Resource, column: Column) -> tuple[str, str, str]:
    marks = {"required": column.required, "unique": column.unique, f"in {column.unit}": bool(column.unit)}
    return (
        f"<b>{_text(column.name)}</b>",
        _text(kind_of(resource, column)),
        _text(", ".join(mark for mark, holds in marks.items() if holds)),
    )


def _cell(value: Any) -> str:
    return "" if value is None else _text(value if isinstance(value, str) else shown(value))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    top = "".join(f"<th>{name}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{top}</tr>{body}</table></div>'
