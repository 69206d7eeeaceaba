"""Difficulty asked against success measured, as text, CSV and figure."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from analysis.compare.difficulty import ALL, Asked, Played, asked_of, hardness, lost
from analysis.compare.pages import on_pages
from analysis.csv_file import write_csv
from analysis.intervals import Interval, points, shares
from analysis.run_directory import OpenRun
from analysis.style import drawing, line
from planet.text_table import align

CAPTION = (
    "All-pass in training of the tasks that briefs asked for at each difficulty, easiest first, with 95 % "
    "intervals over worlds; a line that falls says that what was asked to be harder is harder."
)
HEADER = (
    *("run", "cell", "difficulty", "worlds", "tasks"),
    *("episodes", "success", "low", "high", "mean_update"),
    *("elsewhere_episodes", "elsewhere_success", "elsewhere_low", "elsewhere_high"),
)


def write_difficulty(runs: Mapping[str, OpenRun], out: Path) -> tuple[str, list[Path]]:
    """A table and difficulty.csv, difficulty.png where a run asked for several; nothing without briefs."""
    found = {label: asked for label, run in runs.items() if (asked := asked_of(run))}
    if not found:
        return "", []
    rows = [_row(label, asked) for label, several in found.items() for asked in several]
    files = [write_csv(out / "difficulty.csv", HEADER, rows)]
    several = {label: steps for label, asked in found.items() if len(steps := _steps(asked, ALL)) > 1}
    files += on_pages(several, out / "difficulty.png", _draw)
    return render_difficulty(found), files


def render_difficulty(found: Mapping[str, Sequence[Asked]]) -> str:
    """A line per run and difficulty; of several cells, those asked for at several have lines of their own."""
    rows = []
    for label, asked in found.items():
        cells = list(dict.fromkeys(a.cell for a in asked))
        for cell in cells:
            if cell != ALL and (len(cells) == 2 or len(_steps(asked, cell)) < 2):
                continue  # the only cell is all cells
            easier: Asked | None = None
            for a in (a for a in asked if a.cell == cell):
                rows.append(_line(label, a, easier))
                easier = a if a.difficulty is not None else None
    return "\n".join(align(_TITLES, rows, left=(0, 1, 2)))


_TITLES = (
    *("difficulty asked", "cell", "difficulty", "worlds", "tasks"),
    *("all-pass in training", "mean update", "elsewhere", "lost against the easier"),
)


def _steps(asked: Sequence[Asked], cell: str) -> list[Asked]:
    """The difficulties that briefs asked for of a cell, easiest first."""
    return [a for a in asked if a.cell == cell and a.difficulty is not None]


def _line(label: str, a: Asked, easier: Asked | None) -> tuple[str, ...]:
    gap = lost(easier.training, a.training) if easier is not None else None
    success, elsewhere = (_text(played.success()) for played in (a.training, a.elsewhere))
    update = f"{fmean(a.training.updates):.0f}" if a.training.updates else "-"
    return (label, a.cell, a.name, str(a.worlds), str(a.tasks), success, update, elsewhere, points(gap))


def _text(success: Interval | None) -> str:
    return "-" if success is None else shares(success)


def _row(label: str, a: Asked) -> tuple[Any, ...]:
    update = fmean(a.training.updates) if a.training.updates else None
    return (
        *(label, a.cell, a.name, a.worlds, a.tasks),
        *(len(a.training.passed), *_flat(a.training), update),
        *(len(a.elsewhere.passed), *_flat(a.elsewhere)),
    )


def _flat(played: Played) -> tuple[float | None, ...]:
    return played.success() or (None, None, None)


def _draw(several: Mapping[str, Sequence[Asked]], path: Path) -> Path:
    levels = sorted({a.difficulty for steps in several.values() for a in steps}, key=hardness)
    names = {a.difficulty: a.name for steps in several.values() for a in steps}
    with drawing(path, CAPTION, width=2.5 + 1.5 * len(levels), height=3.6) as axes:
        axis = axes[0][0]
        for index, (label, steps) in enumerate(several.items()):
            played = [
                (levels.index(a.difficulty), s) for a in steps if (s := a.training.success()) is not None
            ]
            x = [place + 0.06 * index for place, _ in played]
            axis.plot(x, [100 * s.mean for _, s in played], label=label, **line(index))
            for place, (_, s) in zip(x, played, strict=True):
                axis.plot([place, place], [100 * s.low, 100 * s.high], color=line(index)["color"], lw=1)
        axis.set_xticks(
            range(len(levels)), [names[level].replace(", ", "\n") for level in levels], fontsize=7
        )
        axis.set_ylabel("all-pass in training (%)")
        axis.set_ylim(bottom=0)
        axis.margins(x=0.15)
        axis.legend(fontsize=7)
    return path
