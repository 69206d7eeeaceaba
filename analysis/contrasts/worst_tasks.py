"""The CVaR curve: mean all-pass of the worst share of tasks, for every share."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analysis.contrasts.curves import place_of
from analysis.contrasts.scores import RANKED, rollouts
from analysis.contrasts.sweep import Sweep
from analysis.csv_file import write_csv
from analysis.statistics.tail import cross_seeded_curve
from analysis.style import drawing, line

SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
CAPTION = (
    "Mean test all-pass (temperature 1) of the worst share of tasks, ranked on half of the rollouts and "
    "scored on the other half, means over seeds; at 100 % stands the mean over all tasks, at the left what "
    "was left behind{}."
)
WARM = "warm start"
Outcomes = Sequence[tuple[bool, ...]]
"""All-pass of one run, (task, rollout)."""


class Tail(NamedTuple):
    """One line of the figure."""

    arm: str
    seeds: int
    heights: tuple[float, ...]  # by SHARES


def tails(sweep: Sweep, arms: Sequence[str]) -> list[Tail]:
    """The warm start of all seeds, then the arms; those with too few rollouts to rank tasks are left out.

    All are cut to equally many rollouts, or else the lines would differ in how well they rank; a warm start
    that was tested less often than the arms is left out.
    """
    played = {arm: [rollouts(run, "final") for run in sweep.of(arm)] for arm in arms}
    counts = [_rollouts(found) for found in played.values()]
    least = min((count for count in counts if count >= RANKED), default=0)
    warm = {WARM: [rollouts(sweep.at(seed)[0], "warm") for seed in sweep.seeds]}
    return [
        _tail(name, found, least)
        for name, found in (warm | played).items()
        if least and _rollouts(found) >= least
    ]


def _rollouts(played: Sequence[Outcomes]) -> int:
    """How many every task has."""
    return min((len(passed[0]) if passed else 0 for passed in played), default=0)


def _tail(name: str, played: Sequence[Outcomes], count: int) -> Tail:
    cut = [[passed[:count] for passed in outcomes] for outcomes in played]
    heights = np.mean([cross_seeded_curve(outcomes, SHARES) for outcomes in cut], axis=0)
    return Tail(name, len(played), tuple(float(height) for height in heights))


def write_worst_tasks(sweep: Sweep, arms: Sequence[str], out: Path) -> list[Path]:
    """cvar.csv and cvar.png; nothing when no arm was tested often enough."""
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
