"""The tables of a library world around its slice: tools of 13 or 14 services, and tables without tools."""

from itertools import combinations
from random import Random
from typing import NamedTuple, TypeVar

from planet.catalog import Catalog, CatalogResource
from planet.errors import BriefError
from planet.expand.derived import Derived

T = TypeVar("T")

TOOLED = {15: 0.35, 16: 0.55, 17: 0.10}
"""Resources with tools -> chance; on average 15.75, which is 65 tools."""
SERVICES = {13: 0.6, 14: 0.4}
TABLES = (30, 31, 32)
_POSITIONS, _LINKS = 6, 3
"""At most so many derived tables of these kinds; the others are histories."""
_DENSE = 4.0
"""How much more likely a table is with each reference to what is there."""
_OUTSIDE = 0.03
"""Weight of a service that the industry's profile has not."""


class LibraryTables(NamedTuple):
    """The plan behind graph and schema."""

    tables: tuple[str, ...]  # resources of the catalog, the slice first
    derived: tuple[Derived, ...]
    slice: tuple[str, ...]


def library_tables(
    offered: list[str], wanted: tuple[str, ...], profile: dict[str, float], catalog: Catalog, rng: Random
) -> LibraryTables:
    """A company around the slice `offered`, with a resource of every service `wanted`."""
    chosen = list(offered)
    for kind in wanted:
        if all(catalog.resource(name).service != kind for name in chosen):
            own = [r.name for r in catalog.service(kind).resources if r.tools]
            if not own:
                raise BriefError(
                    f"service {kind!r} has no resource with tools in the catalog; choose another"
                )
            near = [n for n in own if catalog.neighbours[n] & set(chosen)]
            chosen.append(rng.choice(near or own))
    services = rng.choices(list(SERVICES), list(SERVICES.values()))[0]
    tooled = rng.choices(list(TOOLED), list(TOOLED.values()))[0]
    _grow(chosen, max(tooled, len(chosen)), services, profile, catalog, rng)
    bare = _supporting(chosen, catalog)
    missing = rng.choice(TABLES) - len(chosen) - len(bare)
    derived = _derived([catalog.resource(name) for name in chosen], max(0, missing), rng)
    return LibraryTables((*chosen, *bare), derived, tuple(offered))


def _grow(
    chosen: list[str],
    size: int,
    services: int,
    profile: dict[str, float],
    catalog: Catalog,
    rng: Random,
) -> None:
    """Add linked resources, of new services until there are enough."""
    while len(chosen) < size:
        kinds = {catalog.resource(name).service for name in chosen}
        near = {n for name in chosen for n in catalog.neighbours[name]} - set(chosen)
        options = sorted(n for n in near if n in catalog.places)
        new = [n for n in options if catalog.resource(n).service not in kinds]
        old = [n for n in options if catalog.resource(n).service in kinds]
        # whoever comes early is new; the last few are spread over the services that are there
        pool = (new or old) if len(kinds) < services else (old or new)
        if not pool:
            pool = sorted(catalog.places.keys() - set(chosen))
        if not pool:
            return
        there = set(chosen)
        weights = [  # what refers to much of what is there comes first: rules need references
            profile.get(catalog.resource(n).service, _OUTSIDE)
            * len(there & catalog.neighbours[n]) ** _DENSE
            / (1.0 + catalog.places[n]) ** 0.5
            for n in pool
        ]
        if not any(weights):
            weights = [1.0] * len(pool)
        chosen.append(rng.choices(pool, weights)[0])


def _supporting(chosen: list[str], catalog: Catalog) -> list[str]:
    """Tables of the catalog without tools whose service is there, and what they need."""
    kinds = {catalog.resource(name).service for name in chosen}
    return [
        r.name
        for r in catalog.resources.values()
        if not r.tools
        and r.service in kinds
        and any(c.ref in chosen for c in r.refs)
        and all(c.ref in chosen for c in r.refs if c.required)
    ]


def _derived(chosen: list[CatalogResource], count: int, rng: Random) -> tuple[Derived, ...]:
    """`count` tables of positions, histories and links, each at most once."""
    priced = [r.name for r in chosen if any(c.unit == "currency" for c in r.columns)]
    apart = [
        (a.name, b.name)
        for a, b in combinations(chosen, 2)
        if a.service != b.service
        and all(c.ref != b.name for c in a.refs)
        and all(c.ref != a.name for c in b.refs)
    ]
    plans = [Derived(kind="positions", of=(name,)) for name in _some(priced, _POSITIONS, rng)]
    plans += [Derived(kind="link", of=pair) for pair in _some(apart, _LINKS, rng)]
    plans += [Derived(kind="history", of=(r.name,)) for r in _some(chosen, len(chosen), rng)]
    return tuple(plans[:count])


def _some(options: list[T], count: int, rng: Random) -> list[T]:
    return rng.sample(options, min(count, len(options)))
