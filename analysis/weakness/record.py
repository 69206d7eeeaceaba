"""The weakness report as it is stored: cells, tests, what was mastered and lost.

Fields that came after the first reports have defaults that say "not measured", so that old ones still load.
"""

from collections.abc import Iterable

from analysis.weakness.attribution import Mode
from planet.records.frozen import Frozen

COVERAGE, CONTRAST = 0.10, 0.20
"""From which a cell stands in contrast between failed and passed episodes: the thresholds of TRACE."""


class Cell(Frozen):
    """One cell of the report: a value of a facet."""

    facet: str
    value: str
    opportunities: int  # episodes whose task requires it
    failures: float  # failed ones; several suspects of one failure share it, so fractions occur
    tasks: int
    worlds: int
    rate: float  # failures / opportunities
    posterior_mean: float  # of the failure rate, shrunk towards the facet's other cells
    wilson_low: float  # one-sided lower bound of the failure rate; the ranking
    learnability: float  # mean over its tasks of the posterior mean of p(1 − p), p: all-pass; in [0, 0.25]
    modes: dict[Mode, int]  # failed episodes by failure mode; absent modes did not occur
    ambiguous: int  # failed episodes in which the blame was shared
    change: float | None  # rate minus the previous report's; None: not in it
    exemplars: tuple[str, ...]  # ids of failed episodes
    rate_low: float | None = None  # 95 % interval of the rate, worlds resampled; None: fewer than two worlds
    rate_high: float | None = None
    p_value: float | None = None  # of "failure odds at most 1.5 × the other cells'"; None: not comparable
    q_value: float | None = None  # Benjamini-Hochberg within the facet; None with `p_value`
    claimed: bool = (
        False  # q_value at most the report's false-discovery rate, and the report does not abstain
    )
    coverage: float | None = None  # share of failed episodes that require it; None: none failed
    contrast: float | None = (
        None  # coverage minus the same of passed episodes; None: none failed or none passed
    )
    gradient_share: float | None = None  # of admitted training groups since the last report; None: not given

    @property
    def name(self) -> str:
        """The cell as tasks carry it, "facet:value"."""
        return f"{self.facet}:{self.value}"

    def contrasts(self, coverage: float = COVERAGE, contrast: float = CONTRAST) -> bool:
        """Whether failed episodes require the cell often, and much oftener than passed ones."""
        return (
            self.coverage is not None
            and self.contrast is not None
            and self.coverage >= coverage
            and self.contrast >= contrast
        )


class EqualOdds(Frozen):
    """The test that all cells of a facet have equal failure odds."""

    facet: str
    p_value: float | None  # by permutation; None: no two cells of the facet can be compared
    holm: float | None  # adjusted for the number of facets tested


class Mastery(Frozen):
    """A cell whose failure rate was surely low once."""

    cell: str  # "facet:value"
    rate: float  # failure rate in the newest report in which it was
    opportunities: int
    reports_ago: int  # 0: in this report


class Forgotten(Frozen):
    """A cell that was mastered and is surely not any more."""

    cell: str
    mastered: Mastery  # when it was mastered last
    rate: float  # now
    opportunities: int


class WeaknessReport(Frozen):
    """All cells of one diagnosis, weakest first."""

    episodes: int
    tasks: int
    worlds: int
    all_pass: float  # share of episodes
    raw_reward: float  # mean
    unattributed: int  # failed episodes in which no cell owns the failure, e.g. collateral alone
    confidence: float  # of the one-sided Wilson bound
    cells: tuple[Cell, ...]
    margin: float | None = None  # odds ratio that claims exceed; None: nothing was tested
    false_discovery_rate: float | None = None  # of the claims of a facet; None: nothing was tested
    equal_odds: tuple[EqualOdds, ...] = ()  # tests that decide abstention
    abstains: bool | None = None  # no difference between cells is sure: no claims; None: nothing was tested
    mastered: tuple[Mastery, ...] = ()  # cells mastered in this or an earlier report, by name
    forgotten: tuple[Forgotten, ...] = ()  # mastered cells that are lost again, by name

    def ranked(self, facets: Iterable[str] | None = None, min_worlds: int = 1) -> tuple[Cell, ...]:
        """Cells of the given facets (None: all) met in at least `min_worlds` worlds, weakest first."""
        wanted = None if facets is None else set(facets)
        return tuple(
            c for c in self.cells if (wanted is None or c.facet in wanted) and c.worlds >= min_worlds
        )

    def cell(self, name: str) -> Cell | None:
        """The cell called "facet:value"; None when no task required it."""
        return next((cell for cell in self.cells if cell.name == name), None)

    def claims(self) -> tuple[Cell, ...]:
        """Cells that are claimed to be weaker than the others of their facet, weakest first."""
        return tuple(cell for cell in self.cells if cell.claimed)
