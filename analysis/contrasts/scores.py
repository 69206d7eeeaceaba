"""What one run scored: on all test tasks or some, at the end, at the warm start, or at the charged budget."""

from collections.abc import Sequence
from statistics import fmean
from typing import Literal, NamedTuple

from analysis.run_result import CurvePoint, RunResult, TestTask, Tries
from analysis.statistics.curves import fallen
from analysis.statistics.iqm import iqm
from analysis.statistics.tail import cross_seeded_cvar

Stage = Literal["warm", "final", "extended"]
Variant = Literal["sampled", "greedy"]
RANKED = 8
"""Rollouts of a task from which on the worst are told apart. Two rank by a single outcome: every task that
failed it ties, which is over half of them, and a mean over these is no worst tenth."""


class TaskScore(NamedTuple):
    """One test task's score."""

    world: str
    family: str
    all_pass: float  # share of its rollouts
    reward: float


def task_scores(tasks: Sequence[TestTask], stage: Stage, variant: Variant) -> list[TaskScore]:
    """The scores of the tasks that were tried at this stage, in order."""
    tried = [(task, tries_of(task, stage, variant)) for task in tasks]
    return [
        TaskScore(t.world_id, t.family, tries.rate, tries.reward) for t, tries in tried if tries is not None
    ]


def tries_of(task: TestTask, stage: Stage, variant: Variant) -> Tries | None:
    """The rollouts of a task at a stage; None when the run had no such stage."""
    found: Tries | None = getattr(task, f"{stage}_{variant}")
    return found


def all_pass(tasks: Sequence[TestTask], stage: Stage, variant: Variant) -> float | None:
    """Mean all-pass over tasks; None without a task that was tried."""
    scores = task_scores(tasks, stage, variant)
    return fmean(score.all_pass for score in scores) if scores else None


def reward(tasks: Sequence[TestTask], stage: Stage, variant: Variant) -> float | None:
    """Mean reward over tasks; None without a task that was tried."""
    scores = task_scores(tasks, stage, variant)
    return fmean(score.reward for score in scores) if scores else None


def by_family(run: RunResult, families: Sequence[str], stage: Stage, variant: Variant) -> list[float]:
    """Mean all-pass of each family, in the given order; each must have been tested."""
    scores = task_scores(run.tasks, stage, variant)
    return [fmean(s.all_pass for s in scores if s.family == family) for family in families]


def family_iqm(run: RunResult, families: Sequence[str], stage: Stage, variant: Variant) -> float | None:
    """The interquartile mean over families; None without families."""
    return iqm([by_family(run, families, stage, variant)]) if families else None


def worst_tasks(run: RunResult, stage: Stage) -> float | None:
    """All-pass of the worst tenth of tasks, cross-seeded; None with too few rollouts to rank tasks by."""
    passed = rollouts(run, stage)
    return cross_seeded_cvar(passed) if passed and len(passed[0]) >= RANKED else None


def rollouts(run: RunResult, stage: Stage) -> list[tuple[bool, ...]]:
    """Outcomes of the sampled rollouts, (task, rollout), cut to the number that all tasks have."""
    tried = [tries.passed for task in run.tasks if (tries := tries_of(task, stage, "sampled")) is not None]
    least = min((len(passed) for passed in tried), default=0)
    return [passed[:least] for passed in tried]


def targeted_tasks(run: RunResult, cells: frozenset[str]) -> list[TestTask]:
    """Test tasks that require one of the cells."""
    return [task for task in run.tasks if cells & set(task.cells)]


def other_tasks(run: RunResult, cells: frozenset[str]) -> list[TestTask]:
    """Test tasks that require none of the cells."""
    return [task for task in run.tasks if not cells & set(task.cells)]


def curve_until(run: RunResult) -> list[CurvePoint]:
    """The validations of the updates that all arms share, those of an extension apart."""
    return [point for point in run.curve if point.updates <= run.updates]


def forgotten(run: RunResult, family: str) -> float | None:
    """The best validation of a family minus the last one; None when it was not validated."""
    shares = [point.families[family] for point in curve_until(run) if family in point.families]
    return fallen(shares)
