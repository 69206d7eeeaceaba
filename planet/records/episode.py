"""What happened in an episode: tool calls and their results, and the grade."""

from typing import Any, Literal, NamedTuple

from pydantic import ConfigDict

from planet.records.frozen import Frozen

Ended = Literal["answer", "turn_limit", "token_limit", "unreadable"]


class ToolResult(NamedTuple):
    """The outcome of one tool call. `payload` is JSON-like and None when the call failed.

    search / list: {"rows": [{"id", "label", "status"}, ...], "page": int, "more": bool}
    get:           {column: value, ...}
    update:        {"id": str, "created": bool}
    search_documents: {"rows": [{"id", "title"}, ...], "page": int, "more": bool}
    get_document:  {"id", "title", "body"}
    """

    payload: dict[str, Any] | None
    error: str | None  # one readable sentence; None when the call succeeded

    @property
    def ok(self) -> bool:
        return self.error is None


class Call(Frozen):
    """One executed tool call with its result. A failed rollout is data: what an agent says has no limit."""

    model_config = ConfigDict(str_max_length=None)

    tool: str | None  # None: the output could not be read as a call
    arguments: dict[str, Any]
    payload: dict[str, Any] | None
    error: str | None


class Trajectory(Frozen):
    """τ without its tokens: what replay and grading need. Token arrays live with their policy."""

    model_config = ConfigDict(str_max_length=None)  # an answer may be of any length

    task_id: str
    world_id: str
    calls: tuple[Call, ...]
    answer: str | None  # None: the episode ended without one
    ended: Ended


class Evidence(Frozen):
    """The outcome of one assertion or invariant on the final state."""

    name: str  # assertion or invariant id, unique in the task
    kind: str  # "exists", "equals", "differs" or "invariant"
    table: str  # the table whose rows decide it (an invariant: the table of its effect)
    column: str | None  # None: the row as a whole
    satisfied: bool
    violated_at_start: bool  # it did not hold before the agent acted


class Grade(Frozen):
    """r: the grade of one episode."""

    task_id: str
    evidence: tuple[Evidence, ...]
    score: float  # share of evidence satisfied, in [0, 1]
    floor: float  # the score of doing nothing, in [0, 1)
    raw_reward: float  # (score - floor) / (1 - floor) in [0, 1], halved by collateral; before penalties
    reward: float  # raw_reward times every penalty factor
    all_pass: bool  # every piece of evidence satisfied and no collateral
    penalties: dict[str, float]  # name -> factor in (0, 1); absent when not incurred
    collateral: tuple[str, ...]  # rows changed outside the allowed writes, or invariants newly broken
