"""`Codec`: between what an agent reads and says, and token ids; `policy.world_codec` has PLANET's."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from planet.records.episode import ToolResult
from planet.records.view import TaskView


class ToolCall(NamedTuple):
    """A readable tool call; whether the tool exists and the arguments fit is for the session to say."""

    tool: str
    arguments: dict[str, Any]


class Answer(NamedTuple):
    """The end of an episode, in the agent's words."""

    text: str


class Malformed(NamedTuple):
    """Output that is neither a call nor an answer."""

    raw: str
    problem: str | None = None  # what is wrong with it, where the codec can say


class EpisodeCodec(Protocol):
    """The codec of one episode. It remembers what was shown, so its methods are called in order."""

    overflow: int  # literals that could not be told apart any more

    def prompt(self) -> list[int]:
        """Tokens of the task, before the first turn."""

    def observation(self, result: ToolResult) -> list[int]:
        """Tokens of a tool result."""

    def parse(self, ids: Sequence[int]) -> ToolCall | Answer | Malformed:
        """What the tokens of one turn say, <end> included."""

    def encode_call(self, tool: str, arguments: dict[str, Any]) -> list[int]:
        """Tokens that `parse` reads as this call."""

    def encode_answer(self, text: str) -> list[int]:
        """Tokens that `parse` reads as this answer."""

    def literals(self) -> tuple[str, ...]:
        """Literals that the episode has shown so far; only these can be said."""


class Codec(Protocol):
    """Tokens of any episode. `end` is the token that closes a turn."""

    end: int

    def episode(self, view: TaskView, unheard: frozenset[str] = frozenset()) -> EpisodeCodec:
        """A fresh codec for one episode of a task; `unheard` names are strangers to the vocabulary."""
