"""The decoder's episodes in progress: a fleet over the devices that play."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loop.learning.learner import Request
from planet.records.episode import Trajectory
from policy.episode import Rollout
from policy.fleet import Fleet
from policy.in_flight import stored_trace, trace_of
from policy.state import TrainState


class DecoderInPlay:
    """Episodes in progress. `present` gives the learner's state when parameters are to be renewed."""

    def __init__(self, fleet: Fleet, present: Callable[[], TrainState]) -> None:
        self._fleet = fleet
        self._present = present
        self._version = present().version  # of the parameters that play

    def submit(self, requests: Sequence[Request]) -> list[int]:
        """Queue the episodes of one group; their numbers."""
        return self._fleet.submit(requests)

    def advance(self) -> list[tuple[int, Rollout]]:
        """One decoding call on every device; the episodes that ended."""
        return self._fleet.advance()

    def renew(self) -> None:
        """Copies of the learner's parameters to every device that plays."""
        state = self._present()
        self._version = state.version
        self._fleet.renew(state.params, state.version)

    def age(self, rollout: Rollout) -> tuple[int, int]:
        """(oldest, first) version of the sampled tokens."""
        versions = rollout.tokens.version[rollout.tokens.sampled]
        return (int(versions.min()), int(versions[0])) if len(versions) else (self._version, self._version)

    def keep(self, rollout: Rollout) -> dict[str, Any]:
        """Name, calls, tokens and flags."""
        return {
            "request_name": rollout.request_name,
            "trajectory": rollout.trajectory.model_dump(mode="json"),
            "tokens": stored_trace(rollout),
            "truncated": rollout.truncated,
            "overflow": rollout.overflow,
        }

    def kept(self, state: Mapping[str, Any]) -> Rollout:
        """Them again."""
        return Rollout(
            request_name=state["request_name"],
            trajectory=Trajectory.model_validate(state["trajectory"]),
            session=None,  # type: ignore[arg-type]  # graded, and given back long ago
            tokens=trace_of(state["tokens"]),
            truncated=state["truncated"],
            overflow=state["overflow"],
        )

    def state_dict(self) -> dict[str, Any]:
        """The fleet's."""
        return self._fleet.state_dict()

    def load_state_dict(self, state: Mapping[str, Any], requests: Mapping[int, Request]) -> None:
        """The fleet's."""
        self._fleet.load_state_dict(state, requests)
