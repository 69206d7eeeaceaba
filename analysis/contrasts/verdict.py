"""What came out, in one sentence with its interval, and what these seeds could have seen."""

from collections.abc import Sequence
from math import isfinite

from analysis.contrasts.contrast import Contrast
from analysis.contrasts.measures import PRIMARY
from analysis.contrasts.sweep import SEEDS, of_seeds
from analysis.statistics.permutation import smallest_p
from analysis.statistics.power import LEVEL, bootstrap_power
from analysis.statistics.spread import between_seeds

GAINS = (0.03, 0.05)
"""Gains of which the power is told."""


def verdict(found: Sequence[Contrast]) -> str:
    """The first named contrast that the sweep has, on all-pass at temperature 1, and others shown."""
    c = primary(found)
    if c is None:
        return "No seed has both arms of a contrast that was named beforehand, so nothing is contrasted."
    kind = f"Case study of {of_seeds(len(c.seeds))}" if c.case_study else f"Over {of_seeds(len(c.seeds))}"
    said = f"{kind}: after equal updates {_difference(c)}; {_conclusion(c)}."
    others = [f"{_difference(d)}; {_conclusion(d)}." for d in found if d is not c and d.shown]
    return " ".join([said, *(f"Shown as well: {told}" for told in others)])


def _difference(c: Contrast) -> str:
    way = "above" if c.interval.mean >= 0 else "below"
    return (
        f"{c.one} ends {abs(100 * c.interval.mean):.1f} points {way} {c.other} "
        f"in test all-pass at temperature 1 ({interval_in_points(c)}; permutation p = {p_text(c.p)}, "
        f"Holm-adjusted {p_text(c.holm)})"
    )


def primary(found: Sequence[Contrast]) -> Contrast | None:
    """The contrast that the verdict is about; None when the sweep has none of those named."""
    return next((c for c in found if c.measure.name == PRIMARY and c.holm is not None), None)


def _conclusion(c: Contrast) -> str:
    if c.shown:
        return "a gain" if c.interval.mean > 0 else "a loss"
    if smallest_p(len(c.seeds)) > LEVEL:
        return f"{of_seeds(len(c.seeds))} cannot show a difference, whatever its size"
    if c.case_study:
        return "a case study claims no difference"
    return "no difference is shown"


def power_statement(c: Contrast, named: int = 1) -> str:
    """How often as many seeds with the scatter seen would see some gains, by the unadjusted test and, of
    `named` contrasts, at the level of Holm's first step."""
    spread = between_seeds(c.differences)
    if spread is None:
        return "One seed shows no scatter between seeds, so its power is unknown."
    scatter = f"the scatter seen (standard deviation {100 * spread:.1f} points between paired seeds)"
    seeds, smallest = of_seeds(len(c.seeds)), smallest_p(len(c.seeds))
    if smallest > LEVEL:
        return (
            f"{seeds} cannot give p <= {LEVEL} (the smallest is {smallest:.3g}), and {scatter} is too rough "
            f"a guess of so few to tell what {SEEDS} would see."
        )
    told = f"With {seeds} and {scatter} a gain of {_seen(c, len(c.seeds))} of sweeps gives p <= {LEVEL}"
    if named < 2:
        return f"{told}."
    first = LEVEL / named
    return f"{told}, and {_seen(c, len(c.seeds), first)} p <= {first:g}, Holm's first step over {named}."


def _seen(c: Contrast, seeds: int, level: float = LEVEL) -> str:
    return " and of ".join(
        f"{100 * gain:.0f} points in {bootstrap_power(c.differences, gain, seeds, level=level):.0%}"
        for gain in GAINS
    )


def interval_in_points(c: Contrast) -> str:
    """The interval of a contrast, and what it ranges over."""
    if not isfinite(c.interval.low):
        return "one seed, no interval"
    return f"95 % interval {100 * c.interval.low:+.1f} to {100 * c.interval.high:+.1f} over {c.over}"


def p_text(p: float | None) -> str:
    """A p-value as text."""
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
