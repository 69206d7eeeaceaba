"""CPU time of one thing done many times: samples, and the numbers that tell of them.

CPU time of this process, so that a busy machine counts little; every sample is read off the clock by itself,
and what reading the clock takes (the median of many readings) is subtracted.
"""

from collections.abc import Callable, Sequence
from functools import cache
from math import ceil
from statistics import fmean, median
from time import process_time_ns
from typing import TypeVar

from planet.records.frozen import Frozen

Made = TypeVar("Made")
_FEWEST = {0.9: 10, 0.99: 100}
"""Quantile -> samples below which it is no more than the largest one."""


class Spread(Frozen):
    """CPU microseconds."""

    count: int
    mean: float
    median: float
    p90: float | None  # None: fewer than 10 samples
    p99: float | None  # None: fewer than 100 samples
    worst: float


def spread(samples: Sequence[float]) -> Spread:
    """The numbers of at least one sample, microseconds."""
    ranked = sorted(samples)
    return Spread(
        count=len(ranked),
        mean=fmean(ranked),
        median=median(ranked),
        p90=_quantile(ranked, 0.9),
        p99=_quantile(ranked, 0.99),
        worst=ranked[-1],
    )


def _quantile(ranked: Sequence[float], share: float) -> float | None:
    """The smallest sample that at least `share` of all do not exceed."""
    if len(ranked) < _FEWEST[share]:
        return None
    return ranked[ceil(share * len(ranked)) - 1]


def spent(work: Callable[[], Made]) -> tuple[float, Made]:
    """(CPU microseconds, what came of it)."""
    start = process_time_ns()
    made = work()
    return max(0.0, (process_time_ns() - start) / 1e3 - reading()), made


@cache
def reading() -> float:
    """CPU microseconds that `spent` finds for doing nothing: the median of 2,000."""
    found = []
    for _ in range(2_000):
        start = process_time_ns()
        _nothing()
        found.append((process_time_ns() - start) / 1e3)
    return median(found)


def _nothing() -> None:
    pass


def beside(
    ours: Callable[[], object],
    raw: Callable[[], object],
    count: int,
    before: Callable[[], object] | None = None,
    every: int = 20,
) -> tuple[Spread, Spread]:
    """Two things done `count` times each, by turns, so that both meet the same machine.

    `before` is done, untimed, before each run of `every` repetitions of both; the first run only warms up.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(-every, count, every):
        if before is not None:
            before()
        for work, found in zip((ours, raw), times, strict=True):
            for _ in range(min(every, count - number)):
                took, _done = spent(work)
                if number >= 0:
                    found.append(took)
    return spread(times[0]), spread(times[1])
