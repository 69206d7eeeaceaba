"""The figure of coverage: how far each arm's footprint lies from uniform draws, iteration by iteration."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from analysis.contrasts.coverage import CONTROL, Coverage
from analysis.contrasts.curves import place_of
from analysis.contrasts.sweep import Sweep
from analysis.csv_file import write_csv
from analysis.style import drawing, line

CAPTION = (
    "Share of the pool with a gradient, cumulated to the end of each iteration, minus what uniform draws of "
    "the same schedule reach (means over seeds; {}); grey: the widest 95 % band of one run's uniform draws. "
    "Within it, an arm covers what chance covers: coverage explains nothing about its scores."
)
LEAST = 1.0
"""Points that a panel shows on either side of 0, so that what is all covered is not magnified."""
HEADER = (
    *(field for field in Coverage._fields if field != "difference"),
    "difference",
    "difference_low",
    "difference_high",
)


def write_coverage(sweep: Sweep, found: Sequence[Coverage], arms: Sequence[str], out: Path) -> list[Path]:
    """coverage.csv of all arms and coverage.png of some; nothing when no result has a footprint."""
    if not found:
        return []
    table = write_csv(out / "coverage.csv", HEADER, [_row(c) for c in found])
    shown = [c for c in found if c.arm in arms and c.scope == "cumulated"]
    return [table, _draw(sweep, shown, arms, out / "coverage.png")] if shown else [table]


def _row(c: Coverage) -> tuple[Any, ...]:
    gap = c.difference or (None, None, None)
    return (*c[:-1], *(edge if edge is None or isfinite(edge) else None for edge in gap))


def _draw(sweep: Sweep, shown: Sequence[Coverage], arms: Sequence[str], path: Path) -> Path:
    dimensions = list(dict.fromkeys(c.dimension for c in shown))
    columns = min(4, len(dimensions))
    rows = -(-len(dimensions) // columns)
    seeds = f"{len(sweep.seeds)} seeds" + (": a case study" if sweep.case_study else "")
    with drawing(path, CAPTION.format(seeds), rows, columns, width=10, height=1.6 + 2 * rows) as axes:
        for axis, dimension in zip(axes.flat, dimensions, strict=False):
            _panel(axis, [c for c in shown if c.dimension == dimension], arms)
            axis.set_title(dimension)
        for axis in list(axes.flat)[len(dimensions) :]:
            axis.set_axis_off()
        for axis in axes[-1]:
            axis.set_xlabel("iteration")
        for row in axes:
            row[0].set_ylabel("points above uniform")
        axes[0][0].legend(fontsize=6, loc="upper left")
    return path


def _panel(axis: Any, cells: Sequence[Coverage], arms: Sequence[str]) -> None:
    iterations = sorted({c.iteration for c in cells})
    bands = [[c for c in cells if c.iteration == i] for i in iterations]
    low = [100 * min(c.low - c.expected for c in band) for band in bands]
    high = [100 * max(c.high - c.expected for c in band) for band in bands]
    axis.fill_between(iterations, low, high, color="#bbbbbb", alpha=0.4, lw=0)
    for index, arm in enumerate(arms):
        own = [c for c in cells if c.arm == arm]
        if own:
            excess = [100 * (c.share - c.expected) for c in own]
            name = f"{arm} (control)" if arm == CONTROL else arm
            axis.plot([c.iteration for c in own], excess, label=name, **line(place_of(arm, index)))
    axis.axhline(0, color="black", linewidth=0.6)
    axis.set_ylim(min(-LEAST, axis.get_ylim()[0]), max(LEAST, axis.get_ylim()[1]))
    axis.set_xticks(iterations)
