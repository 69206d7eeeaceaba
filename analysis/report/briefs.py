"""The section on briefs: what was asked of the author and why, and what became of it."""

from collections import Counter
from collections.abc import Sequence

from analysis.briefs import target_cells
from analysis.ledger import BriefRow
from analysis.report.markup import Html, cut, element, note, section, table
from analysis.report.record import Iteration
from planet.refusal_words import refusal_words

EXPLORING = "(exploring)"
_HEADER = ("aimed at", "briefs", "worlds made", "on target", "why", "refused on the way")


def brief_section(iteration: Iteration) -> Html:
    """What was asked in an iteration."""
    if not iteration.briefs:
        words = "No worlds were asked for: this arm keeps its corpus, or the growth is yet to come."
        return section(3, "Brief: nothing was asked", note(words))
    aimed = [b for b in iteration.briefs if b.brief_id in iteration.aimed]
    admitted = sum(b.admitted_world_id is not None for b in iteration.briefs)
    groups: dict[str, list[BriefRow]] = {}
    for brief in iteration.briefs:
        groups.setdefault(_aim(brief, iteration), []).append(brief)
    order = sorted(groups, key=lambda name: (name == EXPLORING, -len(groups[name]), name))
    refused = refusals(iteration.briefs)
    return section(
        3,
        f"Brief: {len(iteration.briefs)} asked, {len(aimed)} aimed at the report",
        element("p", f"{admitted} of them became a world of the pool."),
        table(_HEADER, [_row(name, groups[name]) for name in order], wide=(4, 5)),
        note(
            "Refused on the way: "
            + "; ".join(
                f"{rule} ×{count}: {refusal_words().get(rule, 'a rule')}"
                for rule, count in sorted(refused.items())
            )
            + "."
        )
        if refused
        else None,
    )


def refusals(briefs: Sequence[BriefRow]) -> Counter[str]:
    """Rule -> how often it refused something on the way to these briefs' worlds."""
    counted: Counter[str] = Counter()
    for brief in briefs:
        counted.update(brief.refused)
    return counted


def ask(brief: BriefRow) -> str:
    """The brief in one sentence: its text, what it aims at, and how hard."""
    target = brief.brief.get("target") or {}
    hard = ", ".join(f"{name} {value}" for name, value in sorted((target.get("difficulty") or {}).items()))
    return (
        f"{brief.brief.get('text', '')} Cells: {', '.join(target_cells(brief)) or 'none'}"
        + (f"; tasks wanted: {target['quota']}" if target.get("quota") else "")
        + (f"; {hard}" if hard else "")
        + (f"; rung {target['rung']}" if target.get("rung") else "")
        + (f"; {len(target['avoid'])} tool sets to avoid" if target.get("avoid") else "")
        + "."
    )


def _aim(brief: BriefRow, iteration: Iteration) -> str:
    """What a brief is told under: its first cell, and the rung if that is a step of a ladder."""
    cells = target_cells(brief)
    if not cells or brief.brief_id not in iteration.aimed:
        return EXPLORING
    rung = (brief.brief.get("target") or {}).get("rung")
    return f"{cells[0]}, rung {rung}" if rung else cells[0]


def _row(name: str, briefs: Sequence[BriefRow]) -> tuple[object, ...]:
    made = [b for b in briefs if b.admitted_world_id is not None]
    reason = (briefs[0].brief.get("target") or {}).get("reason", "")
    why = "cells drawn at random, whatever the report says" if name == EXPLORING else str(reason)
    judged = [b for b in made if b.on_target is not None]
    refused = refusals(briefs)
    return (
        element("b", name) if name != EXPLORING else name,
        len(briefs),
        len(made),
        f"{sum(b.on_target is True for b in judged)} of {len(judged)}"
        if judged and name != EXPLORING
        else "-",
        cut(why),
        ", ".join(f"{rule} {count}" for rule, count in sorted(refused.items())) or "-",
    )
