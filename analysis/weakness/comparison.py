"""Who is compared with whom: the cells of a facet, task by task, within worlds where that is possible.

A *unit* is one cell in one task, with all rollouts of the task. Units are compared within *strata*. Where a
world holds several cells of the facet, the stratum is the world, so that a world that is hard as a whole
blames nobody. A cell that is mostly alone in its worlds (an industry) can only be compared between worlds:
its units are then whole worlds, in one stratum.

Like is compared with like: units of which the task asks something stand apart from those that are merely read
from, and units of tasks with one such cell of the facet from those of tasks with several, which often fail
together. The units of one task (between worlds: of one world) are a *cluster*.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from analysis.weakness.attribution import Blame
from analysis.weakness.probe import ProbeEpisode, facet_of


class Unit(NamedTuple):
    """One cell in one task: what a permutation moves."""

    world: str
    task: str
    cell: str
    liable: bool  # the task asks something of the cell
    opportunities: int  # rollouts
    failures: Any  # of these; fractions are shared blame. (r,) for r reports on the same tasks


class Comparison(NamedTuple):
    """Units of one facet, as arrays over units u, cells c, strata s and reports r on the same tasks.

    Units are sorted by stratum, then cluster; all clusters of a stratum have equally many units.
    """

    cells: tuple[str, ...]  # "facet:value", by name
    cell: Any  # (u,) index into `cells`
    stratum: Any  # (u,) index of the stratum
    width: Any  # (s,) units of each cluster of the stratum
    opportunities: Any  # (u,)
    failures: Any  # (u, r)
    judged: Any  # (c,) whether this comparison is the one that judges the cell


def units_of(
    episodes: Sequence[ProbeEpisode], blamed: Sequence[dict[str, Blame]], liable: Sequence[frozenset[str]]
) -> list[Unit]:
    """Units by facet, world, task and cell, whatever the order of episodes.

    blamed: who failed in each episode. liable: of whom its task asks something.
    """
    counts: dict[tuple[str, str, str], int] = {}
    shares: dict[tuple[str, str, str], list[float]] = {}
    owners: set[tuple[str, str, str]] = set()
    for episode, failed, able in zip(episodes, blamed, liable, strict=True):
        for cell in set(episode.cells):
            key = (episode.world_id, episode.task_id, cell)
            counts[key] = counts.get(key, 0) + 1
            if cell in failed:
                shares.setdefault(key, []).append(failed[cell].share)
            if cell in able:
                owners.add(key)
    return [Unit(*key, key in owners, counts[key], fsum(shares.get(key, ()))) for key in sorted(counts)]


def comparisons(units: Iterable[Unit]) -> dict[str, tuple[Comparison, ...]]:
    """Facet -> its comparison within worlds, and the one between worlds when a cell needs it."""
    by_facet: dict[str, list[Unit]] = {}
    for unit in units:
        by_facet.setdefault(facet_of(unit.cell), []).append(unit)
    return {facet: _compared(by_facet[facet]) for facet in sorted(by_facet)}


def _compared(units: Sequence[Unit]) -> tuple[Comparison, ...]:
    cells = tuple(sorted({unit.cell for unit in units}))
    within = _arrays(units, cells, by_world=True)
    accompanied = _accompanied(within)
    if accompanied.all():
        return (within,)
    between = _arrays(_by_world(units), cells, by_world=False)
    return (within._replace(judged=accompanied), between._replace(judged=~accompanied))


def _arrays(units: Sequence[Unit], cells: tuple[str, ...], by_world: bool) -> Comparison:
    widths = Counter((unit.world, unit.task, unit.liable) for unit in units)
    rows = sorted(
        (
            (u.world if by_world else "", u.liable, widths[u.world, u.task, u.liable]),
            u.world,
            u.task,
            u.cell,
            i,
        )
        for i, u in enumerate(units)
    )
    number = {name: index for index, name in enumerate(sorted({row[0] for row in rows}))}
    place = {cell: index for index, cell in enumerate(cells)}
    ordered = [units[row[-1]] for row in rows]
    return Comparison(
        cells=cells,
        cell=np.array([place[unit.cell] for unit in ordered]),
        stratum=np.array([number[row[0]] for row in rows]),
        width=np.array([width for _, _, width in number]),
        opportunities=np.array([float(unit.opportunities) for unit in ordered]),
        failures=np.array([unit.failures for unit in ordered]).reshape(len(units), -1),
        judged=np.ones(len(cells), dtype=bool),
    )


def _accompanied(comparison: Comparison) -> Any:
    """(c,) whether at least half of a cell's opportunities lie in strata with other cells."""
    table = totals(comparison, comparison.opportunities[:, None])[..., 0]  # (s, c)
    others = table.sum(axis=1, keepdims=True) > table
    return 2 * (table * others).sum(axis=0) >= table.sum(axis=0)


def _by_world(units: Iterable[Unit]) -> list[Unit]:
    """One unit per world, cell and liability."""
    merged: dict[tuple[str, str, bool], list[Unit]] = {}
    for unit in units:
        merged.setdefault((unit.world, unit.cell, unit.liable), []).append(unit)
    return [
        Unit(world, "", cell, liable, sum(u.opportunities for u in group), sum(u.failures for u in group))
        for (world, cell, liable), group in sorted(merged.items())
    ]


def totals(comparison: Comparison, values: Any) -> Any:
    """Sums of values (u, r) by stratum and cell, (s, c, r)."""
    strata, cells = int(comparison.stratum[-1]) + 1, len(comparison.cells)
    sums = np.zeros((strata * cells, values.shape[1]))
    np.add.at(sums, comparison.stratum * cells + comparison.cell, values)
    return sums.reshape(strata, cells, values.shape[1])
