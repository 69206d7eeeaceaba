"""`Style`: what a chat template writes around a turn, found by having it write one.

Families differ in the token that closes a turn, in whether the template knows tools, and in how it writes
calls and results. None of this is told anywhere but in the template itself, so a conversation with marked
words is rendered, and what stands around the marks is read off.
"""

import json
from typing import Any, NamedTuple

from policy.chat.reading import CLOSE, OPEN
from policy.chat.template import ChatTemplate
from policy.errors import WeightsError

_MARK, _PROBE = "markofaturn", "probe_the_tools"
_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": _PROBE,
        "description": "",
        "parameters": {"type": "object", "properties": {}},
    },
}
_ASKED: dict[str, Any] = {"role": "user", "content": "question"}
_CALLED: dict[str, Any] = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"type": "function", "function": {"name": _PROBE, "arguments": {"at": "here"}}}],
}


class Style(NamedTuple):
    """How a family writes."""

    end: str  # text of the token that closes a turn
    knows_tools: bool  # the template writes the tools into the prompt; otherwise the system message does
    result_role: (
        str  # of messages with a tool's result: "tool", or "user" where the template has no such role
    )
    bare: bool  # a call is a bare object with `parameters` (Llama), not one within <tool_call> (Qwen, Hermes)

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """A call as this family writes it."""
        key = "parameters" if self.bare else "arguments"
        text = json.dumps({"name": tool, key: arguments}, ensure_ascii=False)
        return text if self.bare else f"{OPEN}\n{text}\n{CLOSE}"


def style_of(template: ChatTemplate, special: list[str], where: str) -> Style:
    """The style of a template. `special`: texts of the tokens that may close a turn."""
    knows = _PROBE in template.render([_ASKED], [_TOOL], more=True)
    style = Style(_end(template, special, where), knows, "tool" if knows else "user", bare=False)
    if not knows:
        return style
    written = template.render([_ASKED, _CALLED], [_TOOL], more=False)
    bare = OPEN not in written.partition(_ASKED["content"])[2]
    if bare and '"parameters"' not in written.rpartition(_PROBE)[2]:
        raise WeightsError(
            f"{where}: the chat template writes tool calls neither within {OPEN} nor as JSON with "
            f'"parameters"; take a model of the Qwen3 or Llama 3 family'
        )
    if _MARK not in after_turn(template, style, _MARK, [_TOOL]):
        raise WeightsError(
            f"{where}: the chat template leaves out what a tool has answered; use the template of the "
            f"model's family"
        )
    return style._replace(bare=bare)


def after_turn(
    template: ChatTemplate, style: Style, content: str, tools: list[dict[str, Any]] | None, **asked: Any
) -> str:
    """What a template writes from the end of a turn, whose closing token is not included, to the next one,
    with a tool's result between."""
    said = {"role": "assistant", "content": _MARK}
    result = {"role": style.result_role, "content": content}
    text = template.render([_ASKED, said, result], tools, more=True, **asked)
    return text.partition(_MARK)[2].partition(style.end)[2]


def _end(template: ChatTemplate, special: list[str], where: str) -> str:
    text = template.render([_ASKED, {"role": "assistant", "content": _MARK}], more=False)
    rest = text.partition(_MARK)[2].lstrip()
    found = [token for token in special if token and rest.startswith(token)]
    if not found:
        raise WeightsError(
            f"{where}: the chat template closes a turn with {rest[:20]!r}, which begins with no special "
            f"token; use the tokenizer and template of one model"
        )
    return max(found, key=len)
