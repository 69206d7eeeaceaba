"""One training sample: a conversation whose last turn is right, because it was carried out."""

import json
from functools import cached_property
from typing import Literal

from planet.author.artifacts import Link
from planet.author.llm.prompt import Message, message
from planet.identity import digest
from planet.records.frozen import Frozen

Kind = Literal["brief_to_world", "stage", "repair", "intent_to_diff"]
KINDS: tuple[Kind, ...] = ("brief_to_world", "stage", "repair", "intent_to_diff")


class Sample(Frozen):
    """A conversation in chat format, and where it comes from."""

    kind: Kind
    world_id: str  # of the admitted world that the last turn leads to
    link: Link | None  # that the last turn proposes; None: all five, or a diff
    validator: (
        str | None
    )  # whose finding the last turn repairs; "author": no world could be made; None: no repair
    messages: tuple[Message, ...]

    @cached_property
    def id(self) -> str:
        """Content hash."""
        return digest([self.kind, self.messages])

    @property
    def answer(self) -> str:
        """The last turn: what is to be learned."""
        return self.messages[-1]["content"]

    def line(self) -> str:
        """The sample as a line of JSON, its identity first."""
        return json.dumps({"id": self.id, **self.model_dump(mode="json")}, ensure_ascii=False)


def answered(messages: list[Message], answer: str) -> tuple[Message, ...]:
    """A conversation with its right end."""
    return (*messages, message("assistant", answer))
