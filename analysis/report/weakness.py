"""The section on a weakness report: the cells that failed most, each leading to its exemplars."""

from analysis.report.anchors import Anchors
from analysis.report.charts import rate_bar
from analysis.report.markup import Html, element, folded, note, section, table, together
from analysis.report.record import Diagnosis, RunRecord
from analysis.report.samples import Limits, shown_cells
from analysis.weakness import Cell

_HEADER = ("cell", "failure rate", "failed", "of", "worlds", "95 % interval", "change", "mostly", "read")


def weakness_section(
    record: RunRecord,
    diagnosis: Diagnosis,
    targeted: frozenset[str],
    anchors: Anchors,
    limits: Limits,
) -> Html:
    """The report of one diagnosis. `targeted`: cells that briefs of its iteration aim at."""
    report = diagnosis.report
    cells = shown_cells(record, report.cells, limits)
    skills = [cell for cell in cells if cell.facet in record.facets]
    others = [cell for cell in cells if cell.facet not in record.facets]
    facets = " and ".join(record.facets)
    return section(
        3,
        f"Weakness: report {diagnosis.id}",
        element(
            "p",
            f"{report.episodes} probe episodes of {report.tasks} tasks in {report.worlds} worlds that no "
            f"training sees: all-pass {report.all_pass:.1%}, raw reward {report.raw_reward:.3f}.",
        ),
        _cells(diagnosis, skills, targeted, anchors),
        note(
            f"Cells of the facet {facets}, weakest first; ▸ marks what this iteration's briefs aim at. A "
            "cell fails in an episode when what it owns was missing or wrong; suspects share the blame, so "
            "counts can be fractions. Intervals resample worlds. The numbers under read open episodes."
        ),
        folded(
            f"The {len(others)} weakest cells of other facets", _cells(diagnosis, others, targeted, anchors)
        )
        if others
        else None,
    )


def _cells(diagnosis: Diagnosis, cells: list[Cell], targeted: frozenset[str], anchors: Anchors) -> Html:
    return table(
        _HEADER, [_row(diagnosis, cell, cell.name in targeted, anchors) for cell in cells], words=(0, 7, 8)
    )


def _row(diagnosis: Diagnosis, cell: Cell, targeted: bool, anchors: Anchors) -> tuple[object, ...]:
    rate = diagnosis.failure(cell.name)
    mode = max(cell.modes.items(), key=lambda item: item[1])[0].replace("_", " ") if cell.modes else "-"
    read = [
        anchors.link("episode", episode_id, number)
        for number, episode_id in enumerate(cell.exemplars, start=1)
        if anchors.placed("episode", episode_id)
    ]
    return (
        element("b" if targeted else "span", ("▸ " if targeted else "") + cell.name),
        rate_bar(rate, cell.name) if rate else "-",
        f"{cell.failures:.4g}",
        cell.opportunities,
        cell.worlds,
        f"{rate.mean:.0%} [{rate.low:.0%}, {rate.high:.0%}]" if rate else f"{cell.rate:.0%}",
        "new" if cell.change is None else f"{100 * cell.change:+.0f}",
        mode,
        together(read, " ") if read else "-",
    )
