"""The section on a weakness report: the cells that failed most, each leading to its exemplars."""

from analysis.intervals import Interval
from analysis.report.anchors import Anchors
from analysis.report.charts import rate_bar, rate_text
from analysis.report.markup import Html, element, folded, note, section, table, together
from analysis.report.record import Diagnosis, RunRecord
from analysis.report.samples import Limits, shown_cells
from analysis.weakness import Cell, WeaknessReport

_HEADER = (
    "cell", "failure rate", "read", "failed", "of", "worlds", "rate and interval", "at least", "change",
    "mostly",
)  # fmt: skip
_WORDS = (0, 2, 9)
"""Columns of text."""


def weakness_section(
    record: RunRecord,
    diagnosis: Diagnosis,
    targeted: frozenset[str],
    anchors: Anchors,
    limits: Limits,
) -> Html:
    """The report of one diagnosis. `targeted`: cells that briefs of its iteration aim at."""
    cells = shown_cells(record, diagnosis.report.cells, limits)
    skills = [cell for cell in cells if cell.facet in record.facets]
    others = [cell for cell in cells if cell.facet not in record.facets]
    return section(
        3,
        f"Weakness: report {diagnosis.id}",
        element("p", _totals(diagnosis.report)),
        _sure(diagnosis.report),
        _cells(diagnosis, skills, targeted, anchors),
        note(
            f"Cells of the facet {' and '.join(record.facets)}, weakest first; ▸ is what this iteration's "
            "briefs aim at, ● a claim. A cell fails in an episode when what it owns was missing or wrong; "
            "suspects share the blame, so counts can be fractions. Intervals resample worlds; there is none "
            "where one world was met or every episode failed; “at least” is Wilson's one-sided "
            f"{diagnosis.report.confidence:.0%} bound. The numbers under “read” open episodes that failed."
        ),
        _folded_cells(diagnosis, others, targeted, anchors),
    )


def _totals(report: WeaknessReport) -> str:
    return (
        f"{report.episodes} probe episodes of {report.tasks} tasks in {report.worlds} worlds that no "
        f"training sees: all-pass {report.all_pass:.1%}, raw reward {report.raw_reward:.3f}."
    )


def _sure(report: WeaknessReport) -> Html | None:
    """What the report's own tests say; nothing when none was made."""
    lost = "".join(
        f" Mastered once and lost again: {f.cell}, which fails in {f.rate:.0%} of {f.opportunities} episodes."
        for f in report.forgotten
    )
    if report.abstains is None:
        return element("p", lost) if lost else None
    if report.abstains:
        return element(
            "p", f"The report abstains: no difference between its cells is sure, so it claims none.{lost}"
        )
    claims = [cell.name for cell in report.cells if cell.claimed]
    words = f"Claimed to be weaker than their facet: {', '.join(claims)}." if claims else "It claims no cell."
    return element("p", words + lost)


def _folded_cells(
    diagnosis: Diagnosis, cells: list[Cell], targeted: frozenset[str], anchors: Anchors
) -> Html | None:
    if not cells:
        return None
    return folded(
        f"The {len(cells)} weakest cells of other facets", _cells(diagnosis, cells, targeted, anchors)
    )


def _cells(diagnosis: Diagnosis, cells: list[Cell], targeted: frozenset[str], anchors: Anchors) -> Html:
    rows = [_row(diagnosis, cell, cell.name in targeted, anchors) for cell in cells]
    return table(_HEADER, rows, words=_WORDS)


def _row(diagnosis: Diagnosis, cell: Cell, targeted: bool, anchors: Anchors) -> tuple[object, ...]:
    rate = diagnosis.failure(cell.name) or Interval(cell.rate, cell.rate, cell.rate)
    mode = max(cell.modes.items(), key=lambda item: item[1])[0].replace("_", " ") if cell.modes else "-"
    read = [
        anchors.link("episode", episode_id, number)
        for number, episode_id in enumerate(cell.exemplars, start=1)
        if anchors.placed("episode", episode_id)
    ]
    return (
        element("b" if targeted else "span", "▸ " * targeted + "● " * cell.claimed + cell.name),
        rate_bar(rate, cell.name),
        together(read, " ") if read else "-",
        f"{cell.failures:.4g}",
        cell.opportunities,
        cell.worlds,
        rate_text(rate),
        f"{cell.wilson_low:.0%}",
        "new" if cell.change is None else f"{100 * cell.change:+.0f}",
        mode,
    )
