"""Ways of ranking cells: the report's own, and those that it is held against."""

from collections.abc import Callable, Sequence
from math import sqrt

from analysis.weakness.probe import ProbeEpisode, facet_of
from analysis.weakness.rates import wilson_low
from analysis.weakness.record import WeaknessReport

Ranker = Callable[[Sequence[ProbeEpisode], WeaknessReport, str], list[str]]
"""From episodes, their report and a facet to the facet's cells, weakest first."""


def by_report(episodes: Sequence[ProbeEpisode], report: WeaknessReport, facet: str) -> list[str]:
    """Attributed blame, by Wilson's lower bound: the report's order."""
    return [cell.name for cell in report.ranked([facet])]


def inverted(episodes: Sequence[ProbeEpisode], report: WeaknessReport, facet: str) -> list[str]:
    """The report's order from its end: a ranker whose sign is wrong."""
    return by_report(episodes, report, facet)[::-1]


def blame_everything(episodes: Sequence[ProbeEpisode], report: WeaknessReport, facet: str) -> list[str]:
    """Every cell of a failed task is to blame, by Wilson's lower bound."""
    scores = {c: wilson_low(failed, seen) for c, (failed, seen) in _missed(episodes, facet).items()}
    return sorted(scores, key=lambda cell: (-scores[cell], cell))


def ochiai(episodes: Sequence[ProbeEpisode], report: WeaknessReport, facet: str) -> list[str]:
    """Failed episodes of the cell / √(all failed episodes × episodes of the cell) (Ochiai 1957)."""
    failed = sum(not episode.all_pass for episode in episodes)
    scores = {
        c: f / sqrt(failed * seen) if failed else 0.0 for c, (f, seen) in _missed(episodes, facet).items()
    }
    return sorted(scores, key=lambda cell: (-scores[cell], cell))


def _missed(episodes: Sequence[ProbeEpisode], facet: str) -> dict[str, tuple[int, int]]:
    """Cell -> (episodes that require it and are not all-pass, episodes that require it)."""
    counts: dict[str, tuple[int, int]] = {}
    for episode in episodes:
        for cell in set(episode.cells):
            if facet_of(cell) == facet:
                failed, seen = counts.get(cell, (0, 0))
                counts[cell] = (failed + (not episode.all_pass), seen + 1)
    return counts


RANKERS: dict[str, Ranker] = {
    "report": by_report,
    "blame every tool of a failed task": blame_everything,
    "Ochiai": ochiai,
    "inverted": inverted,
}
