"""Report transforms: what a grower is told instead of the measured report. Each is one control.

`as_measured` changes nothing; `freeze` asks whether looping adds to one pass; `enrich` how much is lost to a
noisy report; `invert` aims at what works best. The placebo has a module of its own.
"""

from collections.abc import Mapping

from analysis.weakness import Cell, WeaknessReport
from analysis.weakness.rates import wilson_low
from analysis.weakness.report import weakest_first
from loop.config import ENRICHED
from loop.curricula.protocols import State
from loop.curricula.stateless import Stateless

MOST_LEARNABLE = 0.25
"""The largest p (1 - p)."""


class AsMeasured(Stateless):
    """The report itself."""

    probes = 1

    def apply(self, report: WeaknessReport, services: Mapping[str, str], seed: int) -> WeaknessReport:
        """The same."""
        return report


class Enrich(Stateless):
    """The report of many more probes of the same tasks, which are recorded apart and not charged."""

    def __init__(self, probes: int = ENRICHED) -> None:
        """`probes`: times the rollouts per task of the common report; 1 or more."""
        if probes < 1:
            raise ValueError(f"probes={probes} is below 1")
        self.probes = probes

    def apply(self, report: WeaknessReport, services: Mapping[str, str], seed: int) -> WeaknessReport:
        """The same: the diagnosis has measured it with as many probes."""
        return report


class Freeze:
    """The first report, for ever."""

    probes = 1

    def __init__(self) -> None:
        self._first: WeaknessReport | None = None

    def apply(self, report: WeaknessReport, services: Mapping[str, str], seed: int) -> WeaknessReport:
        """The first report that this was given."""
        self._first = self._first or report
        return self._first

    def state_dict(self) -> State:
        """The first report."""
        return {"first": self._first.model_dump(mode="json") if self._first else None}

    def load_state_dict(self, state: State) -> None:
        """Take up the first report."""
        self._first = WeaknessReport.model_validate(state["first"]) if state["first"] else None

    def metrics(self) -> dict[str, float]:
        """None."""
        return {}


class Invert(Stateless):
    """The report turned upside down: what fails least looks weakest, and what is hardly learnable most so."""

    probes = 1

    def apply(self, report: WeaknessReport, services: Mapping[str, str], seed: int) -> WeaknessReport:
        """Passes as failures, cell by cell."""
        cells = [_inverted(cell, report.confidence) for cell in report.cells]
        ranked = tuple(sorted(cells, key=weakest_first))
        return report.model_copy(update={"cells": ranked, "mastered": (), "forgotten": ()})


def _inverted(cell: Cell, confidence: float) -> Cell:
    passes = cell.opportunities - cell.failures
    return cell.model_copy(
        update={
            "failures": passes,
            "rate": passes / cell.opportunities,
            "posterior_mean": 1.0 - cell.posterior_mean,
            "wilson_low": wilson_low(passes, cell.opportunities, confidence),
            "learnability": MOST_LEARNABLE - cell.learnability,
            "change": None if cell.change is None else -cell.change,
            "rate_low": None if cell.rate_high is None else 1.0 - cell.rate_high,
            "rate_high": None if cell.rate_low is None else 1.0 - cell.rate_low,
            "p_value": None,
            "q_value": None,
            "claimed": False,
            "coverage": _spared(cell),
            "contrast": None if cell.contrast is None else -cell.contrast,
            "modes": {},
            "exemplars": (),
        }
    )


def _spared(cell: Cell) -> float | None:
    """The share of passed episodes that require the cell."""
    return None if cell.coverage is None or cell.contrast is None else cell.coverage - cell.contrast
