"""One arm against another over the seeds that both have: the sentence and the table of a sweep."""

from collections.abc import Mapping
from statistics import fmean

from analysis.compare.standing import Standing
from analysis.compare.standing import difference as within
from analysis.contrasts.sweep import CONTROLS, METHOD, SEEDS
from analysis.intervals import Interval, points
from analysis.report.markup import Html, note, section, table
from analysis.report.verdict import moved
from analysis.statistics.paired import paired_interval

Arms = Mapping[str, Mapping[int, Standing]]
"""Arm -> seed -> where that run stands."""


def reference(arms: Arms) -> str:
    """The arm that is held against the others: the method, or else the first by name."""
    return METHOD if METHOD in arms else min(arms)


def others(arms: Arms) -> list[str]:
    """The arms that it is held against, the sharpest question first."""
    rest = [arm for arm in arms if arm != reference(arms)]
    return sorted(rest, key=lambda arm: (CONTROLS.index(arm) if arm in CONTROLS else len(CONTROLS), arm))


def shared_seeds(ours: Mapping[int, Standing], theirs: Mapping[int, Standing], variant: str) -> list[int]:
    """Seeds at which both arms tested their last policy on the same worlds."""
    return [
        seed
        for seed in sorted(set(ours) & set(theirs))
        if variant in ours[seed].final
        and variant in theirs[seed].final
        and set(ours[seed].final[variant].worlds) == set(theirs[seed].final[variant].worlds)
    ]


def difference(ours: Mapping[int, Standing], theirs: Mapping[int, Standing], variant: str) -> Interval | None:
    """Test all-pass of one arm minus another's over their shared seeds; None when they share none.

    The interval is Student's over seeds, of one difference each; that of a single seed resamples its worlds.
    """
    seeds = shared_seeds(ours, theirs, variant)
    if not seeds:
        return None
    if len(seeds) > 1:
        return paired_interval([_rate(ours[s], variant) - _rate(theirs[s], variant) for s in seeds])
    mine, other = (arm[seeds[0]].final[variant] for arm in (ours, theirs))
    return within(mine, other)


def _rate(run: Standing, variant: str) -> float:
    return fmean(run.final[variant].passed)


def sweep_verdict(arms: Arms) -> str:
    """One sentence: the method against its sharpest control that shares seeds with it."""
    ours = reference(arms)
    variant = _sampled(arms[ours])
    for arm in others(arms):
        gap = difference(arms[ours], arms[arm], variant)
        if gap is not None:
            seeds = len(shared_seeds(arms[ours], arms[arm], variant))
            found = f"Test all-pass of {ours} {_against(gap, seeds)} {arm}: {points(gap)} points"
            return f"{found} ({_scope(seeds)})."
    return f"No arm was tested on the same worlds as {ours} so far, so the arms cannot be compared yet."


def contrast_section(arms: Arms, greedy: str) -> Html:
    """The reference against every other arm, sampled and greedy; nothing when there is a single arm."""
    ours = reference(arms)
    sampled = _sampled(arms[ours])
    rows = [
        (
            f"{ours} − {arm}",
            len(shared_seeds(arms[ours], arms[arm], sampled)),
            points(difference(arms[ours], arms[arm], sampled)),
            points(difference(arms[ours], arms[arm], greedy)),
        )
        for arm in others(arms)
    ]
    if not rows:
        return Html("")
    return section(
        2,
        "Contrasts",
        table(("test all-pass, in points", "seeds", f"sampled ({sampled})", "greedy"), rows),
        note(
            "Intervals are Student's over seeds, of one difference each; that of a single seed resamples its "
            f"test worlds and says nothing about others. Below {SEEDS} seeds they are a case study, which "
            "claims no difference. They are not adjusted for how many there are."
        ),
    )


def _sampled(runs: Mapping[int, Standing]) -> str:
    return next(iter(runs.values())).sampled


def _against(gap: Interval, seeds: int) -> str:
    """How one arm stands to another; a case study takes no side."""
    if seeds < SEEDS:
        return "minus that of"
    return {"rose": "is above that of", "fell": "is below that of"}.get(
        moved(gap), "does not differ beyond its interval from that of"
    )


def _scope(seeds: int) -> str:
    if seeds >= SEEDS:
        return f"95 % interval over {seeds} seeds"
    counted = "the test worlds of one seed" if seeds == 1 else f"{seeds} seeds"
    return f"95 % interval over {counted}: a case study, which claims no difference"
