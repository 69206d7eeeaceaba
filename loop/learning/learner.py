"""What the loop needs of a policy that plays and learns; `loop.learning.decoder` comes with it.

Nothing here imports JAX, so a scripted policy can stand in, and own policies plug in by
`learner: {type: module:Class}`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from planet.records.episode import Grade, Trajectory
from planet.records.view import TaskView
from policy.episode import EpisodeRequest

Metrics = dict[str, float]
Request = EpisodeRequest
"""One episode to play."""


class Tokens(Protocol):
    """An episode as tokens; what they are is the policy's own business."""

    @property
    def sampled(self) -> Any:
        """[t] bool: the policy chose this token."""


class Rollout(Protocol):
    """A finished episode whose session is still open for grading."""

    @property
    def trajectory(self) -> Trajectory:
        """What was done."""

    @property
    def session(self) -> Any:
        """Where it was done."""

    @property
    def tokens(self) -> Tokens:
        """What was read and said."""


class Graded(NamedTuple):
    """One member of a group, as a learner gets it."""

    rollout: Rollout
    grade: Grade


class Shown(NamedTuple):
    """One solved task to learn from: the calls of its oracle with their results."""

    view: TaskView
    trajectory: Trajectory


class Store(Protocol):
    """Checkpoints in a directory, by integer step, each whole or absent."""

    def steps(self) -> Sequence[int]:
        """Steps that are stored."""

    def save(self, step: int, metadata: dict[str, Any]) -> None:
        """Store the learner's state."""

    def load(self, step: int) -> dict[str, Any]:
        """Bring the learner to a stored state; the metadata that was stored with it."""

    def drop(self, step: int) -> None:
        """Remove one."""


class Learner(Protocol):
    """A policy that plays and learns."""

    @property
    def version(self) -> int:
        """Updates since the warm start."""

    def fingerprint(self) -> str:
        """A digest of everything but demonstrations that a warm start follows from."""

    def warm_start(self, shown: Sequence[Shown], done: Callable[[int], None]) -> Metrics:
        """Learn from demonstrations, from scratch; `done` hears of optimizer steps."""

    def play(self, requests: Sequence[Request], temperature: float) -> Sequence[Rollout]:
        """One rollout per request, in order, with its session open; temperature 0 is greedy."""

    def update(self, groups: Sequence[Sequence[Graded]]) -> Metrics:
        """One policy update; no groups, no update and no metrics."""

    def store(self, directory: Path) -> Store:
        """The checkpoints of this learner in a directory."""
