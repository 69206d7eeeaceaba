"""The entries of the catalog, one record per kind of YAML entry."""

from functools import cached_property
from typing import Any

from pydantic import SerializerFunctionWrapHandler, model_serializer

from planet.catalog.phrases import Phrases
from planet.records.frozen import Frozen
from planet.records.world import Column


class Entry(Frozen):
    """What every entry says: whether compact worlds, which a small policy can learn, may be made of it."""

    core: bool = True  # False: for library worlds alone

    @model_serializer(mode="wrap")
    def _core_if_not(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """An entry of the core is written, and hashed, as if there were nothing else."""
        written: dict[str, Any] = plain(self)
        unsaid = {"core"} if self.core else set()
        return {k: v for k, v in written.items() if k not in unsaid and (k != "further" or v is not None)}


class CatalogResource(Entry):
    """A table that a service of this kind may have. The implied `id` column is not listed."""

    name: str  # snake_case, at most two words, unique in the catalog
    service: str  # kind of the owning service; not written in the file, which belongs to one kind
    prefix: str  # 2 to 4 capitals, unique in the catalog: INV gives INV-0007
    description: str
    label: str  # a text column
    status: str  # an enum column
    columns: tuple[Column, ...]
    tools: bool = True  # False: a supporting table

    @cached_property
    def refs(self) -> tuple[Column, ...]:
        """Columns that point to another resource."""
        return tuple(column for column in self.columns if column.type == "ref")


class ServiceKind(Entry):
    """A kind of service, e.g. billing, with the resources that it may own."""

    kind: str
    title: str
    description: str
    resources: tuple[CatalogResource, ...]
    keywords: tuple[str, ...] = ()  # words by which a free-text brief names it


class Industry(Entry):
    """An industry: which services its companies tend to have, and what such companies do."""

    name: str
    title: str
    keywords: tuple[str, ...]
    services: dict[str, float]  # service kind -> chance in (0, 1] that such a company has it
    descriptions: Phrases  # sub-industries, one sentence each
    further: Phrases | None = None  # more of them, for library worlds; None: there are no more

    def sub_industries(self) -> tuple[str, ...]:
        """All descriptions, the further ones last."""
        return (*self.descriptions.every(), *(self.further.every() if self.further else ()))


class Country(Entry):
    """A country: formats, and names to combine at random into people and addresses."""

    code: str  # ISO 3166-1 alpha-2
    name: str
    adjective: str
    currency: str  # ISO 4217
    locale: str  # BCP 47 with underscore, e.g. pt_BR
    time_zones: tuple[str, ...]  # IANA names, the most populous first
    given: tuple[str, ...]
    family: tuple[str, ...]
    cities: tuple[str, ...]
    aliases: tuple[str, ...] = ()  # other names by which a free-text brief names it

    @property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """Slots that the country fills in any pool."""
        return {"given": self.given, "family": self.family, "city": self.cities}


COUNTRY_SLOTS = ("given", "family", "city")
"""Slots that a pool may use without listing parts: the country fills them."""


class Link(Frozen):
    """One reference: `source.column` holds the id of a `target` row."""

    source: str  # resource
    column: str
    target: str  # resource
