"""An episode as a policy lives it: what is asked for, its session, its tokens, and what comes out.

`EpisodeRequest` -> `Row`, the episode in progress -> `Rollout` with its `TokenTrace`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from planet.records.episode import Ended, ToolResult, Trajectory
from planet.records.view import TaskView
from policy.codec import EpisodeCodec


class ToolSession(Protocol):
    """An episode of a world, as a policy sees it. `turns_left` is the number of calls it still answers."""

    @property
    def turns_left(self) -> int: ...

    def call(self, tool: str | None, arguments: dict[str, Any]) -> ToolResult:
        """Execute a call; `tool` None is output that could not be read. Never raises."""

    def finish(self, answer: str | None, ended: Ended) -> Trajectory:
        """End the episode."""


class EpisodeRequest(NamedTuple):
    """One episode to play."""

    name: str  # unique within a run of the engine; the randomness of the episode follows from it
    view: TaskView
    open: Callable[[], ToolSession]  # called when the episode gets a slot
    unheard: frozenset[str] = frozenset()  # names that are shown as if the vocabulary lacked them


class TokenTrace(NamedTuple):
    """τ as tokens: everything the policy read and said. All arrays are [t]."""

    ids: np.ndarray  # int32
    sampled: np.ndarray  # bool: the policy chose this token
    logp: np.ndarray  # float32 log-probability under the sampler at its temperature; 0 where not sampled
    version: np.ndarray  # int32 version of the parameters that sampled or read the token


class Rollout(NamedTuple):
    """A finished episode. Its session stays open for grading."""

    request_name: str
    trajectory: Trajectory
    session: ToolSession
    tokens: TokenTrace
    truncated: bool  # a turn reached its token limit without <end>, or the episode its context
    overflow: int  # literals that found no free slot


@dataclass
class Row:
    """An episode that is being played."""

    index: int  # of its request
    request: EpisodeRequest
    session: ToolSession
    codec: EpisodeCodec
    prompt: tuple[int, ...] = ()
    ids: list[int] = field(default_factory=list)
    sampled: list[bool] = field(default_factory=list)
    logp: list[float] = field(default_factory=list)
    version: list[int] = field(default_factory=list)
    cached: int = 0  # tokens that the cache has read
    said: int = 0  # tokens of the present turn
    waiting: bool = False  # the turn is over and its tool has not run
    served: int = 0  # the last decoding call that it was part of
    turns: int = 0
    unreadable: int = 0  # turns that were neither call nor answer
    truncated: bool = False

    @property
    def unread(self) -> int:
        """Tokens that the cache has not read."""
        return len(self.ids) - self.cached

    def show(self, ids: Iterable[int], version: int) -> None:
        """Append tokens that the policy is given."""
        before = len(self.ids)
        self.ids.extend(ids)
        more = len(self.ids) - before
        self.sampled.extend([False] * more)
        self.logp.extend([0.0] * more)
        self.version.extend([version] * more)

    def say(self, ids: list[int], logp: list[float], version: int) -> None:
        """Append tokens that the policy has sampled, and the cache has read."""
        self.ids.extend(ids)
        self.sampled.extend([True] * len(ids))
        self.logp.extend(logp)
        self.version.extend([version] * len(ids))
        self.cached += len(ids)
        self.said += len(ids)

    def finished(self, trajectory: Trajectory) -> Rollout:
        """What the episode leaves when it is over."""
        tokens = TokenTrace(
            ids=np.asarray(self.ids, np.int32),
            sampled=np.asarray(self.sampled, bool),
            logp=np.asarray(self.logp, np.float32),
            version=np.asarray(self.version, np.int32),
        )
        return Rollout(
            self.request.name, trajectory, self.session, tokens, self.truncated, self.codec.overflow
        )
