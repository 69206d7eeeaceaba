"""What the method was said beforehand to reach, and whether it did: met, missed, or not decided."""

from collections.abc import Sequence
from math import inf
from typing import Literal, NamedTuple

from analysis.contrasts.contrast import Contrast
from analysis.contrasts.measures import MIDDLE, OTHERS, PRIMARY, TARGETED, WORST, Measure
from analysis.contrasts.scores import RANKED
from analysis.contrasts.sweep import METHOD, SEEDS, Sweep
from analysis.intervals import Interval
from analysis.statistics.paired import share_of_gap

Outcome = Literal["met", "missed", "undecided", "case study"]


class Aim(NamedTuple):
    """A range in which a difference (or a share) should lie."""

    title: str
    found: Interval | None  # None: not determined
    low: float
    high: float
    seeds: int
    why: str = ""  # it is not determined

    @property
    def outcome(self) -> Outcome:
        """Met when the whole interval lies in the range, missed when none of it does, at enough seeds."""
        if self.seeds < SEEDS:
            return "case study"
        if self.found is None:
            return "undecided"
        if self.low <= self.found.low and self.found.high <= self.high:
            return "met"
        outside = self.found.high < self.low or self.found.low > self.high
        return "missed" if outside else "undecided"


class _Wanted(NamedTuple):
    title: str
    measure: str
    one: str
    other: str
    low: float
    high: float


_WANTED = (
    _Wanted("5 points above random worlds on targeted cells", TARGETED, METHOD, "random_worlds", 0.05, inf),
    _Wanted(
        "no loss over 1 point against random worlds elsewhere", OTHERS, METHOD, "random_worlds", -0.01, inf
    ),
    _Wanted("above balanced worlds", PRIMARY, METHOD, "balanced_worlds", 0.0, inf),
    _Wanted("above static, interquartile mean of families", MIDDLE, METHOD, "static", 0.0, inf),
    _Wanted("above static, worst tenth of tasks", WORST, METHOD, "static", 0.0, inf),
    _Wanted("placebo within 2 points of random worlds", PRIMARY, "placebo", "random_worlds", -0.02, 0.02),
)
GAP = 0.7
"""Of the gap from random worlds to the oracle that should be closed."""


def aims(sweep: Sweep, found: Sequence[Contrast]) -> list[Aim]:
    """The aims whose arms the sweep has, and last the share of the gap to the oracle."""
    by_key = {(c.measure.name, c.one, c.other): c for c in found}
    out = []
    for w in _WANTED:
        c, pairs = by_key.get((w.measure, w.one, w.other)), len(sweep.pairs(w.one, w.other))
        if c is not None:
            out.append(Aim(w.title, c.interval, w.low, w.high, len(c.seeds)))
        elif pairs and w.measure == WORST:
            out.append(
                Aim(w.title, None, w.low, w.high, pairs, f"a worst tenth needs {RANKED} rollouts a task")
            )
    primary = next((c.measure for c in found if c.measure.name == PRIMARY), None)
    gap = None if primary is None else gap_closed(sweep, primary)
    if gap is not None:
        share, seeds = gap
        out.append(
            Aim(
                f"{GAP:.0%} of the gap from random worlds to the oracle closed",
                share,
                GAP,
                inf,
                seeds,
                "the gap cannot be told from 0",
            )
        )
    return out


def gap_closed(sweep: Sweep, measure: Measure) -> tuple[Interval | None, int] | None:
    """(method − random worlds) / (oracle − random worlds) over seeds that have all three, and their number.

    The share is None when the gap itself cannot be told from 0; all is None when no seed has all three arms.
    """
    oracle = {run.seed: run for run in sweep.of("oracle")}
    part, whole = [], []
    for mine, random in sweep.pairs(METHOD, "random_worlds"):
        if mine.seed not in oracle:
            continue
        closed = measure.pair(sweep, mine, random)
        open_ = measure.pair(sweep, oracle[mine.seed], random)
        if closed is not None and open_ is not None:
            part.append(closed[0] - closed[1])
            whole.append(open_[0] - open_[1])
    return (share_of_gap(part, whole), len(part)) if part else None
