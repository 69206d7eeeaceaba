"""The training generator: scenarios drawn from the catalog, with what is held out for the test left out."""

from dataclasses import dataclass

from loop.errors import RunError
from planet.catalog import Catalog, Industry, Link
from planet.identity import digest, stream
from planet.records.world import Brief, World

Pair = tuple[str, str]
"""Two kinds of service in alphabetical order."""


@dataclass(frozen=True)
class Reserved:
    """What occurs in the test worlds made for it and nowhere else."""

    pairs: frozenset[Pair]
    industry: str | None  # None: no industry is held out


def reserve(catalog: Catalog, seed: int, pairs: int, industry: bool) -> Reserved:
    """Pairs of linked service kinds and an industry, chosen by hash: no draw of the run depends on them."""
    ranked = sorted(linked_pairs(catalog), key=lambda pair: digest([seed, "reserved pair", *pair]))
    industries = sorted(
        (i.name for i in catalog.industries), key=lambda n: digest([seed, "unseen industry", n])
    )
    if industry and len(industries) < 2:
        raise RunError(
            f"the catalog has {len(industries)} industry, so none can be held out; "
            "set splits.test_unseen=0 or add industries"
        )
    return Reserved(pairs=frozenset(ranked[:pairs]), industry=industries[0] if industry else None)


def linked_pairs(catalog: Catalog) -> list[Pair]:
    """Pairs of service kinds between which a reference leads, sorted."""
    return sorted({pair for link in catalog.links if (pair := _linked_by_tools(catalog, link)) is not None})


def _linked_by_tools(catalog: Catalog, link: Link) -> Pair | None:
    """The two services that a reference between resources with tools connects; None when it connects none."""
    source, target = catalog.resources[link.source], catalog.resources[link.target]
    if source.service == target.service or not (source.tools and target.tools):
        return None
    return pair_of(source.service, target.service)


def pair_of(first: str, second: str) -> Pair:
    """Two kinds as a pair."""
    return (first, second) if first < second else (second, first)


def pairs_in(world: World) -> frozenset[Pair]:
    """Pairs of kinds of service that an edge of the world's graph connects."""
    kinds = {service.name: service.kind for service in world.graph.services}
    return frozenset(pair_of(kinds[e.source], kinds[e.target]) for e in world.graph.edges)


def scenario(catalog: Catalog, reserved: Reserved, *names: str | int) -> Brief:
    """A scenario drawn from the stream called `names`, of an industry that is not held out."""
    rng = stream("scenario", *names)
    industry = rng.choice([i for i in catalog.industries if i.name != reserved.industry])
    return _brief(catalog, industry, rng.choice(catalog.countries).code)


def elsewhere(brief: Brief, place: Brief) -> Brief:
    """A refused brief in the industry and country of a scenario: the old ones may have stood in its way."""
    return brief.replace(text=place.text, industry=place.industry, country=place.country)


def unseen_scenario(catalog: Catalog, reserved: Reserved, *names: str | int) -> Brief:
    """A scenario of the industry that is held out."""
    rng = stream("unseen scenario", *names)
    industry = catalog.industry(reserved.industry or "")
    return _brief(catalog, industry, rng.choice(catalog.countries).code)


def reserved_scenario(catalog: Catalog, reserved: Reserved, *names: str | int) -> Brief:
    """A scenario whose slice holds two resources linked across a reserved pair of services."""
    rng = stream("reserved scenario", *names)
    links = [link for link in catalog.links if _linked_by_tools(catalog, link) in reserved.pairs]
    link = rng.choice(links)
    return scenario(catalog, reserved, "reserved", *names).replace(resources=(link.source, link.target))


def _brief(catalog: Catalog, industry: Industry, country: str) -> Brief:
    name = catalog.country(country).name
    return Brief(
        text=f"A company in {name}, in the industry: {industry.title}.",
        industry=industry.name,
        country=country,
    )
