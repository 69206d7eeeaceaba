"""Where groups wait between their submission and an update, and what became of them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from loop.asynchronous.in_play import GroupInPlay


class Charges(NamedTuple):
    """Calls of one step: executed in it by any group, and of groups that were dropped in it."""

    executed: int
    rejected: int  # by the gate; of the groups' whole lives, earlier steps included
    stale: int  # as too old; likewise


class Settled(NamedTuple):
    """What became of a group."""

    group: GroupInPlay
    admitted: bool
    stale: bool = False


@dataclass
class Waiting:
    """Where groups wait, each list in the order of submission or completion."""

    in_play: list[GroupInPlay] = field(default_factory=list)
    complete: list[GroupInPlay] = field(default_factory=list)  # nobody has asked the gate yet
    ready: list[GroupInPlay] = field(default_factory=list)  # admitted, to be taken by an update

    def __len__(self) -> int:
        return len(self.in_play) + len(self.complete) + len(self.ready)

    def all(self) -> list[GroupInPlay]:
        """All of them."""
        return [*self.in_play, *self.complete, *self.ready]
