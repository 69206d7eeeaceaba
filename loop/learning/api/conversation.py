"""An episode as a chat: what the model is told, and its own turns as they are shown to it again."""

import json
import re
from collections.abc import Sequence
from typing import Any

from loop.learning.api.reading import ReadCall
from planet.language_model.answer import Answer
from planet.records.episode import ToolResult
from planet.records.view import TaskView

Message = dict[str, Any]
"""A turn in the format of OpenAI's chat completions."""

LONGEST_THOUGHT = 8_000
"""Characters of the text beside calls that the model is shown again."""
UNREADABLE = "unreadable"
"""What a call is called in the history whose name no endpoint would take back."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def opening(view: TaskView, turns: int) -> list[Message]:
    """The first two messages: the rules of the episode and the task. `turns`: calls that it may make."""
    role = view.role.replace("_", " ")
    rules = (
        f"You are the {role} of a company. You work with its tools alone, on your own: nobody answers "
        "questions. The company's rules stand in its policy pages. Ids of records are found with the tools; "
        f"never guess one. You may make {turns} tool calls. When the task is done, answer with one short "
        "sentence and no call: this ends your work."
    )
    return [{"role": "system", "content": rules}, {"role": "user", "content": view.instruction}]


def functions(view: TaskView) -> list[dict[str, Any]]:
    """The tools of the task as functions that may be called."""
    return [
        {
            "type": "function",
            "function": {"name": t.name, "description": t.description, "parameters": t.parameters},
        }
        for t in view.tools
    ]


def turn_of(answer: Answer, calls: Sequence[ReadCall], turn: int) -> Message:
    """The model's message as its own past turn.

    Ids are numbered here, so that equal episodes are equal requests; what could not be read is left out of
    the call and told in its result, since endpoints refuse broken arguments.
    """
    text = answer.text[:LONGEST_THOUGHT] or None
    if not answer.calls:
        return {"role": "assistant", "content": text or "(nothing)"}
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {
                "id": call_id(turn, number),
                "type": "function",
                "function": {
                    "name": _name(call.tool or said.name),
                    "arguments": "{}" if call.tool is None else json.dumps(call.arguments),
                },
            }
            for number, (call, said) in enumerate(zip(calls, answer.calls, strict=True))
        ],
    }


def reply(answer: Answer, result: ToolResult, turn: int, number: int) -> Message:
    """The result of a call; without a call to reply to, what was wrong with the message."""
    told = {"error": result.error} if result.error is not None else result.payload
    content = json.dumps(told, ensure_ascii=False)
    if not answer.calls:
        return {"role": "user", "content": content}
    return {"role": "tool", "tool_call_id": call_id(turn, number), "content": content}


def call_id(turn: int, number: int) -> str:
    """The id of a call of a message, both counted from 0."""
    return f"call_{turn}_{number}"


def _name(name: str) -> str:
    return name if _NAME.fullmatch(name) else UNREADABLE
