"""Each arm of a sweep by itself: where it ended, what it gained and forgot, what it cost, how it scatters."""

from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import NamedTuple

from analysis.contrasts.measures import area_updates
from analysis.contrasts.scores import (
    Stage,
    Variant,
    all_pass,
    by_family,
    curve_until,
    forgotten,
    reward,
    rollouts,
    worst_tasks,
)
from analysis.contrasts.sweep import Sweep
from analysis.intervals import Interval
from analysis.run_result import RunResult
from analysis.statistics.curves import steps_to_threshold
from analysis.statistics.improvement import probability_of_improvement
from analysis.statistics.iqm import stratified_bootstrap
from analysis.statistics.paired import paired_interval
from analysis.statistics.spread import between_rollouts, between_seeds


class Arm(NamedTuple):
    """One arm over its seeds. Scores are shares of the test tasks; None: not measured."""

    name: str
    seeds: int
    sampled: float  # all-pass at temperature 1, mean over seeds
    sampled_gain: Interval  # over the warm start, paired by seed
    greedy: float
    greedy_gain: Interval
    reward: float  # at temperature 1
    iqm: Interval | None  # all-pass of the middle half of (seed, family), stratified bootstrap
    worst_tenth: float | None  # all-pass of the worst tenth of tasks, cross-seeded
    area: float | None  # mean height of the validation all-pass over updates
    threshold_updates: float | None  # median over the seeds that held their threshold
    threshold_charged: float | None
    threshold_held: int  # seeds that did
    beats_static: Interval | None  # probability of improvement over `static` at shared seeds, by families
    static_seeds: int  # that it shares with `static`
    forgotten: float | None  # validation: a family's best minus its last, mean over families and seeds
    rollout_sd: float | None  # of the mean score, when the same policy is tested again
    seed_sd: float | None  # of the gain
    updates: float
    charged_steps: float
    briefs: float  # worlds asked for, over the run
    admitted_worlds: float  # of these


def arms(sweep: Sweep) -> list[Arm]:
    """Every arm of the sweep, in the protocol's order."""
    return [_arm(sweep, name) for name in sweep.arms]


def _arm(sweep: Sweep, name: str) -> Arm:
    runs, families = sweep.of(name), sweep.families()
    gains = [_gain(run, "sampled") for run in runs]
    held = [spent for run in runs if (spent := _threshold(sweep, run)) is not None]
    return Arm(
        name=name,
        seeds=len(runs),
        sampled=fmean(_score(run, "final", "sampled") for run in runs),
        sampled_gain=paired_interval(gains),
        greedy=fmean(_score(run, "final", "greedy") for run in runs),
        greedy_gain=paired_interval([_gain(run, "greedy") for run in runs]),
        reward=_mean(runs, lambda run: reward(run.tasks, "final", "sampled")) or 0.0,
        iqm=stratified_bootstrap(_families(runs, families)) if families else None,
        worst_tenth=_mean(runs, lambda run: worst_tasks(run, "final")),
        area=_mean(runs, lambda run: area_updates(sweep, run)),
        threshold_updates=median(updates for updates, _ in held) if held else None,
        threshold_charged=median(charged for _, charged in held) if held else None,
        threshold_held=len(held),
        beats_static=_beats(sweep, runs, families),
        static_seeds=len(sweep.pairs(name, "static")),
        forgotten=_mean(runs, _forgotten),
        rollout_sd=_mean(runs, lambda run: between_rollouts(rollouts(run, "final"))),
        seed_sd=between_seeds(gains),
        updates=fmean(run.updates for run in runs),
        charged_steps=fmean(run.charged_steps for run in runs),
        briefs=fmean(run.briefs for run in runs),
        admitted_worlds=fmean(run.admitted_worlds for run in runs),
    )


def _score(run: RunResult, stage: Stage, variant: Variant) -> float:
    found = all_pass(run.tasks, stage, variant)
    assert found is not None  # a result holds at least one test task
    return found


def _gain(run: RunResult, variant: Variant) -> float:
    return _score(run, "final", variant) - _score(run, "warm", variant)


def _mean(runs: Sequence[RunResult], of: Callable[[RunResult], float | None]) -> float | None:
    """Over the runs that have the number; None when none has."""
    found = [value for run in runs if (value := of(run)) is not None]
    return fmean(found) if found else None


def _families(runs: Sequence[RunResult], families: Sequence[str]) -> list[list[float]]:
    return [by_family(run, families, "final", "sampled") for run in runs]


def _beats(sweep: Sweep, runs: Sequence[RunResult], families: Sequence[str]) -> Interval | None:
    pairs = sweep.pairs(runs[0].arm, "static")
    if not pairs or not families or runs[0].arm == "static":
        return None
    own, static = zip(*pairs, strict=True)
    return probability_of_improvement(_families(own, families), _families(static, families))


def _forgotten(run: RunResult) -> float | None:
    families = sorted({family for point in curve_until(run) for family in point.families})
    found = [lost for family in families if (lost := forgotten(run, family)) is not None]
    return fmean(found) if found else None


def threshold(sweep: Sweep, seed: int) -> float | None:
    """Half-way from the seed's warm start to the best validation that any of its arms reached.

    Arms that every seed has, if there are any: the best of more arms is higher by chance alone.
    """
    common = [arm for arm in sweep.arms if len(sweep.of(arm)) == len(sweep.seeds)] or sweep.arms
    curves = [curve for run in sweep.at(seed) if run.arm in common and (curve := curve_until(run))]
    if not curves:
        return None
    start = fmean(curve[0].all_pass for curve in curves)
    best = max(point.all_pass for curve in curves for point in curve)
    return (start + best) / 2 if best > start else None


def _threshold(sweep: Sweep, run: RunResult) -> tuple[float, float] | None:
    """Updates and charged steps spent when the run began to hold its seed's threshold; None: it never did."""
    level, curve = threshold(sweep, run.seed), curve_until(run)
    if level is None:
        return None
    heights = [point.all_pass for point in curve]
    updates = steps_to_threshold([p.updates for p in curve], heights, level)
    charged = steps_to_threshold([p.charged_steps for p in curve], heights, level)
    return None if updates is None or charged is None else (updates, charged)
