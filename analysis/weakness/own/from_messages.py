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

    The first user message becomes the instruction. A call whose arguments are no JSON object, or that no
    reply follows, failed. The episode ended with an answer if an assistant's message without calls is last.
    A reply belongs to the assistant's message before it, as ids may come again. DataError when it has no id.
    """
    calls = [
        _call(call, replies, is_error)
        for message, replies in _turns(messages)
        for call in message.get("tool_calls") or ()
    ]
    asked = [_text(message) for message in messages if message.get("role") == "user"]
    last = messages[-1] if messages else {}
    answered = last.get("role") == "assistant" and not last.get("tool_calls")
    line = {"calls": calls, "ended": "answer" if answered else "turn_limit"}
    return line | ({"instruction": asked[0]} if asked else {}) | known


def _turns(messages: Sequence[Message]) -> list[tuple[Message, dict[str, str]]]:
    """Every message of the assistant with the replies to it, by the id of their call."""
    turns: list[tuple[Message, dict[str, str]]] = []
    for number, message in enumerate(messages):
        if message.get("role") == "assistant":
            turns.append((message, {}))
        elif message.get("role") == "tool":
            if message.get("tool_call_id") is None:
                raise DataError(
                    f"message {number} is a tool's reply ({_text(message)!r:.60}) without tool_call_id; "
                    "give it the id of the call that it answers"
                )
            if turns:
                turns[-1][1][message["tool_call_id"]] = _text(message)
    return turns


def _text(message: Message) -> str:
    """The content of a message; of one in parts, its text parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content if part.get("type") == "text")
    return content or ""


def _call(call: Message, replies: Mapping[str, str], is_error: Callable[[str], bool]) -> dict[str, Any]:
    function = call["function"]
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        return {"tool": function["name"], "arguments": {}, "error": "the arguments are no JSON object"}
    made: dict[str, Any] = {"tool": function["name"], "arguments": arguments}
    if call.get("id") not in replies:
        return made | {"error": "no reply followed"}
    reply = replies[call["id"]]
    return made | ({"error": reply or "it failed"} if is_error(reply) else {"ok": True, "result": reply})
