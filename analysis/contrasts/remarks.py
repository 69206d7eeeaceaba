"""What a reader must know of a sweep's contrasts that no interval says by itself."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean

from analysis.contrasts.contrast import Contrast
from analysis.contrasts.measures import PRIMARY
from analysis.contrasts.scores import rollouts
from analysis.contrasts.sweep import Sweep
from analysis.statistics.paired import paired_interval
from analysis.statistics.spread import between_rollouts, between_seeds


def remarks(sweep: Sweep, found: Sequence[Contrast]) -> list[str]:
    """A sentence for each kind of thing to know, none where there is nothing of the kind."""
    narrow = [told for c in found if (told := _narrow(sweep, c))]
    unequal = [told for pair in sweep.named if (told := _unequal_growth(sweep, *pair))]
    out = []
    if narrow:
        out.append(
            "Intervals that are narrow by luck, since their differences scatter less between seeds than they "
            f"would if the same policies were only tested again: {'; '.join(narrow)}."
        )
    if unequal:
        out.append(
            "Arms of a contrast asked for as many new worlds as each other and were given unequally many "
            f"(means over seeds, 95 % interval of the difference): {'; '.join(unequal)}."
        )
    return out


def _narrow(sweep: Sweep, c: Contrast) -> str:
    """A named contrast on the measure that decides, if its seeds scatter less than its tests alone would."""
    if c.measure.name != PRIMARY or c.holm is None:
        return ""
    spread, noise = between_seeds(c.differences), _noise(sweep, c)
    if spread is None or noise is None or spread >= noise:
        return ""
    return f"{c.one} minus {c.other}, {100 * spread:.1f} points where tests alone bring {100 * noise:.1f}"


def _noise(sweep: Sweep, c: Contrast) -> float | None:
    """Standard deviation of a seed's difference when both final policies are tested again; None: unknown."""
    runs = [run for pair in sweep.pairs(c.one, c.other) for run in pair if run.seed in c.seeds]
    each = [between_rollouts(rollouts(run, "final")) for run in runs]
    known = [sd for sd in each if sd is not None]
    return sqrt(2 * fmean(sd * sd for sd in known)) if len(known) == len(each) else None


def _unequal_growth(sweep: Sweep, one: str, other: str) -> str:
    """Two arms, if one of them got more new worlds by Student's interval over seeds at which both asked for
    equally many (and for any)."""
    pairs = [
        (mine.admitted_worlds, theirs.admitted_worlds)
        for mine, theirs in sweep.pairs(one, other)
        if 0 < mine.briefs == theirs.briefs
    ]
    found = paired_interval([float(a - b) for a, b in pairs]) if len(pairs) > 1 else None
    if found is None or found.low <= 0 <= found.high:
        return ""
    mine, theirs = (fmean(each) for each in zip(*pairs, strict=True))
    apart = f"{found.mean:+.0f} [{found.low:+.0f}, {found.high:+.0f}]"
    return f"{one} {mine:.0f} and {other} {theirs:.0f}, {apart}"
