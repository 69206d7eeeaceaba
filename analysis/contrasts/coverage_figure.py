"""The figure of coverage: how far each arm's footprint lies from uniform draws, iteration by iteration."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from analysis.contrasts.coverage import CONTROL, Coverage
from analysis.contrasts.curves import place_of
from analysis.contrasts.sweep import Sweep, of_seeds
from analysis.csv_file import write_csv
from analysis.style import drawing, line

CAPTION = (
    "Share of the pool with a gradient, cumulated to the end of each iteration, minus what uniform draws of "
    "the same schedule reach: means over seeds ({}), bars Student's 95 % interval over them. The gate alone "
    "moves it, also where prompts are drawn uniformly: tasks that always or never pass carry no gradient, so "
    "the others come again. Beside random_worlds, not beside 0, an arm shows what its curriculum covers."
)
LEAST = 1.0
"""Points that a panel shows on either side of 0, so that what is all covered is not magnified."""
APART = 0.06
"""Iterations by which the marks of two arms stand apart."""
HEADER = (
    *(field for field in Coverage._fields if field not in ("excess", "difference")),
    *("excess", "excess_low", "excess_high"),
    *("difference", "difference_low", "difference_high"),
)


def write_coverage(sweep: Sweep, found: Sequence[Coverage], arms: Sequence[str], out: Path) -> list[Path]:
    """coverage.csv of all arms and coverage.png of some; nothing when no result has a footprint."""
    if not found:
        return []
    table = write_csv(out / "coverage.csv", HEADER, [_row(c) for c in found])
    shown = [c for c in found if c.arm in arms and c.scope == "cumulated"]
    return [table, _draw(sweep, shown, arms, out / "coverage.png")] if shown else [table]


def _row(c: Coverage) -> tuple[Any, ...]:
    plain = [value for value, name in zip(c, c._fields, strict=True) if name not in ("excess", "difference")]
    gaps = (*c.excess, *(c.difference or (None, None, None)))
    return (*plain, *(edge if edge is None or isfinite(edge) else None for edge in gaps))


def _draw(sweep: Sweep, shown: Sequence[Coverage], arms: Sequence[str], path: Path) -> Path:
    dimensions = list(dict.fromkeys(c.dimension for c in shown))
    columns = min(4, len(dimensions))
    rows = -(-len(dimensions) // columns)
    few = sweep.case_study(list(dict.fromkeys(c.arm for c in shown)))
    seeds = of_seeds(len(sweep.seeds)) + (f"; {few}" if few else "")
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
        figure, names = axes[0][0].figure, axes[0][0].get_legend_handles_labels()
        figure.legend(*names, fontsize=8, loc="outside upper left", ncols=len(names[0]))
    return path


def _panel(axis: Any, cells: Sequence[Coverage], arms: Sequence[str]) -> None:
    iterations = sorted({c.iteration for c in cells})
    for index, arm in enumerate(arms):
        own = [c for c in cells if c.arm == arm]
        if own:
            # Beside each other, so that the bars of arms do not hide one another.
            at = [c.iteration + APART * (index - (len(arms) - 1) / 2) for c in own]
            excess = [100 * c.excess.mean for c in own]
            half = [100 * (c.excess.high - c.excess.mean) if isfinite(c.excess.high) else 0.0 for c in own]
            name = f"{arm} (control)" if arm == CONTROL else arm
            axis.errorbar(at, excess, half, label=name, elinewidth=0.8, **line(place_of(arm, index)))
    axis.axhline(0, color="black", linewidth=0.6)
    axis.set_ylim(min(-LEAST, axis.get_ylim()[0]), max(LEAST, axis.get_ylim()[1]))
    axis.set_xticks(iterations)
