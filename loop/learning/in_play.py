"""What the asynchronous mode needs of a policy beside `loop.learning.learner`: to play while it learns.

Own policies plug in by the same two methods; nothing here imports JAX.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from loop.learning.learner import Graded, Metrics, Request, Rollout


class InPlay(Protocol):
    """Episodes in progress under copies of the learner's parameters, wherever they are played."""

    def submit(self, requests: Sequence[Request]) -> list[int]:
        """Queue the episodes of one group; their numbers, from 0 in order of submission."""

    def advance(self) -> Sequence[tuple[int, Rollout]]:
        """Play on by one decoding call; the episodes that ended, with their numbers, sessions still open."""

    def renew(self) -> None:
        """Go on under the learner's present parameters."""

    def age(self, rollout: Rollout) -> tuple[int, int]:
        """(oldest, first) version among the tokens that were sampled in an episode; the present one for an
        episode without any."""

    def keep(self, rollout: Rollout) -> dict[str, Any]:
        """A finished episode as JSON values."""

    def kept(self, state: Mapping[str, Any]) -> Rollout:
        """A finished episode from them; its session is gone."""

    def state_dict(self) -> dict[str, Any]:
        """The episodes in progress, right after `renew`, as JSON values."""

    def load_state_dict(self, state: Mapping[str, Any], requests: Mapping[int, Request]) -> None:
        """Go on exactly from there, where nothing is played yet; `requests` by their numbers."""


@runtime_checkable
class PlaysOn(Protocol):
    """A learner that can."""

    def in_play(self, temperature: float) -> InPlay:
        """Nothing in play yet, under the present parameters."""

    def begin_update(self, groups: Sequence[Sequence[Graded]]) -> Callable[[], Metrics]:
        """Begin `update`; the returned function waits for its end. Until then nothing but what is in play
        may be asked of the learner."""
