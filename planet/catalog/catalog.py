"""The catalog as a whole: look-ups by name, references, words, identity."""

from collections.abc import Callable, Mapping
from functools import cached_property
from random import Random
from typing import TypeVar

from pydantic import PrivateAttr

from planet.catalog.entries import CatalogResource, Country, Industry, Link, ServiceKind
from planet.catalog.nearest import hint
from planet.catalog.phrases import Phrases
from planet.errors import CatalogError
from planet.identity import digest
from planet.records.frozen import Frozen
from planet.records.world import Profile

Entry = TypeVar("Entry")


class Catalog(Frozen):
    """Everything that a world can be made of. Entries are sorted by kind, name or code."""

    services: tuple[ServiceKind, ...]
    industries: tuple[Industry, ...]
    countries: tuple[Country, ...]
    pools: dict[str, Phrases]
    _whole: "Catalog | None" = PrivateAttr(default=None)

    @property
    def whole(self) -> "Catalog | None":
        """Of a core, the catalog that it was taken from; None: this is no core."""
        return self._whole

    @cached_property
    def resources(self) -> dict[str, CatalogResource]:
        """Resources by name, service by service in the order of their files."""
        return {r.name: r for kind in self.services for r in kind.resources}

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Every reference between resources, in the order of `resources`."""
        return tuple(
            Link(source=r.name, column=c.name, target=c.ref or "")
            for r in self.resources.values()
            for c in r.refs
        )

    @cached_property
    def neighbours(self) -> dict[str, frozenset[str]]:
        """Resource -> resources linked to it by a reference in either direction."""
        near: dict[str, set[str]] = {name: set() for name in self.resources}
        for link in self.links:
            near[link.source].add(link.target)
            near[link.target].add(link.source)
        return {name: frozenset(others) for name, others in near.items()}

    @cached_property
    def places(self) -> dict[str, int]:
        """Resource with tools -> its place in its service, from 0: the first ones are the most usual."""
        return {
            r.name: place
            for kind in self.services
            for place, r in enumerate(r for r in kind.resources if r.tools)
        }

    @cached_property
    def core(self) -> "Catalog":
        """The entries of compact worlds; industries keep the services of the core."""
        services = tuple(
            kind.replace(resources=tuple(r for r in kind.resources if r.core))
            for kind in self.services
            if kind.core
        )
        kinds = {kind.kind for kind in services}
        industries = (
            i.replace(services={k: weight for k, weight in i.services.items() if k in kinds}, further=None)
            for i in self.industries
            if i.core and kinds & i.services.keys()
        )
        core = Catalog(
            services=services,
            industries=tuple(industries),
            countries=tuple(country for country in self.countries if country.core),
            pools={name: pool for name, pool in self.pools.items() if name not in self._other_pools},
        )
        core._whole = self
        return core

    @property
    def _other_pools(self) -> set[str]:
        """Pools that columns draw from, none of them in the core."""
        kinds = {kind.kind for kind in self.services if kind.core}
        used: dict[bool, set[str]] = {True: set(), False: set()}
        for resource in self.resources.values():
            inside = resource.core and resource.service in kinds
            used[inside] |= {column.pool for column in resource.columns if column.pool}
        return used[False] - used[True]

    def of(self, profile: Profile) -> "Catalog":
        """What worlds of a profile are made of: the core, or everything."""
        return self.core if profile == "compact" else self

    @cached_property
    def digest(self) -> str:
        """Content hash of all entries."""
        return digest(self.model_dump(mode="json"))

    def service(self, kind: str) -> ServiceKind:
        """The kind of service called `kind`; CatalogError when there is none."""
        return self._look_up(lambda c: {s.kind: s for s in c.services}, kind, "kind of service")

    def resource(self, name: str) -> CatalogResource:
        """The resource called `name`; CatalogError when there is none."""
        return self._look_up(lambda c: c.resources, name, "resource")

    def industry(self, name: str) -> Industry:
        """The industry called `name`; CatalogError when there is none."""
        return self._look_up(lambda c: {i.name: i for i in c.industries}, name, "industry")

    def country(self, code: str) -> Country:
        """The country with this ISO 3166 code; CatalogError when there is none."""
        return self._look_up(lambda c: {of.code: of for of in c.countries}, code, "country code")

    def pool(self, name: str) -> Phrases:
        """The text pool called `name`; CatalogError when there is none."""
        return self._look_up(lambda c: c.pools, name, "text pool")

    def _look_up(self, entries: Callable[["Catalog"], Mapping[str, Entry]], name: str, what: str) -> Entry:
        found = entries(self)
        if name in found:
            return found[name]
        if self._whole is not None and name in entries(self._whole):
            raise CatalogError(
                f"compact worlds have no {what} '{name}', library worlds do; "
                "ask for one with --profile library, or leave it out"
            )
        raise CatalogError(f"the catalog has no {what} '{name}'; {hint(name, found)}")

    def draw_text(self, pool: str, country: str, rng: Random) -> str:
        """A text of the pool, with people and places of the country (an ISO 3166 code)."""
        return draw_text(self.pool(pool), self.country(country), rng)

    def words(self) -> tuple[str, ...]:
        """Sorted distinct words of resource names, column names and enum values: what a policy must learn."""
        names: list[str] = []
        for resource in self.resources.values():
            names += [resource.name, "id"]
            for column in resource.columns:
                names += [column.name, *column.values]
        return tuple(sorted({word for name in names for word in name.split("_")}))


def draw_text(pool: Phrases, country: Country, rng: Random) -> str:
    """A Title Case text of the pool, with people and places of the country."""
    return pool.draw(rng, country.parts)
