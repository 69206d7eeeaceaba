"""Tasks for measuring speed: look up some tickets one after the other, then answer.

A short warm start on them gives episodes as long as real ones: prompts of about 40 tokens, turns of about
ten, observations between them. An untrained decoder would say nothing but turns at their token limit.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from planet.records.episode import Call, Ended, ToolResult, Trajectory
from planet.records.view import TaskView, ToolSpec
from policy.codec import Codec
from policy.config import PolicyConfig
from policy.decoder import Params, parameters
from policy.demonstration import Demonstration
from policy.episode import EpisodeRequest
from policy.warm_start import examples_of, warm_start

STEPS = 60
"""Of the warm start; nearly every episode ends with an answer then."""
TURNS = (1, 2, 3, 3, 4, 4, 5, 6)
"""Tickets that tasks ask for, one after the other: 3.5 on average, as in the main job."""
TOOL = ToolSpec(
    name="search_ticket",
    operation="search",
    resource="ticket",
    service=None,
    description="Find ticket records by filters.",
    parameters={"type": "object", "properties": {"filters": {"type": "array"}}},
)


@dataclass
class Desk:
    """A session that finds a ticket for every call."""

    turns_left: int = 8
    calls: list[Call] = field(default_factory=list)

    def call(self, tool: str | None, arguments: dict[str, Any]) -> ToolResult:
        self.turns_left -= 1
        self.calls.append(Call(tool=tool, arguments=arguments, payload=FOUND.payload, error=FOUND.error))
        return FOUND

    def finish(self, answer: str | None, ended: Ended) -> Trajectory:
        return Trajectory(
            task_id="bench", world_id="bench", calls=tuple(self.calls), answer=answer, ended=ended
        )


ROW = {"id": "TIC-0001", "label": "Ann Lee", "status": "open"}
FOUND = ToolResult({"rows": [ROW], "page": 1, "more": False}, None)


def is_(column: str, value: str) -> dict[str, str]:
    """A filter."""
    return {"column": column, "op": "=", "value": value}


def task(number: int) -> Demonstration:
    """A task, and how it is solved."""
    tickets = [f"TIC-{n:04d}" for n in np.random.default_rng(number).integers(2, 9999, TURNS[number % 8])]
    view = TaskView(
        task_id=f"bench-{number}",
        world_id="bench",
        instruction=f"find the open ticket {', then of ticket '.join(tickets)}; "
        "leave the other tickets and their customers as they are",
        role="support_lead",
        tools=(TOOL,),
    )
    calls = tuple(
        Call(
            tool="search_ticket",
            arguments={"filters": [is_(column="id", value=ticket), is_(column="status", value="open")]},
            payload=FOUND.payload,
            error=None,
        )
        for ticket in tickets
    )
    return Demonstration(view, calls, "done")


def requests(prompts: int, group: int) -> list[EpisodeRequest]:
    """Episodes in groups of one task each."""
    return [
        EpisodeRequest(f"{n}/{member}", task(n).view, Desk) for n in range(prompts) for member in range(group)
    ]


def schooled(config: PolicyConfig, codec: Codec) -> Params:
    """Parameters after a short warm start on other tasks of the kind."""
    examples, refused = examples_of(codec, [task(1000 + n) for n in range(256)])
    assert not refused, refused[0]
    settings = config.warm_start.model_copy(update={"steps": STEPS, "batch": 16})
    fresh = parameters(config.decoder, 0)
    return warm_start(config.decoder, fresh, examples, settings, config.packing, 0)[0]
