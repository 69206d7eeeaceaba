"""What the parts of a curriculum are, and the records that pass between them and the circle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from analysis.weakness import Cell, WeaknessReport
from loop.config import Targeting
from loop.worlds.pool import PoolTask
from planet.records.world import Brief

State = dict[str, Any]
"""What has to be stored to resume: JSON values only."""


class Stateful(Protocol):
    """What every part of a curriculum can do beside its work."""

    def state_dict(self) -> State:
        """Everything learned so far, as JSON values."""

    def load_state_dict(self, state: State) -> None:
        """Take up a stored state."""

    def metrics(self) -> dict[str, float]:
        """Numbers worth tracking, by name."""


@dataclass(frozen=True)
class GroupOutcome:
    """What a curriculum learns of one prompt that was tried."""

    task_id: str
    passes: int  # rollouts that were all-pass
    rollouts: int
    admitted: bool  # by the gate
    mean_reward: float  # of the rollouts, in [0, 1], after penalties; the oracle earns 1
    steps: int  # calls that they executed
    cells: frozenset[str]  # that the task requires
    rung: str  # of a ladder, for which the task was made; empty: not for one


class Sampler(Stateful, Protocol):
    """Weighs the pool's tasks for each update. A task is never evicted, only re-weighted."""

    def weights(self, pool: Sequence[PoolTask]) -> list[float]:
        """How likely each task of a pool that is not empty is to be drawn; need not sum to 1."""

    def draw(self, pool: Sequence[PoolTask], count: int, seed: int) -> list[str]:
        """Ids of `count` tasks, without repetition while the pool lasts."""

    def observe(self, outcomes: Sequence[GroupOutcome]) -> None:
        """Learn from the groups of one update."""


class Gate(Stateful, Protocol):
    """Decides which groups give a gradient."""

    def admit(self, raw_rewards: Sequence[float]) -> bool:
        """Whether a group with these unpenalised rewards is trained on."""


class ReportTransform(Stateful, Protocol):
    """What stands between a weakness report and the grower that reads it: the controls of the closed loop."""

    probes: int  # times the probes of the common report with which the grower's report is measured

    def apply(self, report: WeaknessReport, services: Mapping[str, str], seed: int) -> WeaknessReport:
        """The report as the grower gets it; called once per iteration. `services`: of each resource."""


class Allocation(Stateful, Protocol):
    """What each cell of a report is worth when worlds are shared out."""

    def hear(self, report: WeaknessReport) -> None:
        """A new report, before it is allocated; called once per iteration."""

    def observe(self, outcomes: Sequence[GroupOutcome]) -> None:
        """Learn from the groups of one update."""

    def weights(self, cells: Sequence[Cell]) -> list[float]:
        """The worth of each cell, 0 or more; need not sum to 1."""


@dataclass(frozen=True)
class GrowthRequest:
    """What a grower may look at."""

    iteration: int  # from 0
    scenarios: tuple[Brief, ...]  # drawn from the training generator, not aimed; one per world to admit
    seed: int  # of the draws of cells
    targeting: Targeting
    train_tasks: tuple[PoolTask, ...]  # of worlds of the train split, those that grew in them later too
    avoid: tuple[str, ...]  # digests of the tool sets grown in earlier iterations
    report: WeaknessReport | None  # the newest one; None for a grower that does not read it


@dataclass(frozen=True)
class Ask:
    """One brief that a grower asks PLANET for."""

    brief: Brief
    aimed: bool  # at cells of a weakness report, not at random
    world_id: str | None = None  # a world that more tasks are asked for in; None: a new world


class Grower(Stateful, Protocol):
    """Asks for worlds between iterations."""

    reads_report: bool  # probing is charged to growers that learn from it

    def briefs(self, request: GrowthRequest) -> list[Ask]:
        """At most one brief per scenario; none from a grower that does not grow."""

    def observe(self, outcomes: Sequence[GroupOutcome]) -> None:
        """Learn from the groups of one update."""
