"""The schedule log: what a stream of groups did in a step, in the order in which it did it.

It holds no clock, so equal runs have equal logs; the ledger keeps it in the detail of the update's step.
"""

from typing import Any, Literal

What = Literal["submitted", "finished", "consumed", "rejected", "stale", "pushed"]
"""A group was submitted; an episode has ended; a group was taken by the update, dropped by the gate, or
dropped for its age; new weights went to where episodes are played."""


class Schedule:
    """Events since the last step. `calls` counts decoding calls since the run began."""

    def __init__(self) -> None:
        self.calls = 0
        self._events: list[dict[str, Any]] = []

    def note(self, what: What, name: str, **more: int) -> None:
        """Something happened to a group, an episode or the weights, after so many decoding calls."""
        self._events.append({"calls": self.calls, "what": what, "name": name, **more})

    def take(self) -> list[dict[str, Any]]:
        """The events of this step."""
        events, self._events = self._events, []
        return events
