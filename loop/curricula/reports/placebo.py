"""The placebo: the report with its cells under other names, so that only its content is lost.

Families and resources are deranged, no cell keeping its name, within terciles of opportunities in the
diagnosis (merged until each has 5 cells), so that a cell trades places with cells met about as often. Tools
follow their resource. Services follow the resources that they own, as far as a one-to-one exchange of
services can; pairs follow their services. Counts, difficulty and every other facet stay.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

from analysis.weakness import Cell, WeaknessReport
from analysis.weakness.report import weakest_first
from loop.curricula.stateless import Stateless
from planet.identity import stream

LEAST = 5
"""Cells in a stratum at least, where the facet has as many."""

Names = dict[str, str]
"""Value of a facet -> the value under which it is reported."""


class Permute(Stateless):
    """Exchanges the names of cells; drawn anew for every report."""

    probes = 1

    def apply(self, report: WeaknessReport, services: Mapping[str, str], seed: int) -> WeaknessReport:
        """The report with its cells exchanged, ranked anew."""
        names = exchanged(report, services, seed)
        cells = [cell.model_copy(update={"value": renamed(cell, names)}) for cell in report.cells]
        ranked = tuple(sorted(cells, key=weakest_first))
        return report.model_copy(update={"cells": ranked, "mastered": (), "forgotten": ()})


def exchanged(report: WeaknessReport, services: Mapping[str, str], seed: int) -> dict[str, Names]:
    """Facet -> exchange of its values; "family", "resource" and "service"."""
    by_facet = {facet: _cells(report, facet) for facet in ("family", "resource", "service")}
    families, resources = (
        _deranged(by_facet[facet], stream(seed, "placebo", facet)) for facet in ("family", "resource")
    )
    owned = [
        (cell, services[cell.value], services.get(resources[cell.value]))
        for cell in by_facet["resource"]
        if cell.value in services
    ]
    follow = _follow([c.value for c in by_facet["service"]], owned)
    return {"family": families, "resource": resources, "service": follow}


def renamed(cell: Cell, names: Mapping[str, Names]) -> str:
    """The value under which a cell is reported."""
    if cell.facet == "tool":
        operation, _, resource = cell.value.partition("_")
        return f"{operation}_{names['resource'][resource]}" if resource in names["resource"] else cell.value
    if cell.facet == "pair":
        return ">".join(names["service"].get(service, service) for service in cell.value.split(">"))
    return names.get(cell.facet, {}).get(cell.value, cell.value)


def strata(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Terciles of opportunities, neighbours merged until each has LEAST cells, or there is one."""
    ranked = sorted(cells, key=lambda c: (c.opportunities, c.value))
    cuts = [len(ranked) * n // 3 for n in range(4)]
    groups = [ranked[low:high] for low, high in pairwise(cuts) if high > low]
    while len(groups) > 1 and min(map(len, groups)) < LEAST:
        small = min(range(len(groups)), key=lambda i: len(groups[i]))
        beside = [i for i in (small - 1, small + 1) if 0 <= i < len(groups)]
        first, second = sorted((small, min(beside, key=lambda i: len(groups[i]))))
        groups[first : second + 1] = [groups[first] + groups[second]]
    return groups


def _deranged(cells: Sequence[Cell], rng: Random) -> Names:
    """Every value under another one of its stratum; a lone cell keeps its name."""
    names: Names = {}
    for group in strata(cells):
        values = [cell.value for cell in group]
        moved = rng.sample(values, len(values))
        while len(values) > 1 and any(old == new for old, new in zip(values, moved, strict=True)):
            moved = rng.sample(values, len(values))
        names |= dict(zip(values, moved, strict=True))
    return names


def _follow(services: Sequence[str], moves: Sequence[tuple[Cell, str, str | None]]) -> Names:
    """One-to-one exchange of services: first those between which resources of most opportunities moved."""
    flow: dict[tuple[str, str], int] = {}
    for cell, old, new in moves:
        if new is not None and old in services and new in services:
            flow[old, new] = flow.get((old, new), 0) + cell.opportunities
    names: Names = {}
    for old, new in sorted(flow, key=lambda pair: (-flow[pair], pair)):
        if old not in names and new not in names.values():
            names[old] = new
    left = [service for service in sorted(services) if service not in names.values()]
    rest = [service for service in sorted(services) if service not in names]
    return names | dict(zip(rest, left, strict=True))


def _cells(report: WeaknessReport, facet: str) -> list[Cell]:
    return [cell for cell in report.cells if cell.facet == facet]
