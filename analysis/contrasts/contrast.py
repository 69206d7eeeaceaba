"""One arm against another on one measure: differences paired by seed, their interval and their p-values."""

from collections.abc import Sequence
from math import isfinite
from typing import Literal, NamedTuple

from analysis.contrasts.measures import MEASURES, PRIMARY, Measure
from analysis.contrasts.sweep import SEEDS, Sweep
from analysis.intervals import Interval, difference_bootstrap
from analysis.run_result import RunResult
from analysis.statistics.holm import holm
from analysis.statistics.paired import paired_interval
from analysis.statistics.permutation import paired_permutation
from analysis.statistics.power import LEVEL

EXTRA = (("placebo", "random_worlds"), ("oracle", "random_worlds"))
"""Contrasts that the aims read; they are no claims and are not adjusted."""

Over = Literal["seeds", "worlds"]


class Contrast(NamedTuple):
    """`one` minus `other` on one measure."""

    measure: Measure
    one: str
    other: str
    seeds: tuple[int, ...]
    differences: tuple[float, ...]  # by seed
    interval: Interval  # of their mean; unbounded when one seed gives no interval over worlds either
    over: Over  # what the interval ranges over: worlds of the seed when there is one seed
    p: float  # paired permutation test of seed means
    holm: float | None  # adjusted over the contrasts named beforehand; None: not one of them

    @property
    def shown(self) -> bool:
        """Whether its sign can be claimed: on the measure that decides, and by no case study."""
        adjusted = self.holm is not None and self.holm <= LEVEL
        return adjusted and self.measure.name == PRIMARY and not self.case_study

    @property
    def case_study(self) -> bool:
        """Whether there are fewer seeds than claims need."""
        return len(self.seeds) < SEEDS


def ranges_over(found: Sequence[Contrast]) -> str:
    """What the intervals of some contrasts range over, in words; empty when none has an interval."""
    over = {c.over for c in found if isfinite(c.interval.low)}
    if over == {"seeds"}:
        return "over seeds"
    if over == {"worlds"}:
        return "over the test worlds of the one seed"
    return "over seeds, or over the test worlds of the one seed" if over else ""


def contrasts(sweep: Sweep) -> list[Contrast]:
    """The named contrasts that the sweep has, measure by measure, each followed by the extra ones."""
    return [contrast for measure in MEASURES for contrast in _of_measure(sweep, measure)]


def _of_measure(sweep: Sweep, measure: Measure) -> list[Contrast]:
    named = [contrast(sweep, measure, *pair) for pair in sweep.named]
    adjusted = holm([1.0 if c is None else c.p for c in named])  # what is missing was named all the same
    extra = [
        c for pair in EXTRA if pair not in sweep.named and (c := contrast(sweep, measure, *pair)) is not None
    ]
    return [c._replace(holm=p) for c, p in zip(named, adjusted, strict=True) if c is not None] + extra


def contrast(sweep: Sweep, measure: Measure, one: str, other: str) -> Contrast | None:
    """Two arms on one measure, not adjusted; None when no seed has the number of both."""
    found = [
        (mine, theirs, pair)
        for mine, theirs in sweep.pairs(one, other)
        if (pair := measure.pair(sweep, mine, theirs)) is not None
    ]
    if not found:
        return None
    differences = tuple(a - b for _, _, (a, b) in found)
    over: Over = "seeds"
    interval = paired_interval(differences)
    if len(found) == 1 and measure.tasks is not None:
        interval, over = _over_worlds(sweep, measure, *found[0][:2]), "worlds"
    return Contrast(
        measure=measure,
        one=one,
        other=other,
        seeds=tuple(mine.seed for mine, _, _ in found),
        differences=differences,
        interval=interval,
        over=over,
        p=paired_permutation(differences),
        holm=None,
    )


def _over_worlds(sweep: Sweep, measure: Measure, one: RunResult, other: RunResult) -> Interval:
    """The difference of two runs of one seed, with an interval over its test worlds."""
    assert measure.tasks is not None
    mine, theirs = measure.tasks(sweep, one), measure.tasks(sweep, other)
    return difference_bootstrap(
        [s.all_pass for s in mine],
        [s.world for s in mine],
        [s.all_pass for s in theirs],
        [s.world for s in theirs],
    )
