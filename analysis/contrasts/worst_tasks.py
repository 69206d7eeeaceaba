"""The CVaR curve: mean all-pass of the worst share of tasks, for every share."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analysis.contrasts.curves import place_of
from analysis.contrasts.scores import Stage, rollouts
from analysis.contrasts.sweep import Sweep
from analysis.csv_file import write_csv
from analysis.run_result import RunResult
from analysis.statistics.tail import cross_seeded_curve
from analysis.style import drawing, line

SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
CAPTION = (
    "Mean test all-pass (temperature 1) of the worst share of tasks, ranked on half of the rollouts and "
    "scored on the other half, means over seeds; at 100 % stands the mean over all tasks, at the left what "
    "was left behind{}."
)
WARM = "warm start"


class Tail(NamedTuple):
    """One line of the figure."""

    arm: str
    seeds: int
    heights: tuple[float, ...]  # by SHARES


def tails(sweep: Sweep, arms: Sequence[str]) -> list[Tail]:
    """The warm start of all seeds, then the arms; those without two rollouts per task are left out."""
    first = [sweep.at(seed)[0] for seed in sweep.seeds]
    lines = [_tail(WARM, first, "warm"), *(_tail(arm, sweep.of(arm), "final") for arm in arms)]
    return [tail for tail in lines if tail is not None]


def _tail(name: str, runs: Sequence[RunResult], stage: Stage) -> Tail | None:
    outcomes = [passed for run in runs if (passed := rollouts(run, stage)) and len(passed[0]) > 1]
    if not outcomes:
        return None
    heights = np.mean([cross_seeded_curve(passed, SHARES) for passed in outcomes], axis=0)
    return Tail(name, len(outcomes), tuple(float(height) for height in heights))


def write_worst_tasks(sweep: Sweep, arms: Sequence[str], out: Path) -> list[Path]:
    """cvar.csv and cvar.png; nothing when no arm was tested twice per task."""
    lines = tails(sweep, arms)
    if not any(tail.arm != WARM for tail in lines):
        return []
    rows = [(t.arm, t.seeds, *pair) for t in lines for pair in zip(SHARES, t.heights, strict=True)]
    table = write_csv(out / "cvar.csv", ("arm", "seeds", "worst_share", "all_pass"), rows)
    return [table, _draw(sweep, lines, out / "cvar.png")]


def _draw(sweep: Sweep, lines: Sequence[Tail], path: Path) -> Path:
    few = sweep.case_study([tail.arm for tail in lines if tail.arm != WARM])
    caption = CAPTION.format(f" ({few})" if few else "")
    with drawing(path, caption, width=6.5, height=4.2) as axes:
        axis = axes[0][0]
        arms = 0
        for tail in lines:
            grey = {"color": "#777777", "linestyle": ":"}
            look = grey if tail.arm == WARM else line(place_of(tail.arm, arms))
            arms += tail.arm != WARM
            axis.plot([100 * s for s in SHARES], [100 * h for h in tail.heights], label=tail.arm, **look)
        axis.set_xlabel("worst share of tasks (%)")
        axis.set_title("all-pass of the worst tasks (%)")
        axis.set_ylim(bottom=0)
        axis.legend(fontsize=8)
    return path
