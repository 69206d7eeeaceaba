"""`read_turn`: what a model said, as a tool call, an answer, or something that is neither.

A call is a JSON object with a name and its arguments, within `<tool_call>` and `</tool_call>` (the Qwen and
Hermes families) or as the whole of the turn (the Llama family, which says `parameters`). Whatever was
thought before, within `<think>` and `</think>`, is no part of it. Anything else is an answer, in the model's
words.
"""

import json
import re

from planet.strict_json import loads
from policy.codec import Answer, Malformed, ToolCall

OPEN, CLOSE = "<tool_call>", "</tool_call>"
_THOUGHT = re.compile(r"\A\s*(?:<think>)?(?:(?!<think>).)*?</think>", re.DOTALL)
_SHOWN = 60
"""Characters of what was said in a complaint."""


def read_turn(text: str) -> ToolCall | Answer | Malformed:
    """One turn, its closing token taken off. Never raises: what cannot be read says why."""
    said = _THOUGHT.sub("", text, count=1).strip()
    if said.startswith("<think>"):
        return Malformed(text, "the thought does not end; close it with </think> and then call or answer")
    opened = said.count(OPEN)
    if opened > 1:
        return Malformed(text, f"{opened} calls in one turn; make one, and wait for its result")
    if opened:
        body, closed, _ = said.partition(OPEN)[2].partition(CLOSE)
        if not closed:
            return Malformed(text, f"the call does not end; close it with {CLOSE}")
        return _call(body, text)
    if CLOSE in said:
        return Malformed(text, f"a call ends that did not begin; open it with {OPEN}")
    said = said.removeprefix("<|python_tag|>").strip()
    if said.startswith("{"):
        return _call(said, text)
    return Answer(said) if said else Malformed(text, "the turn is empty; call a tool or answer")


def _call(body: str, text: str) -> ToolCall | Malformed:
    try:
        told = loads(body)
    except json.JSONDecodeError as error:
        return Malformed(text, f"the call is no JSON: {error.msg} at character {error.pos}")
    except RecursionError:
        return Malformed(text, "the call is nested too deeply")
    except ValueError as error:  # a constant, or a number of thousands of digits
        return Malformed(text, f"the call holds a number that is none: {_brief(str(error))}")
    if not isinstance(told, dict):
        return Malformed(text, 'the call is no object; write {"name": ..., "arguments": {...}}')
    name = told.get("name")
    if not isinstance(name, str) or not name:
        return Malformed(text, 'the call has no "name"; give the name of a tool')
    arguments = told.get("arguments", told.get("parameters", {}))
    if not isinstance(arguments, dict):
        return Malformed(text, f'"arguments" of {_brief(name)} must be an object')
    return ToolCall(name, arguments)


def _brief(text: str) -> str:
    printable = ascii(text)[1:-1]
    return printable if len(printable) <= _SHOWN else printable[: _SHOWN - 3] + "..."
