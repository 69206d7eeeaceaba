"""The steps of a run: a list that follows from the configuration alone, so a number says where it is."""

from dataclasses import dataclass
from typing import Literal

from loop.config import Config

Kind = Literal["worlds", "warm_start", "diagnose", "grow", "update", "validate", "test"]


@dataclass(frozen=True)
class Step:
    """One step: work, a checkpoint if policy or curriculum changed, then one ledger transaction."""

    index: int  # from 0, without gaps
    kind: Kind
    iteration: int | None  # from 0; None: before the first or after the last
    update: int | None = None  # index of the policy update, over all iterations; None: not an update
    subject: str | None = None  # of a test: "warm_start", "final", "extended"; of a validation: the last

    @property
    def changes_state(self) -> bool:
        """Whether a checkpoint belongs to it."""
        return self.kind in ("warm_start", "grow", "update")


def steps_of(config: Config) -> list[Step]:
    """The steps from the worlds to the tests."""
    steps: list[Step] = []

    def add(kind: Kind, iteration: int | None, update: int | None = None, subject: str | None = None) -> None:
        steps.append(Step(len(steps), kind, iteration, update, subject))

    add("worlds", None)
    add("warm_start", None)
    add("validate", None)
    for iteration in range(config.iterations):
        add("diagnose", iteration)
        add("grow", iteration)
        for offset in range(config.updates_per_iteration):
            add("update", iteration, iteration * config.updates_per_iteration + offset)
        add("validate", iteration)
    add("diagnose", None)
    add("test", None, subject="warm_start")
    add("test", None, subject="final")
    return steps
