"""Cells over the iterations of each run: failure rates, and what was aimed at, claimed and forgotten."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from analysis.compare.pages import on_pages
from analysis.csv_file import write_csv
from analysis.errors import DataError
from analysis.run_directory import OpenRun
from analysis.style import drawing
from analysis.weakness.write import StoredReport, heat, read_reports, weakest_cells

CAPTION = (
    "Failure rate per cell and report, by facet: the weakest cells of any run, and all that briefs aimed "
    "at or that were forgotten (r0 reads the warm start). "
    "Frame: briefs of that iteration aimed at it; ▲ claimed to be weaker than its facet; ▼ mastered before "
    "and lost; grey: no task required it. Cells that darken from left to right are weaknesses removed."
)
HEADER = ("run", "report", "cell", "opportunities", "rate", "targeted", "claimed", "forgotten")
CELLS = 24


def reports_of(runs: Mapping[str, OpenRun]) -> dict[str, list[StoredReport]]:
    """The weakness reports, in order, of the runs that have any."""
    out = {}
    for label, run in runs.items():
        try:
            out[label] = read_reports(run)
        except DataError:  # it was not diagnosed yet
            continue
    return out


def write_cells(runs: Mapping[str, OpenRun], out: Path) -> list[Path]:
    """cells.csv and cells.png of runs by label; nothing when none was diagnosed."""
    found = reports_of(runs)
    if not found:
        return []
    names = weakest_cells([stored for reports in found.values() for stored in reports], CELLS)
    rows = [
        _row(label, stored, name) for label, reports in found.items() for stored in reports for name in names
    ]
    table = write_csv(out / "cells.csv", HEADER, [row for row in rows if row is not None])
    return [table, *on_pages(found, out / "cells.png", partial(_draw, names))]


def _row(label: str, stored: StoredReport, name: str) -> tuple[Any, ...] | None:
    cell = stored.report.cell(name)
    if cell is None:
        return None
    marks = (name in stored.aimed_at, cell.claimed, name in stored.forgotten)
    return (label, stored.id, name, cell.opportunities, cell.rate, *marks)


def _draw(names: Sequence[str], found: Mapping[str, list[StoredReport]], path: Path) -> Path:
    columns = sum(len(reports) for reports in found.values())
    size = {"width": 3.2 + 0.55 * columns + 0.3 * len(found), "height": 2.0 + 0.22 * len(names)}
    with drawing(path, CAPTION, 1, len(found), **size) as axes:
        for index, (label, reports) in enumerate(found.items()):
            image = heat(axes[0][index], reports, names, labelled=index == 0)
            axes[0][index].set_title(label, fontsize=8)
        axes[0][-1].figure.colorbar(image, ax=list(axes[0]), label="failure rate", shrink=0.6)
    return path
