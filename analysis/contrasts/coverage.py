"""What the training of each arm touched: beside uniform draws from its own pool, and beside random worlds.

New worlds of any kind bring new tools and combinations, so a share says little by itself. It stands beside
what uniform draws over the run's own schedule reach, as a difference per seed, and beside that of random
worlds, paired by seed, at the same iteration. A mean over seeds scatters less than one run does, so it is
judged by its own interval over seeds, never by the band of one run's draws.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from analysis.contrasts.sweep import Sweep, case_study
from analysis.contrasts.tables import Table
from analysis.intervals import Interval, points
from analysis.run_result import Reached, RunResult
from analysis.statistics.paired import paired_interval

CONTROL = "random_worlds"
SHOWN = "combinations"
"""The dimension of the table; the others stand in the CSV file and the figure."""


class Coverage(NamedTuple):
    """One dimension of one arm at the end of an iteration, shares of the pool, means over seeds."""

    arm: str
    dimension: str
    scope: str  # "cumulated" or "iteration"
    iteration: int  # from 0
    seeds: int
    share: float
    expected: float  # of uniform draws
    low: float  # means of the ends of their 95 % bands, each of one run
    high: float
    excess: Interval  # share minus expected, over seeds (Student)
    outside: int  # seeds whose share lies outside of its own band
    pairs: int  # seeds that the control has as well
    control: float | None  # its share at these; None: no seed has both, or this is the control
    difference: Interval | None  # share minus the control's, over these seeds


def coverage(sweep: Sweep) -> list[Coverage]:
    """Every arm, dimension, scope and iteration of a sweep, in order; none when no result has a footprint."""
    return [
        _coverage(sweep, arm, key)
        for arm in sweep.arms
        for key in dict.fromkeys(_key(r) for run in sweep.of(arm) for r in run.footprint)
    ]


Key = tuple[str, str, int]


def _key(r: Reached) -> Key:
    return r.dimension, r.scope, r.iteration


def _at(run: RunResult, key: Key) -> Reached | None:
    return next((r for r in run.footprint if _key(r) == key), None)


def _coverage(sweep: Sweep, arm: str, key: Key) -> Coverage:
    own = [r for run in sweep.of(arm) if (r := _at(run, key)) is not None]
    both = [
        (mine.share, theirs.share)
        for one, other in (sweep.pairs(arm, CONTROL) if arm != CONTROL else [])
        if (mine := _at(one, key)) is not None and (theirs := _at(other, key)) is not None
    ]
    return Coverage(
        arm,
        *key,
        seeds=len(own),
        share=fmean(r.share for r in own),
        expected=fmean(r.expected for r in own),
        low=fmean(r.low for r in own),
        high=fmean(r.high for r in own),
        excess=paired_interval([r.share - r.expected for r in own]),
        outside=sum(not r.low <= r.share <= r.high for r in own),
        pairs=len(both),
        control=fmean(theirs for _, theirs in both) if both else None,
        difference=paired_interval([mine - theirs for mine, theirs in both]) if both else None,
    )


def coverage_table(found: Sequence[Coverage]) -> Table:
    """The dimension SHOWN, cumulated to the end of each iteration; without rows when no arm has it."""
    shown = [c for c in found if c.dimension == SHOWN and c.scope == "cumulated"]
    seeds: dict[str, int] = {}
    for c in shown:
        seeds.setdefault(c.arm, c.seeds)  # of the first iteration
    few = case_study(seeds)
    return Table(
        f"Coverage of {SHOWN}: share of the pool with a gradient, cumulated, in percent (seed means); "
        f"minus uniform draws and minus {CONTROL} in points [95 % interval over seeds]; outside: seeds whose "
        f"share lies outside of the band of their own draws{f'; {few}' if few else ''}",
        ("arm", "to iteration", "share", "uniform draws", "minus these", "outside", f"minus {CONTROL}"),
        [
            (
                c.arm,
                str(c.iteration),
                f"{100 * c.share:.1f}",
                f"{100 * c.expected:.1f}",
                points(c.excess),
                f"{c.outside} of {c.seeds}",
                points(c.difference),
            )
            for c in shown
        ],
    )
