"""The tables of the template's compact worlds: a growing connected set of resources, the slice first."""

from random import Random

from planet.author.artifacts import Context
from planet.catalog import Catalog
from planet.errors import BriefError


def compact_tables(
    context: Context,
    profile: dict[str, float],
    slice_size: tuple[int, int],
    size: tuple[int, int],
    rng: Random,
) -> tuple[list[str], list[str]]:
    """(tables of the world, slice); both sizes are bounds, exceeded where the brief asks for more."""
    links = context.catalog.neighbours
    offered = _start(context, profile, rng)
    _grow(offered, max(len(offered), rng.randint(*slice_size)), context.catalog, profile, links, rng)
    tables = list(offered)
    for kind in context.brief.services:  # every service asked for is present, linked or not asked for in vain
        if all(context.catalog.resource(t).service != kind for t in tables):
            _join(tables, kind, context.catalog, links, rng)
    _grow(tables, max(len(tables), rng.randint(*size)), context.catalog, profile, links, rng)
    return tables, offered


def _start(context: Context, profile: dict[str, float], rng: Random) -> list[str]:
    """Resources the brief names, completed to a pair linked across services.

    A pair inside the industry's profile comes first; a named resource whose partners all lie outside takes
    one of them.
    """
    named = list(dict.fromkeys(context.brief.resources))
    pairs = [
        (pair, weight)
        for pair, weight in _crossing_pairs(context.catalog, profile)
        if not named or {*pair} & {*named}
    ]
    inside = [(pair, weight) for pair, weight in pairs if weight > 0]
    asked = [kind for kind in context.brief.services if kind in profile]
    if not pairs or not (inside or named):
        raise BriefError(
            f"no two linked resources of different services fit the brief (resources {named}, "
            f"services {asked}); name others, or leave them out"
        )
    weights = []
    for pair, weight in inside or pairs:
        kinds = [context.catalog.resource(table).service for table in pair]
        weights.append(
            (weight or 1.0) * 10.0 ** (len({*pair} & {*named}) + sum(kind in asked for kind in kinds))
        )
    chosen = rng.choices([pair for pair, _ in inside or pairs], weights)[0]
    return list(dict.fromkeys([*named, *chosen]))


def _crossing_pairs(catalog: Catalog, profile: dict[str, float]) -> list[tuple[tuple[str, str], float]]:
    """((child, parent), weight in the profile) of every reference between tools of different services."""
    pairs: dict[tuple[str, str], float] = {}
    for child, resource in sorted(catalog.resources.items()):
        for column in resource.refs:
            parent = catalog.resource(column.ref or "")
            if resource.tools and parent.tools and resource.service != parent.service:
                weight = profile.get(resource.service, 0.0) * profile.get(parent.service, 0.0)
                pairs.setdefault((child, parent.name), weight)
    return list(pairs.items())


def _grow(
    chosen: list[str],
    size: int,
    catalog: Catalog,
    profile: dict[str, float],
    links: dict[str, frozenset[str]],
    rng: Random,
) -> None:
    """Add linked resources until `chosen` has `size`, or nothing more is linked."""
    while len(chosen) < size:
        near = sorted({n for name in chosen for n in links[name]} - set(chosen))
        weights = [
            profile.get(catalog.resource(n).service, 0.0) if catalog.resource(n).tools else 0.0 for n in near
        ]
        if not any(weights):
            return
        chosen.append(rng.choices(near, weights)[0])


def _join(
    chosen: list[str], kind: str, catalog: Catalog, links: dict[str, frozenset[str]], rng: Random
) -> None:
    """Add a resource of service `kind`, one that is linked to what is there if any is."""
    options = [n for n, r in sorted(catalog.resources.items()) if r.service == kind and r.tools]
    if not options:
        raise BriefError(f"service {kind!r} has no resource with tools in the catalog; choose another")
    near = [n for n in options if links[n] & set(chosen)]
    chosen.append(rng.choice(near or options))
