"""Withheld families as text, CSV and figure: a line per run, and the arms of a seed side by side."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from analysis.compare.naming import arm_names
from analysis.compare.pages import on_pages
from analysis.compare.withheld import Withheld, withheld_of
from analysis.csv_file import write_csv
from analysis.run_directory import OpenRun
from analysis.style import colour, drawing, line
from planet.text_table import align, percent

CAPTION = (
    "All-pass of the family that the warm start withheld (line) beside the mean of the other families at the "
    "same evaluation (dotted), over charged steps; a star marks where it stands level for two evaluations "
    "in a row. An arm whose star comes earlier cured it for less."
)
HEADER = ("run", "family", "updates", "charged_steps", "episodes", "success", "level")
FOUND = (
    "run",
    "arm",
    "seed",
    "family",
    "rank",
    "of",
    "failure_rate",
    "claimed",
    "updates",
    "charged_steps",
)
NOT_REACHED = "not reached"


def write_withheld(runs: Mapping[str, OpenRun], out: Path) -> tuple[str, list[Path]]:
    """Tables, withheld.csv and .png, withheld_found.csv; nothing when no warm start withheld a family."""
    found = {label: several for label, run in runs.items() if (several := withheld_of(run))}
    if not found:
        return "", []
    each = [(label, one) for label, several in found.items() for one in several]
    curves = [(label, one.family, *point) for label, one in each for point in one.curve]
    names = _names(each)
    places = sorted({(one.seed, one.family) for _, one in each})
    panels = {
        place: {names[n]: one for n, one in each if (one.seed, one.family) == place} for place in places
    }
    arms = list(dict.fromkeys(names.values()))
    files = [
        write_csv(out / "withheld.csv", HEADER, curves),
        *on_pages(panels, out / "withheld.png", partial(_draw, arms)),
        write_csv(out / "withheld_found.csv", FOUND, [_row(label, one) for label, one in each]),
    ]
    return render_withheld(each), files


def render_withheld(each: Sequence[tuple[str, Withheld]]) -> str:
    """A line per run and family; below it a line per seed with the arms side by side, where there are two."""
    header = ("withheld from the warm start", "family", "rank in the first report", *_SIDES, *_SPENT)
    rows = [
        (
            label,
            one.family,
            _place_text(one),
            *_ends(one),
            _count(one.updates),
            _count(one.charged),
        )
        for label, one in each
    ]
    told = "\n".join(align(header, rows, left=(0, 1)))
    beside = _side_by_side(each)
    return f"{told}\n\n{beside}" if beside else told


_SIDES = ("start", "others", "end", "others")
_SPENT = ("level after updates", "charged steps")


def _ends(one: Withheld) -> tuple[str, ...]:
    first, last = one.curve[0], one.curve[-1]
    return tuple(percent(share) for share in (first.success, first.level, last.success, last.level))


def _place_text(one: Withheld) -> str:
    if one.found is None:
        return "-"
    return f"{one.found.rank} of {one.found.of}" + (", claimed" if one.found.claimed else "")


def _side_by_side(each: Sequence[tuple[str, Withheld]]) -> str:
    """Charged steps until each arm stood level, by family and seed; empty when there is one arm."""
    names = _names(each)
    arms = list(dict.fromkeys(names.values()))
    if len(arms) < 2:
        return ""
    spent = {(one.family, one.seed, names[label]): _count(one.charged) for label, one in each}
    places = sorted({(family, seed) for family, seed, _ in spent})
    rows = [
        (f"{family}, seed {seed}", *(spent.get((family, seed, arm), "-") for arm in arms))
        for family, seed in places
    ]
    return "\n".join(align(("charged steps until level", *arms), rows))


def _names(each: Sequence[tuple[str, Withheld]]) -> dict[str, str]:
    """Label of a run -> how it is called beside the others."""
    return arm_names({label: (one.arm, one.seed) for label, one in each})


def _count(spent: int | None) -> str:
    return NOT_REACHED if spent is None else f"{spent:,.0f}"


def _row(label: str, one: Withheld) -> tuple[Any, ...]:
    found = one.found or (None, None, None, None)
    return (label, one.arm, one.seed, one.family, *found, one.updates, one.charged)


def _draw(arms: Sequence[str], panels: Mapping[tuple[int, str], Mapping[str, Withheld]], path: Path) -> Path:
    with drawing(path, CAPTION, 1, len(panels), width=2 + 2.8 * len(panels), height=3.4) as axes:
        for axis, ((seed, family), found) in zip(axes[0], panels.items(), strict=True):
            for arm, one in found.items():
                _line(axis, arms.index(arm), arm, one)
            axis.set_title(f"{family}, seed {seed}")
            axis.set_xlabel("charged steps")
            axis.locator_params(axis="x", nbins=4)
            axis.set_ylim(-2, 102)
        axes[0][0].set_ylabel("all-pass (%)")
        axes[0][0].legend(fontsize=7)
    return path


def _line(axis: Any, index: int, name: str, one: Withheld) -> None:
    x = [point.charged for point in one.curve]
    axis.plot(x, [100 * point.success for point in one.curve], label=name, **line(index))
    axis.plot(x, [100 * point.level for point in one.curve], color=colour(index), linestyle=":")
    if one.charged is not None:
        level = next(point for point in one.curve if point.charged == one.charged)
        axis.plot([one.charged], [100 * level.success], "*", color=colour(index), markersize=13)
