"""What a model would say in an episode: the oracle's calls, one a message or all at once, then an answer."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from planet.records.task import Task
from tests.planet.llm_server import Said


def said_so_far(request: dict[str, Any]) -> int:
    """Messages of the model in a request."""
    return sum(message["role"] == "assistant" for message in request["messages"])


def task_asked(tasks: Iterable[Task], request: dict[str, Any]) -> Task:
    """The task that a request is about: its instruction and its tools are those of one task."""
    names = {function["function"]["name"] for function in request["tools"]}
    asked = request["messages"][1]["content"]
    return next(
        t for t in tasks if t.view.instruction == asked and {tool.name for tool in t.view.tools} == names
    )


def oracle(tasks: Iterable[Task], at_once: bool = False) -> Callable[[dict[str, Any]], Said]:
    """A line for the server: the plan of the task, a call a message or all calls in one, then "done"."""
    known = tuple(tasks)

    def line(request: dict[str, Any]) -> Said:
        plan = [(p.tool, json.dumps(p.arguments)) for p in task_asked(known, request).key.oracle]
        turn = said_so_far(request)
        if at_once:
            return Said("all at once", calls=tuple(plan)) if turn == 0 else Said("done")
        return Said(None, calls=(plan[turn],), finish="tool_calls") if turn < len(plan) else Said("done")

    return line
