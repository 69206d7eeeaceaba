"""The weakness report: what a policy fails at, cell by cell, ranked by what is sure."""

from collections.abc import Mapping, Sequence
from math import fsum

from analysis.errors import DataError
from analysis.weakness.attribution import Blame, blame, liable
from analysis.weakness.cells import CellCount, count_cells
from analysis.weakness.claims import Claims, Rules, find_claims
from analysis.weakness.comparison import comparisons, units_of
from analysis.weakness.forgetting import Watch, forgotten_cells, mastered_cells
from analysis.weakness.probe import ProbeEpisode, facet_of
from analysis.weakness.rate_intervals import rate_intervals
from analysis.weakness.rates import CONFIDENCE, Beta, fit_beta, wilson_low
from analysis.weakness.record import Cell, WeaknessReport


def weakness_report(
    episodes: Sequence[ProbeEpisode],
    previous: WeaknessReport | None = None,
    *,
    gradient_shares: Mapping[str, float] | None = None,
    rules: Rules | None = None,
    watch: Watch | None = None,
) -> WeaknessReport:
    """The report of some probe episodes, of one policy version and one way of sampling.

    previous: the report to which `change` refers; it remembers what was mastered in the reports before it.
    gradient_shares: cell -> share of the training groups admitted since the last report; None: not known.
    rules: how claims are made; watch: what mastered and lost mean. None: the defaults.

    The order of episodes makes no difference, exemplars apart. DataError when there are no episodes.
    """
    if not episodes:
        raise DataError("a weakness report needs probe episodes and got none; run a diagnosis first")
    rules, watch = rules or Rules(), watch or Watch()
    blames = [blame(episode) for episode in episodes]
    if not any(episode.cells for episode in episodes):
        raise DataError(
            "no episode names anything to count weakness by; add tags to the lines, e.g. "
            '"tags": {"family": "refund"}, or tools, calls, required_tools, or assertions with tools'
        )
    units = units_of(episodes, blames, [liable(episode) for episode in episodes])
    compared = comparisons(units)
    claims = find_claims(compared, rules) if rules.permutations and compared else None
    intervals = rate_intervals(units, seed=rules.seed)
    cells = tuple(
        cell.replace(
            **_tested(cell.name, claims),
            **dict(zip(("rate_low", "rate_high"), intervals.get(cell.name, (None, None)), strict=True)),
            gradient_share=None if gradient_shares is None else gradient_shares.get(cell.name, 0.0),
        )
        for cell in _counted(episodes, blames, previous)
    )
    mastered = mastered_cells(cells, previous, watch)
    return WeaknessReport(
        episodes=len(episodes),
        tasks=len({e.task_id for e in episodes}),
        worlds=len({e.world_id for e in episodes}),
        all_pass=sum(e.all_pass for e in episodes) / len(episodes),
        raw_reward=fsum(e.raw_reward for e in episodes) / len(episodes),
        unattributed=sum(not e.all_pass and not b for e, b in zip(episodes, blames, strict=True)),
        confidence=CONFIDENCE,
        cells=cells,
        margin=rules.margin if claims else None,
        false_discovery_rate=rules.false_discovery_rate if claims else None,
        equal_odds=claims.equal_odds if claims else (),
        abstains=claims.abstains if claims else None,
        mastered=mastered,
        forgotten=forgotten_cells(cells, mastered, watch),
    )


def _tested(name: str, claims: Claims | None) -> dict[str, float | bool | None]:
    if claims is None:
        return {}
    return {
        "p_value": claims.p_values.get(name),
        "q_value": claims.q_values.get(name),
        "claimed": name in claims.claimed,
    }


def _counted(
    episodes: Sequence[ProbeEpisode],
    blames: Sequence[dict[str, Blame]],
    previous: WeaknessReport | None,
) -> list[Cell]:
    """All cells with what can be said of each by itself, weakest first."""
    counts = count_cells(episodes, blames)
    priors = _facet_priors(counts)
    failed = sum(not e.all_pass for e in episodes)
    cells = [
        _cell(name, count, priors, previous).replace(**_contrast(count, failed, len(episodes) - failed))
        for name, count in counts.items()
    ]
    return sorted(cells, key=weakest_first)


def weakest_first(cell: Cell) -> tuple[float, float, str]:
    """The sort key of the ranking: Wilson's bound, then the posterior mean, then the name."""
    return (-cell.wilson_low, -cell.posterior_mean, cell.name)


def _cell(name: str, count: CellCount, priors: dict[str, Beta], previous: WeaknessReport | None) -> Cell:
    facet, _, value = name.partition(":")
    before = previous.cell(name) if previous else None
    rate = count.failures / count.opportunities
    posterior = priors[facet].after(count.failures, count.opportunities)
    return Cell(
        facet=facet,
        value=value,
        opportunities=count.opportunities,
        failures=count.failures,
        tasks=len(count.tasks),
        worlds=len(count.worlds),
        rate=rate,
        posterior_mean=posterior.mean,
        wilson_low=wilson_low(count.failures, count.opportunities, CONFIDENCE),
        learnability=posterior.mean_spread,
        modes=dict(sorted(count.modes.items())),
        ambiguous=count.ambiguous,
        change=rate - before.rate if before else None,
        exemplars=tuple(count.exemplars.values()),
    )


def _contrast(count: CellCount, failed: int, passed: int) -> dict[str, float | None]:
    """How much oftener failed episodes require the cell than passed ones."""
    coverage = count.missed / failed if failed else None
    if coverage is None or not passed:
        return {"coverage": coverage, "contrast": None}
    return {"coverage": coverage, "contrast": coverage - (count.opportunities - count.missed) / passed}


def _facet_priors(counts: dict[str, CellCount]) -> dict[str, Beta]:
    by_facet: dict[str, list[CellCount]] = {}
    for name, count in counts.items():
        by_facet.setdefault(facet_of(name), []).append(count)
    return {
        facet: fit_beta([c.failures for c in group], [c.opportunities for c in group])
        for facet, group in by_facet.items()
    }
