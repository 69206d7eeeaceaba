"""Tasks: what the grader knows of them. A policy never imports this module."""

from typing import Any, Literal

from pydantic import Field

from planet.records.frozen import Frozen, Scalar
from planet.records.view import TaskView

AssertionKind = Literal["exists", "equals", "differs"]


class Edit(Frozen):
    """One change of the state delta, applied in order to the seed state before the episode."""

    op: Literal["insert", "set", "delete"]
    table: str
    key: str  # id of the row
    values: dict[str, Scalar] = Field(default_factory=dict)  # columns written; empty for delete


class Assertion(Frozen):
    """One condition on the final state.

    exists:  a row of `table` matches `where`.
    equals:  exactly one row matches `where`, and its `column` equals `value`.
    differs: exactly one row matches `where`, and its `column` is not `value`.
    """

    id: str
    kind: AssertionKind
    table: str
    where: dict[str, Scalar]
    column: str | None = None
    value: Scalar = None


class AllowedWrite(Frozen):
    """Rows and columns that a correct solution may change; anything else is collateral."""

    table: str
    key: str | None  # id of the row; None: rows created in the episode
    columns: tuple[str, ...]


class PlannedCall(Frozen):
    """One call of an oracle plan."""

    tool: str
    arguments: dict[str, Any]
    required: bool  # a write without which the task fails


class Mention(Frozen):
    """A record that the instruction names; it must resolve to exactly one row."""

    table: str
    where: dict[str, Scalar]


class Facets(Frozen):
    """What kind of task this is: the values of the cells of the weakness report."""

    family: str
    operations: tuple[str, ...]  # tool operations that the oracle uses
    hops: int  # reads that the oracle needs
    pattern: str | None  # of the invariant at stake; None when there is none
    pairs: tuple[str, ...]  # "kind>kind" of the services of invariants at stake and references followed
    resources: tuple[str, ...]  # tables that the oracle touches
    services: tuple[str, ...]  # the service kind of each of `resources`, in the same order
    tools: tuple[str, ...]  # tools that the oracle calls
    kinds: tuple[str, ...]  # kinds of evidence
    industry: str
    role: str
    template: str  # id of the phrasing


class TaskKey(Frozen):
    """ρ: everything hidden about a task."""

    task_id: str
    world_id: str
    delta: tuple[Edit, ...]
    assertions: tuple[Assertion, ...]
    at_stake: tuple[str, ...]  # ids of invariants that hold after the oracle and fail without it
    allowed: tuple[AllowedWrite, ...]
    oracle: tuple[PlannedCall, ...]
    alternative: tuple[PlannedCall, ...]  # another correct plan
    mentions: tuple[Mention, ...]
    facets: Facets


class Task(Frozen):
    """A task as PLANET hands it to the controller: the two halves side by side."""

    view: TaskView
    key: TaskKey

    @property
    def id(self) -> str:
        return self.view.task_id
