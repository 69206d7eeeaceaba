"""From an understood report to briefs, by the targeting of the curricula, with every goal given its place."""

from collections.abc import Mapping

from analysis.weakness import WeaknessReport
from loop.config import Targeting
from loop.curricula.targeting import aimed_at_report, eligible
from loop.errors import ConfigError, RunError
from loop.plugins import Plugin
from loop.proposing.understanding import Understood
from loop.proposing.vocabulary import GOALS, HINTED
from loop.worlds.generator import Reserved, elsewhere, scenario
from loop.worlds.placing import placed
from planet.catalog import Catalog
from planet.identity import seed_of
from planet.records.world import Brief

NOTHING_RESERVED = Reserved(pairs=frozenset(), industry=None)
"""There is no test set here that worlds would have to keep away from."""


def targeting_for(
    report: WeaknessReport, tasks: int, min_opportunities: int, allocation: str, facet: str | None
) -> Targeting:
    """How to aim at this report: at `facet`, or at the first of GOALS that has a weak cell (None).

    tasks: of a world; seven of ten are for the goal, as in a run. RunError when there is nothing to aim at.
    """
    wanted = max(1, round(0.7 * tasks))
    plain = Targeting(
        facets=GOALS,
        hints=(),
        tasks=wanted,
        min_opportunities=min_opportunities,
        allocation=Plugin(type=allocation),
    )
    weak = {cell.facet for cell in eligible(report.cells, (facet,) if facet else GOALS, plain)}
    goal = next((f for f in ((facet,) if facet else GOALS) if f in weak), None)
    if goal is None:
        raise RunError(
            f"the report has no weak cell of {facet or ', '.join(GOALS)} that was understood; "
            "lower --min-opportunities, choose another --facet, or say what its cells mean with --map"
        )
    hinted = goal in HINTED and eligible(report.cells, ("resource",), plain)
    return plain.model_copy(update={"facets": (goal,), "hints": ("resource",) if hinted else ()})


def aim(
    report: WeaknessReport,
    stands_for: Mapping[str, Understood],
    targeting: Targeting,
    catalog: Catalog,
    count: int,
    seed: int,
) -> list[Brief]:
    """`count` briefs, the weakest goals most often; each names what its goal needs and what it stands for."""
    scenarios = [place(catalog, seed, number, attempt=0) for number in range(count)]
    briefs = aimed_at_report(scenarios, report, targeting, (), seed_of(seed, "propose"))
    if len(briefs) < count:
        raise ConfigError(f"--allocation {targeting.allocation.type}: all weights are 0; use failure_rate")
    return [placed(_explained(brief, stands_for), catalog) for brief in briefs]


def place(catalog: Catalog, seed: int, number: int, attempt: int) -> Brief:
    """Where a brief takes place on its first try or a later one."""
    return scenario(catalog, NOTHING_RESERVED, seed, "propose", number, attempt)


def moved(brief: Brief, catalog: Catalog, seed: int, number: int, attempt: int) -> Brief:
    """A refused brief in another industry and country."""
    return placed(elsewhere(brief, place(catalog, seed, number, attempt)), catalog)


def _explained(brief: Brief, stands_for: Mapping[str, Understood]) -> Brief:
    """The brief whose reason also says by which cell of the report its goal was understood."""
    target = brief.target
    meaning = stands_for.get(target.cells[0]) if target else None
    if target is None or meaning is None or meaning.cell == meaning.goal:
        return brief
    return brief.replace(target=target.replace(reason=f"{target.reason}; {meaning.sentence}"))
