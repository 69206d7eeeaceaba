"""The footprint of a run beside that of another one of the same seed, iteration by iteration."""

from collections.abc import Sequence
from typing import NamedTuple

from analysis.errors import DataError
from analysis.footprint.shares import Reached, ends_of_iterations
from analysis.ledger import StepRow
from analysis.run_directory import OpenRun


class Pair(NamedTuple):
    """One dimension at the end of an iteration that both runs have."""

    mine: Reached
    theirs: Reached

    @property
    def difference(self) -> float:
        """Share of the first run minus that of the other."""
        return self.mine.share - self.theirs.share


def require_same_start(run: OpenRun, other: OpenRun) -> None:
    """DataError unless two different runs have one seed, the same worlds and the same warm start."""
    if run.path.resolve() == other.path.resolve():
        raise DataError(f"{run.path} cannot stand beside itself; give another run of seed {run.run.seed}")
    if run.run.seed != other.run.seed:
        raise DataError(
            f"{run.path} has seed {run.run.seed} and {other.path} seed {other.run.seed}; footprints are "
            "compared at the same seed, give another run"
        )
    if _splits(run) != _splits(other):
        raise DataError(
            f"{run.path} and {other.path} began with different worlds; give runs of the same splits"
        )
    if _warm_start(run) != _warm_start(other):
        raise DataError(
            f"{run.path} and {other.path} began with different policies; give runs of the same warm start"
        )


def _splits(run: OpenRun) -> object:
    return next((s.detail.get("splits_digest") for s in run.ledger.rows(StepRow, run.id, step=0)), None)


def _warm_start(run: OpenRun) -> object:
    steps = run.ledger.rows(StepRow, run.id, kind="warm_start")
    return steps[0].detail.get("key") if steps else None


def pairs_of(mine: Sequence[Reached], theirs: Sequence[Reached]) -> list[Pair]:
    """Both runs at the ends of the iterations that both have, in the order of the first."""
    there = {(r.dimension, r.scope, r.iteration): r for r in ends_of_iterations(theirs)}
    return [
        Pair(r, there[key])
        for r in ends_of_iterations(mine)
        if (key := (r.dimension, r.scope, r.iteration)) in there
    ]
