"""Allocation rules without a memory: cells are worth their failure rate, or their learnability.

In proportion, both are flat: a cell that fails twice as often gets twice as much. A `power` above 1 sharpens
them.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from analysis.weakness import Cell, WeaknessReport
from loop.curricula.stateless import Stateless


class Measured(Stateless, ABC):
    """Weighs cells by what the newest report says of them."""

    def __init__(self, power: float = 1.0) -> None:
        """`power` of the worths, above 0: 1 shares out in proportion, 3 sends most to the first cells."""
        if not 0 < power < float("inf"):
            raise ValueError(f"power={power} is not a number above 0")
        self._power = power

    def hear(self, report: WeaknessReport) -> None:
        """Nothing beyond the cells."""

    def weights(self, cells: Sequence[Cell]) -> list[float]:
        """Worths to the power, relative to the largest."""
        worths = [self.worth(cell) for cell in cells]
        most = max(worths, default=0.0)
        if self._power == 1.0 or most <= 0:
            return worths
        return [(worth / most) ** self._power for worth in worths]

    @abstractmethod
    def worth(self, cell: Cell) -> float:
        """What a cell is worth in proportion."""


class FailureRate(Measured):
    """The posterior mean of the failure rate: what fails most gets most."""

    def worth(self, cell: Cell) -> float:
        """The failure rate."""
        return cell.posterior_mean


class Learnability(Measured):
    """The posterior mean of p (1 - p): what is sometimes solved gets most."""

    def worth(self, cell: Cell) -> float:
        """The learnability."""
        return cell.learnability
