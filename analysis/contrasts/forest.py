"""The forest plot: every named contrast with its interval, on all tasks, on targeted cells and elsewhere."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from analysis.contrasts.contrast import Contrast, ranges_over
from analysis.contrasts.measures import OTHERS, PRIMARY, TARGETED
from analysis.csv_file import write_csv
from analysis.style import colour, drawing

PANELS = (PRIMARY, "all_pass_greedy", TARGETED, OTHERS)
HEADER = ("measure", "one", "other", "seeds", "difference", "low", "high", "over", "p", "holm", "claimed")


def write_forest(found: Sequence[Contrast], out: Path) -> list[Path]:
    """forest.csv and forest.png; nothing when no contrast is there."""
    shown = [c for c in found if c.measure.name in PANELS and c.holm is not None]
    if not shown:
        return []
    return [write_csv(out / "forest.csv", HEADER, contrast_rows(shown)), _draw(shown, out / "forest.png")]


def contrast_rows(found: Sequence[Contrast]) -> list[tuple[Any, ...]]:
    """Contrasts as rows of a CSV file, in shares; an unbounded interval is left empty."""
    return [
        (
            c.measure.name,
            c.one,
            c.other,
            len(c.seeds),
            c.interval.mean,
            *(edge if isfinite(edge) else None for edge in c.interval[1:]),
            c.over,
            c.p,
            c.holm,
            c.shown,
        )
        for c in found
    ]


def caption(shown: Sequence[Contrast]) -> str:
    """The sentence under the figure."""
    deciding = [c for c in shown if c.measure.name == PRIMARY]
    seeds = sorted({len(c.seeds) for c in shown})
    few = sum(c.case_study for c in shown)
    study = "" if not few else ": a case study" if few == len(shown) else ", below 10 a case study"
    arms = " and ".join(dict.fromkeys(c.one for c in shown))
    over = ranges_over(shown)
    found = (
        "a case study claims none of them"
        if few == len(shown)
        else f"{sum(c.shown for c in deciding)} of {len(deciding)} differences in "
        f"{deciding[0].measure.title}, which decides, survive Holm's adjustment (filled); hollow ones claim "
        "nothing"
    )
    how = f"with 95 % intervals {over}" if over else "no interval"
    return (
        f"{arms} minus each control on the final test, paired by seed ({_several(seeds)} "
        f"seed{'s' if seeds != [1] else ''}{study}), {how}; {found}."
    )


def _several(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _draw(shown: Sequence[Contrast], path: Path) -> Path:
    controls = list(dict.fromkeys(_row(c, shown) for c in shown))
    panels = [name for name in PANELS if any(c.measure.name == name for c in shown)]
    height = 1.8 + 0.35 * len(controls)
    reach = _reach(shown)
    with drawing(path, caption(shown), 1, len(panels), width=2.4 * len(panels) + 1, height=height) as axes:
        for column, name in enumerate(panels):
            axis = axes[0][column]
            mine = [c for c in shown if c.measure.name == name]
            for c in mine:
                _bar(axis, controls.index(_row(c, shown)), c)
            axis.axvline(0, color="black", linewidth=0.8)
            axis.set_title(mine[0].measure.title, fontsize=8)
            axis.set_xlabel("points (right: better than the control)", fontsize=7)
            axis.set_xlim(*reach)
            axis.set_ylim(len(controls) - 0.5, -0.5)
            axis.set_yticks(range(len(controls)), controls if column == 0 else [""] * len(controls))
            axis.grid(visible=False, axis="y")
    return path


def _row(c: Contrast, shown: Sequence[Contrast]) -> str:
    """The control, and the arm where several were contrasted; a case study says so beside others."""
    name = c.other if len({other.one for other in shown}) == 1 else f"{c.one} - {c.other}"
    own = [other for other in shown if (other.one, other.other) == (c.one, c.other)]
    some = any(other.case_study for other in own) and not all(other.case_study for other in shown)
    return f"{name} (case study)" if some else name


def _reach(shown: Sequence[Contrast]) -> tuple[float, float]:
    """One range of points for all panels, so that lengths compare."""
    edges = [100 * edge for c in shown for edge in c.interval if isfinite(edge)]
    low, high = min(0.0, *edges), max(0.0, *edges)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def _bar(axis: Any, place: int, c: Contrast) -> None:
    shade = colour(0)
    if isfinite(c.interval.low):
        axis.plot([100 * c.interval.low, 100 * c.interval.high], [place, place], color=shade)
    face = shade if c.shown else "white"
    axis.plot([100 * c.interval.mean], [place], "o", color=shade, markerfacecolor=face, markersize=6)
