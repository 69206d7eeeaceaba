"""Allocation by expected gain: a bandit on the failure that practice of a cell removed, per charged step.

Between two reports, a cell gained what its failure rate fell by, and cost the steps of the training episodes
whose tasks require it. With fading sums of both, shrunk towards the facet-wide ratio g by a prior of k steps,

    rate(cell) = max(0, (gain + k g) / (cost + k)),   weight = (1 - explore) rate / sum + explore / cells

Before the second report there is no change, and cells are worth their learnability. A change of a cell is a
difference of two measured rates: noisy, and also moved by practice of other cells. That is why it is shrunk.
"""

from collections.abc import Sequence
from math import fsum

from analysis.weakness import Cell, WeaknessReport
from loop.curricula.protocols import GroupOutcome, State


class ExpectedGain:
    """Weighs cells by the gain that their practice brought."""

    def __init__(self, explore: float = 0.2, memory: float = 0.7, prior_steps: float = 2000.0) -> None:
        """`explore`: share of the worlds that is spread evenly, in [0, 1].

        `memory`: factor on older gains and costs, in (0, 1]. `prior_steps`: k, charged steps, above 0.
        """
        if not 0 <= explore <= 1:
            raise ValueError(f"explore={explore} is outside [0, 1]")
        if not 0 < memory <= 1:
            raise ValueError(f"memory={memory} is outside (0, 1]")
        if not prior_steps > 0:
            raise ValueError(f"prior_steps={prior_steps} is not above 0")
        self._explore, self._memory, self._prior = explore, memory, prior_steps
        self._spent: dict[str, int] = {}  # cell -> steps since the newest report
        self._rates: dict[str, float] = {}  # cell -> failure rate in the newest report
        self._sums: dict[str, tuple[float, float]] = {}  # cell -> (gain, cost), fading

    def hear(self, report: WeaknessReport) -> None:
        """Book what was gained and spent since the report before, for cells that are in both."""
        for cell in report.cells:
            if cell.name in self._rates and self._spent.get(cell.name, 0) > 0:
                gain, cost = self._sums.get(cell.name, (0.0, 0.0))
                self._sums[cell.name] = (
                    self._memory * gain + self._rates[cell.name] - cell.rate,
                    self._memory * cost + self._spent[cell.name],
                )
        self._rates = {cell.name: cell.rate for cell in report.cells}
        self._spent = {}

    def observe(self, outcomes: Sequence[GroupOutcome]) -> None:
        """Add the steps of each group to the cells that its task requires."""
        for outcome in outcomes:
            for cell in outcome.cells:
                self._spent[cell] = self._spent.get(cell, 0) + outcome.steps

    def weights(self, cells: Sequence[Cell]) -> list[float]:
        """The worth of each cell; they sum to 1 once something was measured."""
        known = [self._sums[cell.name] for cell in cells if cell.name in self._sums]
        if not known:
            return [cell.learnability for cell in cells]
        pooled = fsum(gain for gain, _ in known) / fsum(cost for _, cost in known)
        rates = [self._rate(cell.name, pooled) for cell in cells]
        total = fsum(rates)
        even = 1.0 / len(cells)
        shares = [rate / total if total > 0 else even for rate in rates]
        return [(1 - self._explore) * share + self._explore * even for share in shares]

    def _rate(self, cell: str, pooled: float) -> float:
        gain, cost = self._sums.get(cell, (0.0, 0.0))
        return max(0.0, (gain + self._prior * pooled) / (cost + self._prior))

    def state_dict(self) -> State:
        """Steps and rates since the newest report, and the fading sums."""
        return {
            "spent": dict(sorted(self._spent.items())),
            "rates": dict(sorted(self._rates.items())),
            "sums": {cell: list(sums) for cell, sums in sorted(self._sums.items())},
        }

    def load_state_dict(self, state: State) -> None:
        """Take up a stored state."""
        self._spent, self._rates = dict(state["spent"]), dict(state["rates"])
        self._sums = {cell: (gain, cost) for cell, (gain, cost) in state["sums"].items()}

    def metrics(self) -> dict[str, float]:
        """Cells with a measured gain, and the failure removed per thousand charged steps over all of them."""
        cost = fsum(c for _, c in self._sums.values())
        gain = fsum(g for g, _ in self._sums.values())
        return {
            "allocation/cells": float(len(self._sums)),
            "allocation/gain": 1000.0 * gain / cost if cost else 0.0,
        }
