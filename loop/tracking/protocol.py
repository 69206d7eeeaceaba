"""What a tracker is, and the records it gets."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True)
class Identity:
    """Which run the records are of."""

    key: str  # equal for a run and its resumption, different for two runs of one configuration
    run_id: str
    experiment: str  # what the arms of a comparison share
    arm: str
    seed: int
    directory: Path
    config: dict[str, Any]


@dataclass(frozen=True)
class StepRecord:
    """The metrics of one controller step."""

    step: int
    kind: str
    iteration: int | None
    updates: int  # policy updates up to and with this step: the axis on which arms are compared
    finished: float  # unix time in seconds at which the step was recorded
    metrics: dict[str, float]


class Tracker(Protocol):
    """A mirror. Delivering a step twice must leave it as delivering it once."""

    def begin(self, identity: Identity) -> int:
        """Find or make the run's place; the newest step that it holds, -1 when it holds none."""

    def deliver(self, records: Sequence[StepRecord]) -> None:
        """Take up records in the order of their steps."""

    def finish(self) -> None:
        """The run has come to its end, and everything was delivered."""


class TrackingError(Exception):
    """A tracker cannot be reached; its records stay in the ledger and can be delivered later."""
