"""The weakness report as it is stored: cells, tests, what was mastered and lost.

Fields that came after the first reports have defaults that say "not measured", so that old ones still load.
"""

from collections.abc import Iterable

from pydantic import Field

from analysis.weakness.attribution import Mode
from planet.records.frozen import Frozen

COVERAGE, CONTRAST = 0.10, 0.20
"""From which a cell stands in contrast between failed and passed episodes: the thresholds of TRACE."""


class Cell(Frozen):
    """One cell of the report: a value of a facet."""

    facet: str = Field(description="kind of cell, e.g. family or tool")
    value: str = Field(description="e.g. two_hop")
    opportunities: int = Field(description="episodes whose task requires it")
    failures: float = Field(description="failed ones; suspects of one failure share it, so fractions occur")
    tasks: int = Field(description="different tasks that require it")
    worlds: int = Field(description="different worlds of these")
    rate: float = Field(description="failures / opportunities")
    posterior_mean: float = Field(description="of the failure rate, shrunk towards the facet's other cells")
    wilson_low: float = Field(description="one-sided lower bound of the failure rate; the ranking")
    learnability: float = Field(description="posterior mean of p(1 − p), p: its failure rate; 0 to 0.25")
    modes: dict[Mode, int] = Field(description="failed episodes by what went wrong; absent: did not occur")
    ambiguous: int = Field(description="failed episodes in which the blame was shared")
    change: float | None = Field(description="rate minus the previous report's; null: not in it")
    exemplars: tuple[str, ...] = Field(description="ids of some failed episodes, of different tasks")
    rate_low: float | None = Field(
        default=None,
        description="lower end of the rate's 95 % interval, worlds resampled; null: not in two worlds",
    )
    rate_high: float | None = Field(default=None, description="its upper end")
    p_value: float | None = Field(
        default=None,
        description="that its failure odds are at most `margin` times the other cells'; null: no test",
    )
    q_value: float | None = Field(
        default=None, description="the same, adjusted within the facet; null: no test"
    )
    claimed: bool = Field(
        default=False, description="q_value is at most false_discovery_rate, and the report does not abstain"
    )
    coverage: float | None = Field(
        default=None,
        description="share of episodes that are not all-pass that require it; null: there are none",
    )
    contrast: float | None = Field(
        default=None,
        description="coverage minus the same share of all-pass episodes; null: there are none of one",
    )
    gradient_share: float | None = Field(
        default=None, description="share of admitted training groups since the last report; null: not known"
    )

    @property
    def name(self) -> str:
        """The cell as tasks carry it, "facet:value"."""
        return f"{self.facet}:{self.value}"


class EqualOdds(Frozen):
    """The test that all cells of a facet have equal failure odds."""

    facet: str
    p_value: float | None = Field(description="by permutation; null: no two cells can be compared")
    holm: float | None = Field(description="adjusted for the number of facets tested")


class Mastery(Frozen):
    """A cell whose failure rate was surely low."""

    cell: str = Field(description="facet:value")
    rate: float = Field(description="failure rate when it was so last")
    opportunities: int = Field(description="episodes behind it")
    reports_ago: int = Field(description="0: in this report")


class Forgotten(Frozen):
    """A cell that was mastered and surely is no more."""

    cell: str = Field(description="facet:value")
    mastered: Mastery = Field(description="when it was mastered last")
    rate: float = Field(description="failure rate now")
    opportunities: int = Field(description="episodes behind it")


class WeaknessReport(Frozen):
    """All cells of one diagnosis, weakest first."""

    episodes: int
    tasks: int
    worlds: int
    all_pass: float = Field(description="share of episodes")
    raw_reward: float = Field(description="mean, before penalties")
    unattributed: int = Field(description="failed episodes whose failure no cell owns, e.g. collateral alone")
    confidence: float = Field(description="of the one-sided bounds")
    cells: tuple[Cell, ...]
    margin: float | None = Field(
        default=None, description="odds ratio that claims exceed; null: nothing was tested"
    )
    false_discovery_rate: float | None = Field(
        default=None, description="of the claims of a facet; null: no test"
    )
    equal_odds: tuple[EqualOdds, ...] = Field(default=(), description="the tests that decide abstention")
    abstains: bool | None = Field(
        default=None, description="no difference between cells is sure, so none is claimed; null: no test"
    )
    mastered: tuple[Mastery, ...] = Field(
        default=(), description="mastered now or in an earlier report, by name"
    )
    forgotten: tuple[Forgotten, ...] = Field(default=(), description="mastered once and lost again, by name")

    def ranked(self, facets: Iterable[str] | None = None) -> tuple[Cell, ...]:
        """Cells of the given facets (None: all), weakest first."""
        wanted = None if facets is None else set(facets)
        return tuple(cell for cell in self.cells if wanted is None or cell.facet in wanted)

    def cell(self, name: str) -> Cell | None:
        """The cell called "facet:value"; None when no task required it."""
        return next((cell for cell in self.cells if cell.name == name), None)

    def claims(self) -> tuple[Cell, ...]:
        """Cells that are claimed to be weaker than the others of their facet, weakest first."""
        return tuple(cell for cell in self.cells if cell.claimed)
