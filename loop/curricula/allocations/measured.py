"""Allocation rules without a memory: cells are worth their failure rate, or their learnability."""

from collections.abc import Sequence

from analysis.weakness import Cell, WeaknessReport
from loop.curricula.stateless import Stateless


class FailureRate(Stateless):
    """The posterior mean of the failure rate: what fails most gets most."""

    def hear(self, report: WeaknessReport) -> None:
        """Nothing beyond the cells."""

    def weights(self, cells: Sequence[Cell]) -> list[float]:
        """Failure rates."""
        return [cell.posterior_mean for cell in cells]


class Learnability(Stateless):
    """The posterior mean of p (1 - p): what is sometimes solved gets most."""

    def hear(self, report: WeaknessReport) -> None:
        """Nothing beyond the cells."""

    def weights(self, cells: Sequence[Cell]) -> list[float]:
        """Learnabilities."""
        return [cell.learnability for cell in cells]
