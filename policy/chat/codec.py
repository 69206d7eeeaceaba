"""`ChatCodec`: a published model's tokenizer and chat template as a `Codec`.

    prompt        system message, tools, the instruction, and the words that open the model's turn
    call          <tool_call> {"name": "get_ticket", "arguments": {"id": "TIC-0001"}} </tool_call> <|im_end|>
    observation   the result as JSON in a message of its own, and the words that open the next turn
    answer        anything else

What a turn's tokens were is kept as sampled: text is made of them to read the call, and never tokens of that
text again. Results and instructions are not trusted: the text of a special token inside them is broken up, so
that a document cannot end its message and speak as someone else.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planet.records.episode import ToolResult
from planet.records.view import TaskView, ToolSpec
from policy.chat.assets import ChatAssets, read_assets
from policy.chat.instructions import system_message
from policy.chat.reading import read_turn
from policy.chat.style import after_turn, style_of
from policy.chat.template import ChatTemplate
from policy.codec import Answer, Malformed, ToolCall
from policy.errors import WeightsError

TOOL_MARKS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
"""Marks that some tokenizers have as plain text; they are broken up all the same."""


class ChatCodec:
    """The codec of a published model. `thinking` lets models that can think aloud do so within a turn."""

    def __init__(self, assets: ChatAssets, thinking: bool = False) -> None:
        self.tokenizer = assets.tokenizer
        self.template = ChatTemplate(assets.template, assets.names, str(assets.where))
        added = self.tokenizer.get_added_tokens_decoder().values()
        special = [token.content for token in added if token.special]
        self.style = style_of(self.template, special, str(assets.where))
        self.asked = {"enable_thinking": thinking}
        marks = {*TOOL_MARKS, *(token.content for token in added if _is_mark(token.content))}
        self.marks = sorted(marks, key=len, reverse=True)
        end = self.tokenizer.token_to_id(self.style.end)
        if end is None:
            raise WeightsError(
                f"{assets.where}: the tokenizer lacks {self.style.end!r}; take both from one model"
            )
        self.end = int(end)

    @classmethod
    def read(cls, path: Path | str, thinking: bool = False) -> "ChatCodec":
        """The codec of the weights at a path; WeightsError when they have no tokenizer or template."""
        return cls(read_assets(path), thinking)

    def episode(self, view: TaskView, unheard: frozenset[str] = frozenset()) -> "ChatEpisode":
        """A fresh codec for one episode; no name is a stranger to a model that reads letters."""
        return ChatEpisode(self, view)

    def encode(self, text: str) -> list[int]:
        """Tokens of a text that may hold special tokens."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def plain(self, text: str) -> str:
        """A text that is not trusted, without anything that would be read as a mark or a special token."""
        text = text.encode(errors="replace").decode()
        for mark in self.marks:
            text = text.replace(mark, f"{mark[0]} {mark[1:]}")
        return text


def _is_mark(text: str) -> bool:
    """An added token that means something, e.g. <|im_end|>; some tokenizers add words and white space too."""
    return len(text) > 2 and not text[0].isalnum() and not text[0].isspace()


class ChatEpisode:
    """`ChatCodec` within one episode."""

    overflow = 0  # everything can be spelled

    def __init__(self, codec: ChatCodec, view: TaskView) -> None:
        self.view = view
        self._codec = codec
        self._tools = [_told(codec, spec) for spec in view.tools] if codec.style.knows_tools else None
        self._unclosed = False  # the last turn reached its limit, so its closing token is still to be shown

    def prompt(self) -> list[int]:
        codec = self._codec
        messages = [
            {"role": "system", "content": system_message(self.view, codec.style, codec.plain)},
            {"role": "user", "content": codec.plain(self.view.instruction)},
        ]
        return codec.encode(codec.template.render(messages, self._tools, more=True, **codec.asked))

    def observation(self, result: ToolResult) -> list[int]:
        codec = self._codec
        shown = {"error": result.error or ""} if result.payload is None else result.payload
        content = codec.plain(json.dumps(shown, ensure_ascii=False))
        if codec.style.result_role != "tool":
            content = f"<tool_response>\n{content}\n</tool_response>"
        text = after_turn(codec.template, codec.style, content, self._tools, **codec.asked)
        closing = [codec.end] if self._unclosed else []
        return [*closing, *codec.encode(text)]

    def parse(self, ids: Sequence[int]) -> ToolCall | Answer | Malformed:
        said = [int(token) for token in ids]
        self._unclosed = not said or said[-1] != self._codec.end
        text = self._codec.tokenizer.decode(said if self._unclosed else said[:-1], skip_special_tokens=False)
        if self._unclosed:
            return Malformed(text, "the turn was too long and was cut off")
        return read_turn(text)

    def encode_call(self, tool: str, arguments: dict[str, Any]) -> list[int]:
        return [*self._codec.encode(self._codec.style.call(tool, arguments)), self._codec.end]

    def encode_answer(self, text: str) -> list[int]:
        return [*self._codec.encode(self._codec.plain(text)), self._codec.end]

    def literals(self) -> tuple[str, ...]:
        return ()


def _told(codec: ChatCodec, spec: ToolSpec) -> dict[str, Any]:
    """A tool as chat templates take it; its texts come from a world and are not trusted."""
    told = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": json.loads(codec.plain(json.dumps(told, ensure_ascii=False)))}
