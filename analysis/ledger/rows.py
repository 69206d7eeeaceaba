"""One record per table of the ledger; `tables` derives the SQL from them.

Keys are explicit and made of what the row is about, never of a counter or a clock, so that two equal runs
write equal rows. Every row but a `RunRow` carries the controller step that wrote it: a run is cut back to a
step by one condition. Fields that are not scalars are stored as canonical JSON text.
"""

import math
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from planet.records.episode import Ended
from planet.records.frozen import Frozen

SCHEMA_VERSION = 1
"""Raised with every change of a table, so that an old ledger is refused instead of misread."""

Json = dict[str, Any]
Origin = Literal["foundation", "train", "diagnose", "validate", "test", "grown"]
EpisodePurpose = Literal["train", "diagnose", "validate", "test"]
ChargePurpose = Literal[
    "train", "rejected", "stale", "diagnose", "oracle_probe", "audit", "validate", "test", "warm_start"
]


class Row(Frozen):
    """The base of all rows. `key` names the columns that identify one."""

    table: ClassVar[str]
    key: ClassVar[tuple[str, ...]]

    run_id: str


class RunRow(Row):
    """One run: an arm at a seed."""

    table: ClassVar[str] = "runs"
    key: ClassVar[tuple[str, ...]] = ("run_id",)

    name: str  # of the experiment
    arm: str  # e.g. "closed_loop"
    seed: int
    config_digest: str
    config: Json  # the whole configuration tree
    schema_version: int = SCHEMA_VERSION


class StepRow(Row):
    """One controller step; written in the same transaction as every other row of the step."""

    table: ClassVar[str] = "steps"
    key: ClassVar[tuple[str, ...]] = ("run_id", "step")

    step: int  # from 0, without gaps
    kind: str  # what the controller did, e.g. "worlds", "diagnose", "grow", "update", "validate", "test"
    iteration: int | None  # of the outer loop, from 0; None: outside of it
    detail: Json = Field(default_factory=dict)


class WorldRow(Row):
    """A world, with the map by which blame is attributed."""

    table: ClassVar[str] = "worlds"
    key: ClassVar[tuple[str, ...]] = ("run_id", "world_id")

    step: int
    world_id: str
    origin: Origin  # its split; "grown" worlds belong to train
    iteration: int | None  # in which it was made; None: before the first one
    industry: str
    country: str
    description: str  # the sub-industry, one sentence
    services: tuple[str, ...]  # kinds
    resources: tuple[str, ...]  # all tables
    slice: tuple[str, ...]  # resources whose tools are offered
    offering: tuple[str, ...]  # kinds of the services that own the slice, sorted: the service combination
    tools: tuple[str, ...]  # names of the offered tools
    tool_set: str  # digest of them
    writers: dict[str, tuple[str, ...]]  # table -> tools that can write it
    rows: int  # seed rows of all tables
    brief_id: str | None  # None: not made from a brief of this run


class TaskRow(Row):
    """A task, with what its grader and the weakness report know of it."""

    table: ClassVar[str] = "tasks"
    key: ClassVar[tuple[str, ...]] = ("run_id", "task_id")

    step: int
    task_id: str
    world_id: str
    split: Origin
    family: str
    template: str  # id of the phrasing
    role: str
    instruction: str
    facets: Json  # `planet.records.task.Facets`
    cells: tuple[str, ...]  # "facet:value" that the task requires
    owned: dict[str, tuple[str, ...]]  # evidence name -> cells that own it
    oracle: tuple[Json, ...]  # planned calls {tool, arguments, required}


class EpisodeRow(Row):
    """One graded episode."""

    table: ClassVar[str] = "episodes"
    key: ClassVar[tuple[str, ...]] = ("run_id", "episode_id")

    step: int
    episode_id: str  # e.g. "s0012/p03/g5"
    purpose: EpisodePurpose
    variant: str  # how it was sampled, e.g. "t1" or "greedy"
    task_id: str
    group_id: str | None  # shared by the rollouts of one prompt; None: not in a group
    admitted: bool | None  # by the gate, so that it got a gradient; None: no gate was asked
    reward: float  # in [0, 1], after penalties
    raw_reward: float  # in [0, 1], before penalties
    score: float  # share of evidence satisfied
    all_pass: bool
    calls: int  # executed by the session, malformed included
    malformed: int  # of these, unreadable output
    tokens: int  # sampled by the policy
    ended: Ended
    policy_version: int  # updates applied when sampling began; 0: the warm start
    penalties: dict[str, float] = Field(default_factory=dict)  # name -> factor in (0, 1)
    collateral: tuple[str, ...] = ()


class ToolCallRow(Row):
    """One call of an episode. Results are kept with whole trajectories only."""

    table: ClassVar[str] = "tool_calls"
    key: ClassVar[tuple[str, ...]] = ("run_id", "episode_id", "turn")

    step: int
    episode_id: str
    turn: int  # from 0
    tool: str | None  # None: unreadable output
    arguments: Json
    ok: bool
    error: str | None  # None: it succeeded


class EvidenceRow(Row):
    """The outcome of one assertion or invariant of an episode. The cells that own it stand with the task."""

    table: ClassVar[str] = "evidence"
    key: ClassVar[tuple[str, ...]] = ("run_id", "episode_id", "name")

    step: int
    episode_id: str
    name: str  # assertion or invariant id
    kind: str  # "exists", "equals", "differs" or "invariant"
    target_table: str
    target_column: str | None  # None: the row as a whole
    satisfied: bool
    violated_at_start: bool


class TrajectoryRow(Row):
    """A whole trajectory, for replay, re-grading and reading."""

    table: ClassVar[str] = "trajectories"
    key: ClassVar[tuple[str, ...]] = ("run_id", "episode_id")

    step: int
    episode_id: str
    trajectory: Json  # `planet.records.episode.Trajectory`


class UpdateRow(Row):
    """One policy update; a controller step holds at most one."""

    table: ClassVar[str] = "updates"
    key: ClassVar[tuple[str, ...]] = ("run_id", "step")

    step: int
    update_index: int  # from 0; the policy's version becomes update_index + 1
    groups: int  # sampled, refills included
    admitted: int  # groups with a gradient
    dropped: int  # groups whose raw reward was equal in all members
    refill_shortfall: int  # groups still missing after the refill
    metrics: Json  # what the trainer measured


class ReportRow(Row):
    """One weakness report."""

    table: ClassVar[str] = "reports"
    key: ClassVar[tuple[str, ...]] = ("run_id", "report_id")

    step: int
    report_id: str
    report: Json  # `analysis.weakness.report.WeaknessReport`


class BriefRow(Row):
    """One brief and what became of it."""

    table: ClassVar[str] = "briefs"
    key: ClassVar[tuple[str, ...]] = ("run_id", "brief_id")

    step: int
    brief_id: str
    brief: Json  # `planet.records.world.Brief`
    admitted_world_id: str | None  # None: no world was admitted
    on_target: bool | None  # None: not aimed, or no world
    refused: dict[str, int] = Field(default_factory=dict)  # validator, audit or admission rule -> count


class AuthorCallRow(Row):
    """One attempt of an author at one link."""

    table: ClassVar[str] = "author_calls"
    key: ClassVar[tuple[str, ...]] = ("run_id", "brief_id", "call_index")

    step: int
    brief_id: str
    call_index: int  # from 0 within the brief
    link: str  # of PLANET, e.g. "schema"
    attempt: int  # from 0 within the link
    author: str  # e.g. "template", or a model's name
    accepted: bool
    refused: tuple[str, ...] = ()  # validators that fired
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float = 0.0


class ChargeRow(Row):
    """Environment steps of a controller step: calls executed by a session, malformed included."""

    table: ClassVar[str] = "charges"
    key: ClassVar[tuple[str, ...]] = ("run_id", "step", "purpose")

    step: int
    purpose: ChargePurpose
    steps: int
    charged: bool  # counts against the budget of charged steps


class MetricRow(Row):
    """One number of a controller step."""

    table: ClassVar[str] = "metrics"
    key: ClassVar[tuple[str, ...]] = ("run_id", "step", "name")

    step: int
    name: str
    value: float | None  # None: not a number

    @field_validator("value")
    @classmethod
    def _nan_is_none(cls, value: float | None) -> float | None:
        return None if value is None or math.isnan(value) else value


class ClockRow(Row):
    """Wall time of a controller step: the only table that may differ between equal runs."""

    table: ClassVar[str] = "clocks"
    key: ClassVar[tuple[str, ...]] = ("run_id", "step")

    step: int
    seconds: float
    detail: Json = Field(default_factory=dict)


ROW_TYPES: tuple[type[Row], ...] = (
    RunRow,
    StepRow,
    WorldRow,
    TaskRow,
    EpisodeRow,
    ToolCallRow,
    EvidenceRow,
    TrajectoryRow,
    UpdateRow,
    ReportRow,
    BriefRow,
    AuthorCallRow,
    ChargeRow,
    MetricRow,
    ClockRow,
)
"""All tables, in the order in which they are written and dumped."""
