"""The weakness reports of a run as text, JSON, CSV and a heat map of cells over iterations."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from analysis.briefs import aimed_briefs, goals
from analysis.command import Result
from analysis.csv_file import write_csv
from analysis.errors import DataError
from analysis.ledger import BriefRow, ReportRow, StepRow
from analysis.run_directory import OpenRun
from analysis.style import HEAT, colour, drawing
from analysis.weakness.gradients import shares_between
from analysis.weakness.record import Cell, WeaknessReport
from analysis.weakness.text import render

CAPTION = (
    "Failure rate in percent of the cells that were weakest in any report, report by report (r0 reads the "
    "warm start). Frame: briefs of that iteration aimed at it; ▲ claimed to be weaker than its facet; "
    "▼ mastered before and lost; grey: no task required it."
)
CELLS_SHOWN = 24
_HEADER = (
    "report",
    "cell",
    "opportunities",
    "failures",
    "tasks",
    "worlds",
    "rate",
    "rate_low",
    "rate_high",
    "posterior_mean",
    "wilson_low",
    "p_value",
    "q_value",
    "claimed",
    "coverage",
    "contrast",
    "learnability",
    "change",
    "gradient_share",
    "forgotten",
    "ambiguous",
    "modes",
    "targeted",
    "exemplars",
)


class StoredReport(NamedTuple):
    """A report of a run."""

    id: str
    iteration: int | None  # None: after the last one
    report: WeaknessReport
    aimed_at: frozenset[str]  # goals of the briefs of its iteration that aim at it, not those that explore

    @property
    def forgotten(self) -> frozenset[str]:
        """Cells that were mastered once and are lost again."""
        return frozenset(lost.cell for lost in self.report.forgotten)


def read_reports(run: OpenRun) -> list[StoredReport]:
    """The weakness reports of a run, in order; DataError when there is none yet.

    A report that was stored without gradient shares gets those of the updates since the one before it.
    """
    rows = sorted(run.ledger.rows(ReportRow, run.id), key=lambda row: row.step)
    if not rows:
        raise DataError(f"{run.path} has no weakness report yet; wait for its first diagnosis")
    steps = run.ledger.rows(StepRow, run.id)
    iterations = {step.step: step.iteration for step in steps}
    aimed: dict[int | None, list[BriefRow]] = {}
    for brief in aimed_briefs(steps, run.ledger.rows(BriefRow, run.id)):
        aimed.setdefault(iterations[brief.step], []).append(brief)
    reports = [WeaknessReport.model_validate(rows[0].report)]
    for before, row in pairwise(rows):
        report = WeaknessReport.model_validate(row.report)
        if all(cell.gradient_share is None for cell in report.cells):
            report = _with_shares(report, shares_between(run.ledger, run.id, before.step, row.step))
        reports.append(report)
    numbers = [iterations[row.step] for row in rows]
    return [
        StoredReport(row.report_id, number, report, goals(aimed.get(number, ())))
        for row, number, report in zip(rows, numbers, reports, strict=True)
    ]


def _with_shares(report: WeaknessReport, shares: dict[str, float] | None) -> WeaknessReport:
    if shares is None:
        return report
    cells = tuple(cell.replace(gradient_share=shares.get(cell.name, 0.0)) for cell in report.cells)
    filled: WeaknessReport = report.replace(cells=cells)
    return filled


def write_weakness(run: OpenRun, out: Path | None = None, top: int = 12) -> Result:
    """weakness.json, weakness.csv and weakness.png in `out` (None: the run's figures)."""
    return write_reports(read_reports(run), out or run.figures, top)


def write_reports(
    reports: Sequence[StoredReport], out: Path, top: int = 12, caption: str = CAPTION
) -> Result:
    """weakness.json, weakness.csv and weakness.png of some reports, oldest first, in `out`."""
    table = write_csv(out / "weakness.csv", _HEADER, [_row(s, c) for s in reports for c in s.report.cells])
    stored = out / "weakness.json"
    bodies = ",\n".join(f'"{s.id}": {s.report.model_dump_json()}' for s in reports)
    stored.write_text(f"{{\n{bodies}\n}}\n", encoding="utf-8")
    text = "\n\n".join(f"report {s.id}: {render(s.report, top)}" for s in reports)
    return Result(text, (stored, table, _draw(reports, out / "weakness.png", caption)))


def _row(stored: StoredReport, cell: Cell) -> tuple[object, ...]:
    return (
        stored.id,
        cell.name,
        cell.opportunities,
        cell.failures,
        cell.tasks,
        cell.worlds,
        cell.rate,
        cell.rate_low,
        cell.rate_high,
        cell.posterior_mean,
        cell.wilson_low,
        cell.p_value,
        cell.q_value,
        cell.claimed,
        cell.coverage,
        cell.contrast,
        cell.learnability,
        cell.change,
        cell.gradient_share,
        cell.name in stored.forgotten,
        cell.ambiguous,
        " ".join(f"{mode}={count}" for mode, count in cell.modes.items()),
        cell.name in stored.aimed_at,
        " ".join(cell.exemplars),
    )


def weakest_cells(reports: Sequence[StoredReport], count: int = CELLS_SHOWN) -> list[str]:
    """The cells with the largest Wilson bound in any report, all aimed at and forgotten ones, by name."""
    highest: dict[str, float] = {}
    for stored in reports:
        for cell in stored.report.cells:
            highest[cell.name] = max(highest.get(cell.name, 0.0), cell.wilson_low)
    marked = {name for stored in reports for name in stored.aimed_at | stored.forgotten if name in highest}
    ranked = sorted(highest, key=lambda name: (name not in marked, -highest[name], name))
    return sorted(ranked[: max(count, len(marked))])


def _draw(reports: Sequence[StoredReport], path: Path, caption: str) -> Path:
    names = weakest_cells(reports)
    width = 3.5 + 0.7 * len(reports)
    with drawing(path, caption, width=width, height=1.6 + 0.22 * len(names)) as axes:
        image = heat(axes[0][0], reports, names)
        axes[0][0].figure.colorbar(image, ax=axes[0][0], label="failure rate")
    return path


def heat(axis: Any, reports: Sequence[StoredReport], names: Sequence[str], labelled: bool = True) -> Any:
    """Failure rates of some cells, report by report, in percent, with the marks that the captions explain.

    labelled: whether the cells' names stand beside it. Returns the image, for a colour bar.
    """
    cells = [[stored.report.cell(name) for stored in reports] for name in names]
    rates = [[float("nan") if cell is None else cell.rate for cell in row] for row in cells]
    axis.set_facecolor("#dddddd")
    image = axis.imshow(rates, vmin=0, vmax=1, cmap=HEAT, aspect="auto")
    axis.set_xticks(range(len(reports)), [stored.id for stored in reports])
    axis.set_yticks(range(len(names)), names if labelled else [""] * len(names), fontsize=7)
    axis.grid(visible=False)
    for column, stored in enumerate(reports):
        forgotten = stored.forgotten
        for line, name in enumerate(names):
            cell = cells[line][column]
            if cell is not None:
                text = f"{100 * cell.rate:.0f}" + "▲" * cell.claimed + "▼" * (name in forgotten)
                shade = "black" if cell.rate > 0.6 else "white"
                axis.text(column, line, text, ha="center", va="center", color=shade, size=6)
            if name in stored.aimed_at:
                axis.add_patch(_frame(column, line))
    return image


def _frame(column: int, line: int) -> Any:
    from matplotlib.patches import Rectangle

    corner = (column - 0.46, line - 0.44)
    return Rectangle(corner, 0.92, 0.88, fill=False, edgecolor=colour(1), linewidth=1.8)
