"""The slice of a library world: the 2 to 6 resources whose tools its environment offers.

A company does what its industry usually does: which services the slice joins is fixed by industry and size,
and of each service the first resources of the catalog are the likely ones. A brief that names resources gets
them, and around them what is linked to them.
"""

from random import Random

from planet.catalog import Catalog, Industry
from planet.errors import BriefError

SIZES = {2: 0.090, 3: 0.510, 4: 0.240, 5: 0.105, 6: 0.055}
"""Resources of a slice -> chance; on average 3.525, which is 16.1 tools with the two for documents."""
SERVICES = {2: 2, 3: 3, 4: 3, 5: 3, 6: 3}
"""Resources of a slice -> services that they belong to; around named resources it may be more."""
USUAL = 3
"""The first resources of a service, which a usual slice takes."""
_WANTED = 4.0
"""Weight of what is of a new service while there are few, and of an old one when there are enough."""
_COMPANY = 6.0
"""Weight of the first resources of a service beside a named one."""
_FADE = 0.4
"""How much less likely each next resource of a service is."""


def draw_slice(catalog: Catalog, industry: Industry, named: tuple[str, ...], rng: Random) -> list[str]:
    """Resources with tools, each linked to another where that can be; those `named` among them."""
    size = rng.choices(list(SIZES), list(SIZES.values()))[0]
    if named:
        return _around(list(dict.fromkeys(named)), max(size, len(named)), catalog, rng)
    kinds = usual_services(catalog, industry)[: SERVICES[size]]
    chosen: list[str] = []
    for place, kind in enumerate(kinds):
        ahead = kinds[1 - place : 2 - place] if place == 0 else ()
        chosen.append(_of(kind, chosen, ahead, catalog, rng))
    while len(chosen) < size:
        more = [n for n in _linked(chosen, catalog) if catalog.resource(n).service in kinds]
        usual = [n for n in more if catalog.places[n] < USUAL]
        if not more:
            break
        chosen.append(_likely(usual or more, catalog, rng))
    return chosen


def usual_services(catalog: Catalog, industry: Industry) -> tuple[str, ...]:
    """Three services that companies of the industry usually have, each linked to one before it."""
    ranked = sorted(industry.services, key=lambda kind: (-industry.services[kind], kind))
    ranked = [kind for kind in ranked if _usual(kind, catalog)]
    chosen = ranked[:1]
    while len(chosen) < max(SERVICES.values()):
        near = {
            catalog.resource(n).service for kind in chosen for n in _reach(_usual(kind, catalog), catalog)
        }
        following = next((kind for kind in ranked if kind in near and kind not in chosen), None)
        following = following or next((kind for kind in ranked if kind not in chosen), None)
        if following is None:
            break
        chosen.append(following)
    return tuple(chosen)


def seldom(catalog: Catalog) -> list[str]:
    """Resources with tools that no industry's usual slice takes, sorted."""
    kinds = {kind for industry in catalog.industries for kind in usual_services(catalog, industry)}
    usual = {name for kind in kinds for name in _usual(kind, catalog)}
    return sorted(catalog.places.keys() - usual)


def _usual(kind: str, catalog: Catalog) -> list[str]:
    return [r.name for r in catalog.service(kind).resources if r.tools][:USUAL]


def _reach(names: list[str], catalog: Catalog) -> list[str]:
    """What is linked to any of `names`, itself usual in its service."""
    return [n for name in names for n in catalog.neighbours[name] if catalog.places.get(n, USUAL) < USUAL]


def _of(kind: str, chosen: list[str], ahead: tuple[str, ...], catalog: Catalog, rng: Random) -> str:
    """A resource of the service that is linked to one chosen before; the first, to the service `ahead`."""
    own = _usual(kind, catalog)
    there = set(chosen) or {name for other in ahead for name in _usual(other, catalog)}
    return _likely([n for n in own if there & catalog.neighbours[n]] or own, catalog, rng)


def _likely(names: list[str], catalog: Catalog, rng: Random) -> str:
    return rng.choices(names, [_FADE ** catalog.places[name] for name in names])[0]


def _linked(chosen: list[str], catalog: Catalog) -> list[str]:
    """Resources with tools that are linked to one chosen and are not chosen themselves."""
    near = {n for name in chosen for n in catalog.neighbours[name]} - set(chosen)
    return sorted(n for n in near if n in catalog.places)


def _around(chosen: list[str], size: int, catalog: Catalog, rng: Random) -> list[str]:
    """`chosen` and what is linked to them, from other services first."""
    while len(chosen) < size:
        near = _linked(chosen, catalog)
        if not near:
            break
        kinds = {catalog.resource(name).service for name in chosen}
        wanted = len(kinds) < SERVICES.get(size, len(kinds)) + (size > 4)
        weights = [
            (_WANTED if (catalog.resource(name).service not in kinds) == wanted else 1.0)
            * (_COMPANY if catalog.places[name] < USUAL else 1.0)
            for name in near
        ]
        chosen.append(rng.choices(near, weights)[0])
    _leave_service(chosen, catalog, rng)
    if len({catalog.resource(name).service for name in chosen}) < 2:
        raise BriefError(
            f"no resource of another service is linked to {', '.join(chosen)}; name others, or leave them out"
        )
    return chosen


def _leave_service(chosen: list[str], catalog: Catalog, rng: Random) -> None:
    """Add what leads to a second service, while there is but one: a rule must be able to cross services."""
    while len(chosen) < max(SIZES) and len({catalog.resource(name).service for name in chosen}) < 2:
        near = _linked(chosen, catalog)
        abroad = [n for n in near if catalog.resource(n).service != catalog.resource(chosen[0]).service]
        if not near:
            return
        chosen.append(rng.choice(abroad or near))
