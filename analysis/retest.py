"""The final policies of a sweep, tested again and longer: outcomes beside the results, and laid over them.

`python -m loop.sweep.retest` writes one file per run into the folder `retest` of the results. A longer test
makes the noise of testing small; the results of the planned test stay as they are.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError, model_validator

from analysis.errors import DataError
from analysis.run_result import RunResult, TestTask, Tries
from planet.records.frozen import Frozen

RETEST = "retest"
"""The folder in that of the results."""
RETEST_SCHEMA = 1
"""Raised with every change that an older reader would misread."""


class TaskAgain(Frozen):
    """One test task, played again by the policies of one run."""

    task_id: str
    final: Tries  # the policy after the last iteration
    extended: Tries | None = None  # the one that went on; None: none did


class Retest(Frozen):
    """The test of one run's policies, made again at the run's own temperature."""

    retest_schema: int = RETEST_SCHEMA
    arm: str
    seed: int
    run_id: str
    rollouts: int  # of each task
    temperature: float
    commit: str | None  # of the code that tested; None: not run from a checkout
    tasks: tuple[TaskAgain, ...]  # all of the test split, by task id

    @model_validator(mode="after")
    def _whole(self) -> "Retest":
        tries = [t for task in self.tasks for t in (task.final, task.extended) if t is not None]
        if self.rollouts < 1 or any(t.rollouts != self.rollouts for t in tries):
            raise ValueError(f"not every task has {self.rollouts} rollouts")
        if not all(0 <= t.reward <= 1 for t in tries):  # nan is in no range
            raise ValueError("a reward is outside of [0, 1]")
        return self

    @property
    def all_pass(self) -> float:
        """Mean all-pass of the final policy."""
        return sum(task.final.rate for task in self.tasks) / len(self.tasks)


def retest_file(folder: Path, result: RunResult) -> Path:
    """Where the retest of a result in a folder belongs."""
    return folder / RETEST / f"{result.name}.json"


def read_retest(file: Path, result: RunResult) -> Retest | None:
    """The retest of a result; None without a file. DataError when the file is none, or of another run."""
    try:
        found = Retest.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise DataError(
            f"{file} cannot be read as a retest of schema {RETEST_SCHEMA}, or is not whole; remove it and "
            "test again with python -m loop.sweep.retest"
        ) from error
    for what, mine, wanted in (
        ("schema", found.retest_schema, RETEST_SCHEMA),
        ("arm", found.arm, result.arm),
        ("run", found.run_id, result.run_id),
        ("seed", found.seed, result.seed),
        ("temperature", found.temperature, result.temperature),
        ("tasks", [t.task_id for t in found.tasks], [t.task_id for t in result.tasks]),
    ):
        if mine != wanted:
            told = f" {mine}, not {wanted}" if what != "tasks" else " of another test"
            raise DataError(f"{file}: is of {what}{told}; remove it and test {result.name} again")
    if any((task.extended is None) != (result.extension is None) for task in found.tasks):
        raise DataError(f"{file}: its policies are not those of {result.name}; remove it and test again")
    return found


class RetestedHow(NamedTuple):
    """How results were tested again."""

    runs: int  # that were
    of: int  # results
    rollouts: int  # of each task
    commits: tuple[str, ...]  # of the code that tested, where it is known


def retested(folder: Path, results: Sequence[RunResult]) -> tuple[list[RunResult], RetestedHow]:
    """The results that were tested again, with the new outcomes in the place of the first, and how.

    DataError when none of them was, or not all of these equally long.
    """
    found = [(result, read_retest(retest_file(folder, result), result)) for result in results]
    pairs = [(result, retest) for result, retest in found if retest is not None]
    if not pairs:
        raise DataError(
            f"{folder / RETEST} holds no retest of these results; make them with "
            f"python -m loop.sweep.retest {folder} RUNS_DIR"
        )
    first = pairs[0][1].rollouts
    for result, retest in pairs:
        if retest.rollouts != first:
            raise DataError(
                f"{folder / RETEST}: {pairs[0][0].name} was tested again with {first} rollouts a task, "
                f"{result.name} with {retest.rollouts}; test them equally long"
            )
    commits = sorted({retest.commit for _, retest in pairs if retest.commit is not None})
    how = RetestedHow(len(pairs), len(results), first, tuple(commits))
    return [laid_over(result, retest) for result, retest in pairs], how


def laid_over(result: RunResult, retest: Retest) -> RunResult:
    """The result with its sampled tests replaced; warm start, greedy tests and validation stay."""
    again = {task.task_id: task for task in retest.tasks}
    return result.model_copy(
        update={"tasks": tuple(_task(task, again[task.task_id]) for task in result.tasks)}
    )


def _task(task: TestTask, again: TaskAgain) -> TestTask:
    changed = {"final_sampled": again.final, "extended_sampled": again.extended or task.extended_sampled}
    return task.model_copy(update=changed)
