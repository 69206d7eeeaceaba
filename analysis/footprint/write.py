"""The footprint of a run as text, CSV and figure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.command import Result
from analysis.footprint.pool import DIMENSIONS, read_pool, read_updates
from analysis.footprint.shares import Reached, footprint
from analysis.run_directory import OpenRun
from analysis.style import colour, drawing
from analysis.text_table import align, percent, write_csv

CAPTION = (
    "Share of the pool that received a gradient up to each update (line), beside the mean and 95 % range of "
    "as many uniform draws from the pool as it stood (dashed, band): what stays in the band proves nothing."
)
_HEADER = (
    "dimension",
    "scope",
    "iteration",
    "update",
    "reached",
    "pool",
    "share",
    "expected",
    "low",
    "high",
)


def write_footprint(run: OpenRun, out: Path | None = None) -> Result:
    """footprint.csv and footprint.png in `out` (None: the run's figures)."""
    out = out or run.figures
    reached = footprint(read_pool(run.ledger, run.id), read_updates(run.ledger, run.id))
    rows = [(*r[:6], r.share, r.expected, r.low, r.high) for r in reached]
    table = write_csv(out / "footprint.csv", _HEADER, rows)
    return Result(render_footprint(reached), (table, _draw(reached, out / "footprint.png")))


def render_footprint(reached: Sequence[Reached]) -> str:
    """The cumulated shares at the last update, one line per dimension."""
    last = [r for r in reached if r.scope == "cumulated" and r.update == reached[-1].update]
    lines = [
        (r.dimension, str(r.reached), str(r.pool), percent(r.share), percent(r.expected), _range(r))
        for r in last
    ]
    header = ("with a gradient", "reached", "of", "share", "uniform", "95 % range")
    return "\n".join(align(header, lines))


def _range(r: Reached) -> str:
    return f"{r.low:.1%} to {r.high:.1%}"


def _draw(reached: Sequence[Reached], path: Path) -> Path:
    with drawing(path, CAPTION, 2, 4, width=10, height=4.8) as axes:
        for axis, dimension in zip(axes.flat, DIMENSIONS, strict=False):
            _panel(axis, [r for r in reached if r.scope == "cumulated" and r.dimension == dimension])
            axis.set_title(dimension)
        for axis in list(axes.flat)[len(DIMENSIONS) :]:
            axis.set_axis_off()
        axes[0][0].legend()
    return path


def _panel(axis: Any, line: Sequence[Reached]) -> None:
    updates = [r.update + 1 for r in line]
    axis.fill_between(
        updates, [r.low for r in line], [r.high for r in line], color=colour(5), alpha=0.35, lw=0
    )
    axis.plot(updates, [r.expected for r in line], color=colour(0), ls="--", label="uniform draws")
    axis.plot(updates, [r.share for r in line], color=colour(1), label="this run")
    axis.set_ylim(0, 1.02)
    axis.set_xlabel("updates")
