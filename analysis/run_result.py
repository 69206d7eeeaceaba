"""The result of one finished run as a small file: all that a comparison of arms and seeds needs of it.

`loop.sweep` writes one per arm and seed under experiments/results/SWEEP/, and they outlive the run
directories. Two runs of one configuration have equal `content`; clocks and code version stand in `made`.
"""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from analysis.errors import DataError
from planet.identity import digest
from planet.records.frozen import Frozen

RESULT_SCHEMA = 1
"""Raised with every change that an older reader would misread."""

PLAN = "plan.json"
"""The file beside the results that says what the sweep compares."""

Part = Literal["test", "test_reserved", "test_unseen"]
"""Of the test split: worlds like those of train, with a reserved pair of services, of the unseen industry."""


class Tries(Frozen):
    """The rollouts of one task by one policy under one way of sampling."""

    passed: tuple[bool, ...] = Field(min_length=1)  # all-pass of each rollout, in the order of their numbers
    reward: float  # mean over the rollouts, in [0, 1], after penalties

    @property
    def rollouts(self) -> int:
        """How many there are."""
        return len(self.passed)

    @property
    def passes(self) -> int:
        """How many of them were all-pass."""
        return sum(self.passed)

    @property
    def rate(self) -> float:
        """The share of all-pass."""
        return self.passes / self.rollouts


class TestTask(Frozen):
    """One test task with its outcomes. Tasks, worlds and cells are equal for all arms of a seed."""

    __test__ = False  # its name is that of a split; it is no test case

    task_id: str
    world_id: str
    family: str
    part: Part
    cells: tuple[str, ...]  # "facet:value" that the task requires, sorted
    warm_sampled: Tries  # the warm start at `RunResult.temperature`
    warm_greedy: Tries  # the warm start at temperature 0
    final_sampled: Tries
    final_greedy: Tries
    extended_sampled: Tries | None = None  # the policy that went on, see `Extension`; None: it did not
    extended_greedy: Tries | None = None


class CurvePoint(Frozen):
    """One validation. `updates` and `charged_steps` are the two budgets spent until then."""

    updates: int  # policy updates before it; 0: the warm start
    charged_steps: int
    episodes: int
    all_pass: float  # share
    reward: float  # mean
    families: dict[str, float]  # family -> all-pass share


class TargetedCell(Frozen):
    """A cell that may be targeted, as the first report ranks it; common to all arms of a seed."""

    cell: str  # "facet:value"
    rank: int  # from 1, by weight
    weight: float  # under the allocation rule of the configuration
    seats: int  # targeted briefs of the first iteration that the rule gives it; 0: it would get none
    opportunities: int  # probe episodes that required it
    rate: float  # its failure rate


class Reached(Frozen):
    """The share of one dimension of the pool that received a gradient, at the end of an iteration."""

    dimension: str  # "tasks", "worlds", "tools", "combinations", ...
    scope: Literal["cumulated", "iteration"]  # from the first update on, or from the iteration's first one
    iteration: int  # from 0
    reached: int
    pool: int = Field(ge=1)
    expected: float  # share that uniform draws reach on average
    low: float  # 2.5 and 97.5 % points of that share
    high: float

    @property
    def share(self) -> float:
        """Of the pool."""
        return self.reached / self.pool


class Grown(Frozen):
    """The author funnel of one iteration, in worlds."""

    iteration: int
    briefs: int
    syntheses: int  # tries
    targeted: int  # worlds of targeted briefs with enough tasks; in old results refused ones count too
    on_target: int  # of these, those with enough tasks that require the cell
    admitted: int
    refused: dict[str, int]  # validator, audit or admission rule -> count


class Extension(Frozen):
    """Updates beyond the budget of updates, on the final pool, until the charged budget was spent too."""

    updates: int  # further ones
    charged: dict[str, int]  # purpose -> further steps that count
    budget: int  # charged steps to reach, those of the run before the extension included
    reached: bool  # whether they were; False: the cap on updates came first


class Made(Frozen):
    """How the run was made; never compared."""

    commit: str | None  # of the code; None: not run from a checkout
    seconds: float  # wall time of all steps
    seconds_by_kind: dict[str, float]  # kind of step -> wall time


class RunResult(Frozen):
    """One finished run: an arm at a seed."""

    result_schema: int = RESULT_SCHEMA
    experiment: str
    arm: str
    seed: int
    run_id: str
    config_digest: str  # the seed apart; a charged budget that matches another run's is part of it
    splits_digest: str  # equal for all arms of a seed
    plan_digest: str | None  # of the sweep's plan file; None: not run by a sweep
    warm_start: str  # key of the warm start: equal for all arms of a seed
    temperature: float  # of sampled test and validation rollouts
    updates: int  # policy updates of the final policy; an extension's apart
    charged: dict[str, int]  # purpose -> steps that count against the budget; an extension's apart
    uncharged: dict[str, int]  # purpose -> steps that do not
    tasks: tuple[TestTask, ...] = Field(min_length=1)  # all of the test split, by task id
    curve: tuple[CurvePoint, ...]  # by updates, the warm start first; an extension's at the end
    targeted: tuple[TargetedCell, ...]  # by rank; empty: the first report had no cell to aim at
    footprint: tuple[Reached, ...]
    growth: tuple[Grown, ...]  # by iteration
    extension: Extension | None = None  # None: the charged budget was not set, or spent already
    made: Made = Field(repr=False)

    @property
    def charged_steps(self) -> int:
        """All steps of the final policy that count against the budget."""
        return sum(self.charged.values())

    @property
    def tested(self) -> str:
        """Digest of the test tasks, which are equal for all arms of a seed."""
        return digest(sorted([task.task_id, task.world_id, task.family, task.part] for task in self.tasks))

    @property
    def briefs(self) -> int:
        """Worlds asked for in all iterations."""
        return sum(grown.briefs for grown in self.growth)

    @property
    def admitted_worlds(self) -> int:
        """Of these, the worlds that were grown."""
        return sum(grown.admitted for grown in self.growth)

    @property
    def name(self) -> str:
        """How its file is called, without the suffix."""
        return f"{self.arm}-s{self.seed}"

    def content(self) -> dict[str, Any]:
        """Everything that two runs of one configuration must agree on."""
        return self.model_dump(mode="json", exclude={"made"})


def read_result(path: Path) -> RunResult:
    """The result in a file; DataError when this version reads none there."""
    try:
        result = RunResult.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); give a result file of a sweep") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise DataError(
            f"{path} is not a result file of schema {RESULT_SCHEMA} ({where}: {first['msg']}); "
            "remove it and run the sweep again with --resume"
        ) from error
    if result.result_schema != RESULT_SCHEMA:
        raise DataError(
            f"{path} has result schema {result.result_schema}, this version reads schema {RESULT_SCHEMA}; "
            "analyse it with the version that wrote it, or run the sweep again"
        )
    return result


def read_results(folder: Path) -> list[RunResult]:
    """All results of a sweep, by arm and seed; DataError when the folder holds none."""
    files = sorted(path for path in folder.glob("*.json") if path.name != PLAN)
    if not files:
        raise DataError(f"{folder} holds no result files; run a sweep first, e.g. python -m loop.sweep")
    return sorted((read_result(path) for path in files), key=lambda result: (result.arm, result.seed))
