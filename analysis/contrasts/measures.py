"""What arms are contrasted on. Each measure gives a pair of numbers for two runs of one seed."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

from analysis.contrasts.scores import (
    Stage,
    TaskScore,
    Variant,
    all_pass,
    curve_until,
    family_iqm,
    other_tasks,
    reward,
    targeted_tasks,
    task_scores,
    worst_tasks,
)
from analysis.contrasts.sweep import Sweep
from analysis.run_result import RunResult, TestTask
from analysis.statistics.curves import area, height_at

Pair = tuple[float, float]
Of = Callable[[Sweep, RunResult], float | None]


class Measure(NamedTuple):
    """One number per run, or per pair of runs where the budget is theirs."""

    name: str  # in CSV files
    title: str  # in tables and figures
    pair: Callable[[Sweep, RunResult, RunResult], Pair | None]  # None: one of the two has no such number
    tasks: Callable[[Sweep, RunResult], list[TaskScore]] | None = None  # where it is their mean all-pass


def _each(of: Of) -> Callable[[Sweep, RunResult, RunResult], Pair | None]:
    """A pair from what each run scored by itself."""

    def pair(sweep: Sweep, one: RunResult, other: RunResult) -> Pair | None:
        mine, theirs = of(sweep, one), of(sweep, other)
        return None if mine is None or theirs is None else (mine, theirs)

    return pair


Part = Callable[[Sweep, RunResult], Sequence[TestTask]]


def everything(sweep: Sweep, run: RunResult) -> Sequence[TestTask]:
    """All test tasks."""
    return run.tasks


def on_target(sweep: Sweep, run: RunResult) -> Sequence[TestTask]:
    """Test tasks that require a targeted cell."""
    return targeted_tasks(run, sweep.targeted(run.seed))


def off_target(sweep: Sweep, run: RunResult) -> Sequence[TestTask]:
    """Test tasks that require no targeted cell; none where the seed has no targeted cell to part them by."""
    targeted = sweep.targeted(run.seed)
    return other_tasks(run, targeted) if targeted else ()


def of_part(part: Literal["test", "test_reserved", "test_unseen"]) -> Part:
    """Test tasks of one part of the split."""
    return lambda sweep, run: [task for task in run.tasks if task.part == part]


def _all_pass(name: str, title: str, part: Part, variant: Variant) -> Measure:
    return Measure(
        name,
        title,
        _each(lambda sweep, run: all_pass(part(sweep, run), "final", variant)),
        lambda sweep, run: task_scores(part(sweep, run), "final", variant),
    )


def charged_stage(sweep: Sweep, run: RunResult) -> Stage | None:
    """The stage at which a run had spent the charged budget of its seed; None: it never did, or none is set.

    The budget is the largest that an extended run of the seed went for.
    """
    budget = max((r.extension.budget for r in sweep.at(run.seed) if r.extension), default=None)
    if budget is None:
        return None
    if run.extension is not None:
        return "extended" if run.extension.reached and run.extension.budget == budget else None
    return "final" if run.charged_steps >= budget else None


def _charged_test(variant: Variant, sweep: Sweep, run: RunResult) -> float | None:
    stage = charged_stage(sweep, run)
    return None if stage is None else all_pass(run.tasks, stage, variant)


def _charged_tasks(sweep: Sweep, run: RunResult) -> list[TaskScore]:
    stage = charged_stage(sweep, run)
    return [] if stage is None else task_scores(run.tasks, stage, "sampled")


def common_budget(one: RunResult, other: RunResult) -> float | None:
    """Charged steps up to which both validation curves reach; None when they do not overlap."""
    if not one.curve or not other.curve:
        return None
    start = max(one.curve[0].charged_steps, other.curve[0].charged_steps)
    end = min(one.curve[-1].charged_steps, other.curve[-1].charged_steps)
    return float(end) if end > start else None


def _at_charged(sweep: Sweep, one: RunResult, other: RunResult) -> Pair | None:
    """Validation all-pass at the common charged budget, read off the curves."""
    budget = common_budget(one, other)
    return None if budget is None else (_height(one, budget), _height(other, budget))


def _height(run: RunResult, budget: float) -> float:
    return height_at([p.charged_steps for p in run.curve], [p.all_pass for p in run.curve], budget)


def _area_charged(sweep: Sweep, one: RunResult, other: RunResult) -> Pair | None:
    budget = common_budget(one, other)
    return None if budget is None else (area_charged(one, budget), area_charged(other, budget))


def area_charged(run: RunResult, until: float) -> float:
    """Mean height of the validation all-pass over charged steps, up to a budget."""
    return area([p.charged_steps for p in run.curve], [p.all_pass for p in run.curve], until)


def area_updates(sweep: Sweep, run: RunResult) -> float | None:
    """Mean height of the validation all-pass over updates; None without validations."""
    curve = curve_until(run)
    return area([p.updates for p in curve], [p.all_pass for p in curve]) if curve else None


def _iqm(sweep: Sweep, run: RunResult) -> float | None:
    return family_iqm(run, sweep.families(), "final", "sampled")


def _aimed(sweep: Sweep, run: RunResult) -> float | None:
    """All-pass on targeted cells above that on the others; None where either has no test task."""
    on = all_pass(on_target(sweep, run), "final", "sampled")
    off = all_pass(off_target(sweep, run), "final", "sampled")
    return None if on is None or off is None else on - off


PRIMARY = "all_pass_sampled"
TARGETED, OTHERS, WORST, MIDDLE = "targeted_sampled", "others_sampled", "worst_tenth", "iqm_families"

MEASURES: tuple[Measure, ...] = (
    _all_pass(PRIMARY, "all-pass, temperature 1", everything, "sampled"),
    _all_pass("all_pass_greedy", "all-pass, greedy", everything, "greedy"),
    Measure(
        "reward_sampled", "reward, temperature 1", _each(lambda s, r: reward(r.tasks, "final", "sampled"))
    ),
    _all_pass(TARGETED, "targeted cells, temperature 1", on_target, "sampled"),
    _all_pass("targeted_greedy", "targeted cells, greedy", on_target, "greedy"),
    _all_pass(OTHERS, "other cells, temperature 1", off_target, "sampled"),
    _all_pass("others_greedy", "other cells, greedy", off_target, "greedy"),
    Measure("aimed_sampled", "targeted minus other cells, temperature 1", _each(_aimed)),
    _all_pass(
        "reserved_sampled", "reserved pairs of services, temperature 1", of_part("test_reserved"), "sampled"
    ),
    _all_pass("unseen_sampled", "unseen industry, temperature 1", of_part("test_unseen"), "sampled"),
    Measure(MIDDLE, "interquartile mean of families", _each(_iqm)),
    Measure(WORST, "worst tenth of tasks", _each(lambda s, r: worst_tasks(r, "final"))),
    Measure("area_updates", "area under validation, updates", _each(area_updates)),
    Measure(
        "charged_test_sampled",
        "equal charged steps: test, temperature 1",
        _each(partial(_charged_test, "sampled")),
        _charged_tasks,
    ),
    Measure(
        "charged_test_greedy", "equal charged steps: test, greedy", _each(partial(_charged_test, "greedy"))
    ),
    Measure("charged_validation", "equal charged steps: validation, interpolated", _at_charged),
    Measure("area_charged", "equal charged steps: area under validation", _area_charged),
)
"""In the order of the tables. The first is the one that the verdict is about."""
