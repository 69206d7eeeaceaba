"""From a chat with tool calls, as OpenAI-style APIs record it, to a line of an episode file."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.errors import DataError

Message = Mapping[str, Any]


def says_error(content: str) -> bool:
    """Whether a tool's reply reports a failure: an object with a filled "error", or a text that begins so."""
    try:
        reply = json.loads(content)
    except (ValueError, RecursionError):
        return content.lstrip().lower().startswith("error")
    return isinstance(reply, dict) and bool(reply.get("error"))


def line_from_messages(
    messages: Sequence[Message], *, is_error: Callable[[str], bool] = says_error, **known: Any
) -> dict[str, Any]:
    """The line of one episode, ready for `json.dumps`.

    messages: {"role", "content", "tool_calls", "tool_call_id"} in order.
    is_error: of the text of a tool's reply, whether the call failed.
    known: other keys of the line: task, and success or assertions; world, tools, required_tools, tags, ...

    The first user message becomes the instruction. Arguments are an object, or one as JSON text. A call whose
    arguments are none, or that no reply follows, failed. The episode ended with an answer if an assistant's
    message without calls is last. A reply belongs to the assistant's message before it, as ids may come
    again. DataError when it has no id, and for a call without `function`.
    """
    calls = [
        _call(number, call, replies, is_error)
        for number, message, replies in _turns(messages)
        for call in message.get("tool_calls") or ()
    ]
    asked = [_text(message) for message in messages if message.get("role") == "user"]
    last = messages[-1] if messages else {}
    answered = last.get("role") == "assistant" and not last.get("tool_calls")
    line = {"calls": calls, "ended": "answer" if answered else "turn_limit"}
    return line | ({"instruction": asked[0]} if asked else {}) | known


def _turns(messages: Sequence[Message]) -> list[tuple[int, Message, dict[str, str]]]:
    """Every message of the assistant: its number from 0, itself, and the replies by the id of their call."""
    turns: list[tuple[int, Message, dict[str, str]]] = []
    for number, message in enumerate(messages):
        if message.get("role") == "assistant":
            turns.append((number, message, {}))
        elif message.get("role") == "tool":
            if message.get("tool_call_id") is None:
                raise DataError(
                    f"message {number} is a tool's reply ({_text(message)!r:.60}) without tool_call_id; "
                    "give it the id of the call that it answers"
                )
            if turns:
                turns[-1][2][message["tool_call_id"]] = _text(message)
    return turns


def _text(message: Message) -> str:
    """The content of a message; of one in parts, its text parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content if part.get("type") == "text")
    return content or ""


def _call(
    number: int, call: Message, replies: Mapping[str, str], is_error: Callable[[str], bool]
) -> dict[str, Any]:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or "name" not in function:
        raise DataError(
            f"message {number} has a call without a function and its name ({call!r:.60}); give it as "
            '{"id": ..., "function": {"name": ..., "arguments": ...}}'
        )
    arguments = _arguments(function.get("arguments"))
    if arguments is None:
        return {"tool": function["name"], "arguments": {}, "error": "the arguments are no JSON object"}
    made: dict[str, Any] = {"tool": function["name"], "arguments": arguments}
    if call.get("id") not in replies:
        return made | {"error": "no reply followed"}
    reply = replies[call["id"]]
    return made | ({"error": reply or "it failed"} if is_error(reply) else {"ok": True, "result": reply})


def _arguments(given: Any) -> dict[str, Any] | None:
    """The arguments of a call, which some interfaces record as an object; None when they are none."""
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError):
            return None
    elif not given:
        given = {}
    return given if isinstance(given, dict) else None
