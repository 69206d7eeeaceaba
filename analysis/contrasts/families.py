"""Task families by arm: what each gained on test, and what it lost again in validation."""

from statistics import fmean
from typing import NamedTuple

from analysis.contrasts.scores import by_family, forgotten
from analysis.contrasts.sweep import Sweep


class FamilyOfArm(NamedTuple):
    """One family in one arm, means over seeds, in shares."""

    arm: str
    family: str
    warm: float  # all-pass at temperature 1, test
    final: float
    forgotten: float | None  # best validation minus the last one; None: not validated
    targeted: int  # seeds whose first report targets the family
    seeds: int

    @property
    def gain(self) -> float:
        """Final minus warm start."""
        return self.final - self.warm


def families(sweep: Sweep) -> list[FamilyOfArm]:
    """Every family that all runs were tested on, arm by arm."""
    return [_family(sweep, arm, family) for arm in sweep.arms for family in sweep.families()]


def _family(sweep: Sweep, arm: str, family: str) -> FamilyOfArm:
    runs = sweep.of(arm)
    lost = [share for run in runs if (share := forgotten(run, family)) is not None]
    return FamilyOfArm(
        arm=arm,
        family=family,
        warm=fmean(by_family(run, (family,), "warm", "sampled")[0] for run in runs),
        final=fmean(by_family(run, (family,), "final", "sampled")[0] for run in runs),
        forgotten=fmean(lost) if lost else None,
        targeted=sum(f"family:{family}" in sweep.targeted(run.seed) for run in runs),
        seeds=len(runs),
    )
