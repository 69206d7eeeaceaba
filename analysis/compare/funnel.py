"""The author's funnel: worlds asked for, valid, permitted, solvable, admitted, and their cost."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from analysis.compare.pages import on_pages
from analysis.csv_file import write_csv
from analysis.ledger import AuthorCallRow, BriefRow, ClockRow, MetricRow, StepRow
from analysis.run_directory import OpenRun
from analysis.style import colour, drawing
from planet.text_table import align

STAGES = ("asked", "valid", "permitted", "solvable", "admitted")
CAPTION = (
    "What became of each synthesis: a world that passes the validators, that no rule of admission refuses"
    " before it has tasks, with enough audited tasks, admitted if these lie on its brief's target (without an"
    " aim none is missed); where a bar drops, that stage refuses."
)
HEADER = ("run", "iteration", *STAGES, "author_calls", "tokens", "dollars", "audit_steps", "seconds")


class Funnel(NamedTuple):
    """One iteration of a run, in worlds, and its costs."""

    iteration: int | None  # None: all together
    asked: int  # syntheses tried
    valid: int  # of these, worlds that passed the twelve validators
    permitted: int  # of these, worlds that no rule of admission kept from getting tasks
    solvable: int  # of these, worlds with enough tasks whose audit passed
    admitted: int  # of these, all but those that missed their brief's target
    author_calls: int
    tokens: int
    dollars: float
    audit_steps: int  # environment steps
    seconds: float  # wall time of the whole step


def write_funnel(runs: Mapping[str, OpenRun], out: Path) -> tuple[str, list[Path]]:
    """A table of totals, author_funnel.csv and .png; nothing when no run grew worlds."""
    found = {label: funnels for label, run in runs.items() if (funnels := funnels_of(run))}
    if not found:
        return "", []
    totals = {label: total(funnels) for label, funnels in found.items()}
    table = write_csv(
        out / "author_funnel.csv", HEADER, [(label, *f) for label, funnels in found.items() for f in funnels]
    )
    return _text(totals), [table, *on_pages(totals, out / "author_funnel.png", _draw)]


def funnels_of(run: OpenRun) -> list[Funnel]:
    """The iterations in which a run grew worlds, in order."""
    ledger = run.ledger
    steps = [step for step in ledger.rows(StepRow, run.id) if step.kind == "grow"]
    metrics = {(m.step, m.name): m.value or 0.0 for m in ledger.rows(MetricRow, run.id)}
    seconds = {clock.step: clock.seconds for clock in ledger.rows(ClockRow, run.id)}
    out = []
    for step in steps:
        briefs = ledger.rows(BriefRow, run.id, step=step.step)
        calls = ledger.rows(AuthorCallRow, run.id, step=step.step)
        if briefs:
            out.append(_funnel(step, briefs, calls, metrics, seconds.get(step.step, 0.0)))
    return out


def _funnel(
    step: StepRow,
    briefs: Sequence[BriefRow],
    calls: Sequence[AuthorCallRow],
    metrics: dict[tuple[int, str], float],
    seconds: float,
) -> Funnel:
    refused = {rule: sum(b.refused.get(rule, 0) for b in briefs) for rule in ("too_few_tasks", "off_target")}
    admitted = sum(brief.admitted_world_id is not None for brief in briefs)
    solvable = admitted + refused["off_target"]
    permitted = solvable + refused["too_few_tasks"]
    tries, accepted = syntheses(calls)
    valid = max(int(metrics.get((step.step, "grow/valid"), accepted)), permitted)
    return Funnel(
        iteration=step.iteration,
        asked=max(int(metrics.get((step.step, "grow/syntheses"), 0)), tries, valid),
        valid=valid,
        permitted=permitted,
        solvable=solvable,
        admitted=admitted,
        author_calls=len(calls),
        tokens=sum(call.tokens_in + call.tokens_out for call in calls),
        dollars=sum(call.dollars for call in calls),
        audit_steps=int(metrics.get((step.step, "grow/audit_steps"), 0)),
        seconds=seconds,
    )


def syntheses(calls: Sequence[AuthorCallRow]) -> tuple[int, int]:
    """How many syntheses the calls of some briefs belong to, and how many of them ended in a valid world.

    A synthesis begins with the first attempt at the first link. It counts as valid when its last call was
    accepted, though validators may have refused what came of it: runs tell `grow/valid`, older ones do not.
    """
    begun = valid = 0
    ordered = sorted(calls, key=lambda call: (call.brief_id, call.call_index))
    for _, of_brief in groupby(ordered, key=lambda call: call.brief_id):
        last: AuthorCallRow | None = None
        for call in of_brief:
            if call.link == "company" and call.attempt == 0:
                begun += 1
                valid += last is not None and last.accepted
            last = call
        valid += last is not None and last.accepted
    return begun, valid


def total(funnels: Sequence[Funnel]) -> Funnel:
    """All iterations of a run together."""
    sums: list[Any] = [sum(values) for values in zip(*(f[1:] for f in funnels), strict=True)]
    return Funnel(None, *sums)


def _text(totals: Mapping[str, Funnel]) -> str:
    header = ("author funnel", *(stage.replace("_", " ") for stage in STAGES), *_COSTS)
    rows = [(label, *(str(getattr(f, s)) for s in STAGES), *costs(f)) for label, f in totals.items()]
    return "\n".join(align(header, rows))


_COSTS = ("calls per admitted", "tokens", "dollars", "audit steps", "seconds")


def costs(f: Funnel) -> tuple[str, ...]:
    """What one admitted world cost; "-" when none was."""
    if not f.admitted:
        return ("-",) * len(_COSTS)
    each = 1 / f.admitted
    return (
        f"{f.author_calls * each:.1f}",
        f"{f.tokens * each:,.0f}",
        f"{f.dollars * each:.4f}",
        f"{f.audit_steps * each:,.0f}",
        f"{f.seconds * each:.2f}",
    )


def _draw(totals: dict[str, Funnel], path: Path) -> Path:
    with drawing(path, CAPTION, 1, len(totals), width=2 + 2.7 * len(totals), height=3.6) as axes:
        for index, (label, f) in enumerate(totals.items()):
            axis = axes[0][index]
            counts = [getattr(f, stage) for stage in STAGES]
            axis.barh(range(len(STAGES)), counts, color=colour(index))
            for place, count in enumerate(counts):
                axis.annotate(
                    str(count), (count, place), xytext=(3, 0), textcoords="offset points", va="center"
                )
            axis.set_yticks(
                range(len(STAGES)), [s.replace("_", " ") for s in STAGES] if index == 0 else [""] * 5
            )
            axis.invert_yaxis()
            axis.margins(x=0.15)
            calls, _, dollars, steps, seconds = costs(f)
            cost = f"per admitted world: {calls} calls, ${dollars},\n{steps} audit steps, {seconds} s"
            axis.set_title(f"{label}\n{cost}", fontsize=7)
            axis.set_xlabel("worlds")
            axis.grid(visible=False, axis="y")
    return path
