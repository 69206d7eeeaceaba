"""The work that both trainers do: one GRPO step on so many single-turn episodes of fixed length.

Imports nothing: both interpreters read it. Both trainers get equal prompts and the same reward, and count
the tokens that they read and sampled; a run in which the counts differ from `wanted` is refused.
"""

from typing import NamedTuple


class Work(NamedTuple):
    """One update: prompts x group episodes of `read` and `said` tokens each, on a decoder of this shape."""

    width: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    hidden: int
    rows: int  # of the vocabulary
    prompts: int  # tasks of an update
    group: int  # episodes of a task
    read: int  # tokens of a prompt
    said: int  # tokens that are sampled; no episode ends earlier
    warm: int  # updates before those that are timed
    repeat: int  # updates that are timed
    threads: int

    @property
    def episodes(self) -> int:
        """Episodes of an update."""
        return self.prompts * self.group

    @property
    def wanted(self) -> dict[str, int]:
        """Tokens of an update."""
        return {"read": self.episodes * self.read, "said": self.episodes * self.said}


LEARNING_RATE = 1e-6
CLIP_LOW, CLIP_HIGH = 0.2, 0.28
CLIP_NORM = 1.0
TEMPERATURE = 1.0
"""Of both."""


def prompt(work: Work, number: int) -> list[int]:
    """Token ids of a task: a walk through the vocabulary, another one for every task."""
    return [(7 + 131 * number + 17 * place) % work.rows for place in range(work.read)]


def reward(ids: list[int]) -> float:
    """The share of even tokens: it differs within a group, and costs nothing."""
    return sum(token % 2 == 0 for token in ids) / len(ids)
