"""The section on new worlds: each a company with its services and tasks, or the reasons why there is none."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from analysis.briefs import target_cells
from analysis.ledger import BriefRow, TaskRow
from analysis.report.anchors import Anchors
from analysis.report.briefs import ask
from analysis.report.markup import Html, cut, element, folded, section, together
from analysis.report.record import Iteration, RunRecord


def world_section(record: RunRecord, iteration: Iteration, anchors: Anchors) -> Html:
    """The worlds of an iteration's briefs; nothing when none was asked for."""
    made = [b for b in iteration.briefs if b.admitted_world_id in record.worlds]
    missing = [b for b in iteration.briefs if b.admitted_world_id is None]
    if not iteration.briefs:
        return Html("")
    tasks = sum(len(record.tasks_of.get(b.admitted_world_id or "", ())) for b in made)
    views = [world_view(record, b, b.brief_id in iteration.aimed, anchors) for b in made]
    return section(
        3,
        f"World: {len(made)} made, with {tasks} tasks",
        folded(f"The {len(made)} worlds one by one", together(views), class_="group") if made else None,
        folded(
            f"{len(missing)} briefs without a world",
            element("ul", together(element("li", f"{b.brief_id}: {_refused(b)}") for b in missing)),
        )
        if missing
        else None,
    )


def world_view(record: RunRecord, brief: BriefRow, aimed: bool, anchors: Anchors) -> Html:
    """One world, folded."""
    world = record.worlds[brief.admitted_world_id or ""]
    tasks = record.tasks_of.get(world.world_id, ())
    company = company_of(record.run.path, world.world_id)
    name = company.get("name") or f"A company in {world.country}"
    reason = (brief.brief.get("target") or {}).get("reason")
    return folded(
        together((element("b", name), cut(world.description), _target(brief, tasks, aimed)), " "),
        element(
            "p",
            f"{world.industry.replace('_', ' ')}, {world.country}; world {world.world_id}, made for brief "
            f"{brief.brief_id}. {world.rows:,} rows in {len(world.resources)} tables of the services "
            f"{', '.join(world.services)}; an agent gets {len(world.tools)} tools over "
            f"{', '.join(world.slice)}.",
        ),
        element("p", f"Asked: {cut(ask(brief))}", f" Because {cut(reason)}." if reason else None),
        _tasks(tasks),
        _pages(company),
        element("p", f"Refused on the way: {_refused(brief)}.") if brief.refused else None,
        id=anchors.name("world", world.world_id),
        class_="world",
    )


def company_of(run: Path, world_id: str) -> dict[str, Any]:
    """Name and policy pages of a world that lies in the run directory; empty when it does not."""
    try:
        stored = json.loads((run / "worlds" / "worlds" / f"{world_id}.json").read_text(encoding="utf-8"))
        pages = [(str(page["title"]), str(page["body"])) for page in stored["documents"]]
        return {"name": str(stored["company"]["name"]), "pages": pages}
    except (OSError, ValueError, KeyError, TypeError):
        return {}  # a page can do without: the ledger holds the rest


def _target(brief: BriefRow, tasks: tuple[TaskRow, ...], aimed: bool) -> Html:
    cells = target_cells(brief)
    if not cells:
        return element("span", "exploring", class_="tag")
    on = sum(cells[0] in task.cells for task in tasks)
    words = f"{cells[0]} in {on} of {len(tasks)} tasks" + ("" if aimed else ", exploring")
    return element("span", words, class_="tag")


def _tasks(tasks: tuple[TaskRow, ...]) -> Html:
    counts = Counter(task.family for task in tasks)
    first = {task.family: task.instruction for task in reversed(tasks)}
    lines = [
        element("li", element("b", f"{family.replace('_', ' ')} ×{count}: "), cut(first[family], 200))
        for family, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return element("ul", together(lines))


def _pages(company: dict[str, Any]) -> Html | None:
    if not company.get("pages"):
        return None
    lines = [element("li", element("b", f"{cut(title)}: "), cut(body)) for title, body in company["pages"]]
    return folded(f"{len(lines)} policy pages", element("ul", together(lines)))


def _refused(brief: BriefRow) -> str:
    refused = brief.refused
    return (
        ", ".join(f"{rule} {count}" for rule, count in sorted(refused.items())) or "the attempts were used up"
    )
