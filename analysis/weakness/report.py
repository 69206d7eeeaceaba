"""The weakness report: what a policy fails at, cell by cell, ranked by what is sure."""

from collections.abc import Sequence
from math import fsum

from analysis.errors import DataError
from analysis.weakness.attribution import blame
from analysis.weakness.cells import CellCount, count_cells
from analysis.weakness.probe import ProbeEpisode, facet_of
from analysis.weakness.record import Cell, WeaknessReport
from analysis.weakness.statistics import CONFIDENCE, Beta, fit_beta, wilson_low


def weakness_report(
    episodes: Sequence[ProbeEpisode],
    previous: WeaknessReport | None = None,
    confidence: float = CONFIDENCE,
) -> WeaknessReport:
    """The report of some probe episodes, of one policy version and one way of sampling.

    previous: the report to which `change` refers. Raises DataError when there are no episodes.
    """
    if not episodes:
        raise DataError("a weakness report needs probe episodes and got none; run a diagnosis first")
    counts = count_cells(episodes)
    spreads = _task_spreads(episodes)
    priors = _facet_priors(counts)
    failed = sum(not e.all_pass for e in episodes)
    cells = [
        _cell(name, count, priors, spreads, previous, confidence).replace(
            **_contrast(count, failed, len(episodes) - failed)
        )
        for name, count in counts.items()
    ]
    return WeaknessReport(
        episodes=len(episodes),
        tasks=len({e.task_id for e in episodes}),
        worlds=len({e.world_id for e in episodes}),
        all_pass=sum(e.all_pass for e in episodes) / len(episodes),
        raw_reward=fsum(e.raw_reward for e in episodes) / len(episodes),
        unattributed=sum(not e.all_pass and not blame(e) for e in episodes),
        confidence=confidence,
        cells=tuple(sorted(cells, key=weakest_first)),
    )


def weakest_first(cell: Cell) -> tuple[float, float, str]:
    """The sort key of the ranking: Wilson's bound, then the posterior mean, then the name."""
    return (-cell.wilson_low, -cell.posterior_mean, cell.name)


def _cell(
    name: str,
    count: CellCount,
    priors: dict[str, Beta],
    spreads: dict[str, float],
    previous: WeaknessReport | None,
    confidence: float,
) -> Cell:
    facet, _, value = name.partition(":")
    before = previous.cell(name) if previous else None
    rate = count.failures / count.opportunities
    return Cell(
        facet=facet,
        value=value,
        opportunities=count.opportunities,
        failures=count.failures,
        tasks=len(count.tasks),
        worlds=len(count.worlds),
        rate=rate,
        posterior_mean=priors[facet].after(count.failures, count.opportunities).mean,
        wilson_low=wilson_low(count.failures, count.opportunities, confidence),
        learnability=sum(spreads[task] for task in sorted(count.tasks)) / len(count.tasks),
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


def _task_spreads(episodes: Sequence[ProbeEpisode]) -> dict[str, float]:
    """Task -> posterior mean of p(1 − p) of its all-pass probability, under a prior fitted over all tasks."""
    passed: dict[str, list[int]] = {}
    for episode in episodes:
        passed.setdefault(episode.task_id, []).append(int(episode.all_pass))
    tasks = sorted(passed)
    prior = fit_beta([sum(passed[t]) for t in tasks], [len(passed[t]) for t in tasks])
    return {t: prior.after(sum(passed[t]), len(passed[t])).mean_spread for t in tasks}
