"""Weakness reports and training tasks by hand, for the tests of what reads them."""

from analysis.weakness import Cell, WeaknessReport
from loop.curricula.protocols import GroupOutcome
from loop.worlds.pool import PoolTask

OPERATIONS = {  # of the oracle's calls, by family; a page's rule sometimes has to be searched for
    "update": ("update",),
    "create": ("update",),
    "lookup": ("get", "update"),
    "two_hop": ("get", "update"),
    "disambiguate": ("search", "update"),
    "conditional": ("search", "update"),
    "propagate": ("search_documents", "get_document", "update"),
    "repair": ("search_documents", "get_document", "update"),
}


def cell(name: str, failures: float, opportunities: int, learnability: float = 0.1) -> Cell:
    """A cell with as many failures of as many opportunities."""
    facet, value = name.split(":")
    return Cell(
        facet=facet,
        value=value,
        opportunities=opportunities,
        failures=failures,
        tasks=opportunities,
        worlds=4,
        rate=failures / opportunities,
        posterior_mean=failures / opportunities,
        wilson_low=0.0,
        learnability=learnability,
        modes={},
        ambiguous=0,
        change=None,
        exemplars=(),
    )


def report(*cells: Cell, all_pass: float = 0.5, episodes: int = 40) -> WeaknessReport:
    """A report of these cells."""
    return WeaknessReport(
        episodes=episodes,
        tasks=40,
        worlds=4,
        all_pass=all_pass,
        raw_reward=0.5,
        unattributed=0,
        confidence=0.95,
        cells=cells,
    )


def pool_task(number: int, family: str = "update", resource: str = "invoice", world: str = "w") -> PoolTask:
    """A task of a family on a resource."""
    operations = {f"operation:{name}" for name in OPERATIONS[family]}
    cells = frozenset({f"family:{family}", f"resource:{resource}", "hops:0", *operations})
    return PoolTask(f"t{number}", world, family, cells, "retail", "BR", "compact")


def group(
    *cells: str, passes: int = 0, rollouts: int = 8, steps: int = 0, rung: str = "", task: str = "t0"
) -> GroupOutcome:
    """What was learned of a task that requires some cells."""
    admitted = 0 < passes < rollouts
    return GroupOutcome(task, passes, rollouts, admitted, passes / rollouts, steps, frozenset(cells), rung)
