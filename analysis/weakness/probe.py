"""What a weakness report is made of: graded episodes as plain records.

Nothing here refers to the ledger or to PLANET, so episodes of other agents in other environments can be used.
A cell is the string "facet:value", e.g. "family:two_hop" or "tool:update_invoice".
"""

from typing import Any

from planet.records.episode import Ended
from planet.records.frozen import Frozen


class ProbeCall(Frozen):
    """One executed tool call."""

    tool: str | None  # None: unreadable output
    arguments: dict[str, Any]
    error: str | None  # None: it succeeded


class PlannedProbe(Frozen):
    """One call of the plan that solves the task."""

    tool: str
    arguments: dict[str, Any]  # an update without "id" creates a record
    required: bool  # a write without which the task fails
    cells: tuple[str, ...] = ()  # of the task, that own the call; "tool:<tool>" is added by itself


class ProbeEvidence(Frozen):
    """The outcome of one assertion or invariant on the final state."""

    name: str
    kind: str  # "invariant", or a kind of assertion
    table: str
    column: str | None  # None: the row as a whole
    satisfied: bool
    cells: tuple[
        str, ...
    ] = ()  # that own it; empty: every cell of the task does, tools by the map of writers
    held_at_start: bool = False  # it held before the agent acted, so that only a wrong write breaks it


class ProbeEpisode(Frozen):
    """One graded episode with what its task requires."""

    episode_id: str
    task_id: str
    world_id: str
    cells: tuple[str, ...]  # that the task requires: each one is an opportunity
    evidence: tuple[ProbeEvidence, ...]
    calls: tuple[ProbeCall, ...]
    planned: tuple[PlannedProbe, ...]
    writers: dict[str, tuple[str, ...]]  # "table.column" or "table" -> tools that can write it
    all_pass: bool
    raw_reward: float  # in [0, 1], before penalties
    ended: Ended


def facet_of(cell: str) -> str:
    """The facet of a cell: "tool" of "tool:update_invoice"."""
    return cell.partition(":")[0]
