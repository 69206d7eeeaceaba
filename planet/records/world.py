"""The world and its hidden half.

p(w given σ) = p(C) p(G given C) p(Σ given G, C) p(s₀ given Σ) p(R given G, Σ, s₀)
"""

from collections.abc import Collection
from functools import cached_property
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from planet.identity import digest
from planet.records.frozen import Frozen, Scalar
from planet.records.view import ToolSpec

ColumnType = Literal["id", "text", "enum", "int", "amount", "date", "bool", "ref"]
Profile = Literal["compact", "library"]
Pattern = Literal["record_required", "field_follows"]


class Difficulty(Frozen):
    """Knobs of the task generator."""

    hops: int = 1  # references to follow in the families that follow them; 1 or 2
    distractors: int = 2  # policy pages beside those that state a rule
    columns: int = 2  # columns that an instruction asks to set, in the families that set some; 1 or 2
    cited: bool = False  # the instruction names the page that states the rule, so it need not be searched for


class Target(Frozen):
    """What a brief aims at: cells of the weakness report, and how many tasks of them."""

    cells: tuple[str, ...]  # "facet:value", the first one decides whether a world is on target
    quota: int  # tasks wanted for the cells, of the world's ten: the first ones; the others are any
    difficulty: Difficulty = Difficulty()
    avoid: tuple[str, ...] = ()  # tool-set digests not wanted again: the template heeds it, a pool refuses
    avoid_schemas: tuple[str, ...] = ()  # schema digests not wanted again
    reason: str = ""  # one sentence built from counts; quotes no held-out world
    rung: str = ""  # "1 of 3 to family:repair": a step towards it, or a part of it; empty: no ladder


class Brief(Frozen):
    """σ: a business scenario."""

    text: str  # the scenario in a few sentences
    industry: str | None = None  # catalog name; None: the author chooses
    country: str | None = None  # ISO 3166 alpha-2 code; None: the author chooses
    services: tuple[str, ...] = ()  # service kinds that must appear; empty: the author chooses
    resources: tuple[str, ...] = ()  # resources that must be in the slice; empty: the author chooses
    profile: Profile = "compact"
    target: Target | None = None  # None: not aimed at anything
    families: dict[str, float] = Field(default_factory=dict)  # weights of families; empty: all equal


class Company(Frozen):
    """C: who the world is about."""

    name: str
    industry: str
    description: str  # the sub-industry, in one sentence
    country: str  # ISO 3166 alpha-2
    currency: str  # ISO 4217
    locale: str  # BCP 47 with underscore, e.g. pt_BR
    time_zone: str  # IANA name


class OwnKind(Frozen):
    """A kind of service that the catalog has not, declared by the world that has it."""

    kind: str  # snake_case
    description: str


class Service(Frozen):
    name: str  # unique in the world
    kind: str  # of the catalog, or declared by the graph
    description: str


class Edge(Frozen):
    source: str  # service name that depends ...
    target: str  # ... on this service name
    reason: str


class ServiceGraph(Frozen):
    """G: services and their dependencies."""

    services: tuple[Service, ...]
    edges: tuple[Edge, ...]
    kinds: tuple[OwnKind, ...] = ()  # outside the catalog

    @model_serializer(mode="wrap")
    def _kinds_if_any(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without kinds of its own a graph is written, and hashed, as if there could be none."""
        written: dict[str, Any] = plain(self)
        return written if self.kinds else {k: v for k, v in written.items() if k != "kinds"}


class Column(Frozen):
    name: str
    type: ColumnType
    required: bool = False  # NOT NULL
    unique: bool = False
    values: tuple[str, ...] = ()  # of an enum, in order
    ref: str | None = None  # resource that a `ref` column points to
    pool: str | None = None  # generator of text values, e.g. "person"; None: the resource's own words
    unit: str | None = None  # "currency", "days", "kg", ...; None: dimensionless
    low: float = 0.0  # smallest value of int, amount
    high: float = 100.0  # largest value of int, amount
    default: Scalar = None  # value of a new record when none is given; None: NULL, or the first enum value


class Resource(Frozen):
    """A table; with tools, unless it is a supporting table."""

    name: str
    service: str  # name of the owning service
    description: str
    prefix: str  # of its record ids, e.g. "INV" for INV-0007
    label: str  # text column shown by search and list
    status: str  # enum column shown by search and list
    columns: tuple[Column, ...]  # the first is `id`
    tools: bool = True

    def column(self, name: str) -> Column:
        """The column called `name`; KeyError when there is none."""
        return self.columns[self.place(name)]

    def place(self, name: str) -> int:
        """Which value of a row is the column's; KeyError when there is none."""
        for index, column in enumerate(self.columns):
            if column.name == name:
                return index
        raise KeyError(f"resource {self.name} has no column {name}")


class Schema(Frozen):
    """Σ: resources, and the tools over them."""

    resources: tuple[Resource, ...]
    tools: tuple[ToolSpec, ...]

    def resource(self, name: str) -> Resource:
        """The resource called `name`; KeyError when there is none."""
        for resource in self.resources:
            if resource.name == name:
                return resource
        raise KeyError(f"the world has no resource {name}")

    def offered(self, slice: Collection[str]) -> tuple[ToolSpec, ...]:
        """Tools of the resources in a slice, and the two document tools."""
        return tuple(t for t in self.tools if t.resource is None or t.resource in slice)

    def tool_set(self, slice: Collection[str]) -> str:
        """Digest of the names of the tools offered: worlds with equal tool sets look alike to an agent."""
        return digest(sorted(t.name for t in self.offered(slice)))

    @property
    def digest(self) -> str:
        """Of tables and columns: worlds with equal schemas differ in rows, rules and slice at most."""
        return digest(sorted([r.name, *(c.name for c in r.columns)] for r in self.resources))


class SeedState(Frozen):
    """s₀: rows by table, values in the order of the resource's columns."""

    rows: dict[str, tuple[tuple[Any, ...], ...]]


class Document(Frozen):
    """A policy page that the agent can find. Some state one rule, the others are distractors."""

    id: str  # e.g. DOC-03
    title: str
    body: str  # at most 40 words; reveals no SQL and no key


class Invariant(Frozen):
    """One cross-service rule as the grader knows it.

    record_required: when `table.column = value`, `effect_table` must hold a row with `effect_link` = that
                     row's id and `effect_column` = `effect_value`.
    field_follows:   when `table.column = value`, every row of `effect_table` with `effect_link` = that row's
                     id must have `effect_column` = `effect_value`.
    """

    id: str  # e.g. INV-02
    pattern: Pattern
    table: str
    column: str
    value: str
    effect_table: str
    effect_link: str
    effect_column: str
    effect_value: str
    document_id: str
    sql: str  # one SELECT that returns the ids of violating rows; empty means that the invariant holds


class World(Frozen):
    """w: an executable company, without what only the grader may know."""

    brief: Brief
    company: Company
    graph: ServiceGraph
    layout: Schema
    seed: SeedState
    documents: tuple[Document, ...]
    slice: tuple[str, ...]  # resources whose tools the RL environment offers

    @cached_property
    def id(self) -> str:
        """Content hash, brief excluded: equal worlds are equal however they were asked for."""
        return digest(self.model_dump(mode="json", exclude={"brief"}))

    @cached_property
    def offered(self) -> tuple[ToolSpec, ...]:
        """What the RL environment offers."""
        return self.layout.offered(self.slice)

    @cached_property
    def writers(self) -> dict[str, tuple[str, ...]]:
        """Table -> names of the tools that can write it; the map by which blame is attributed."""
        out: dict[str, tuple[str, ...]] = {}
        for tool in self.layout.tools:
            if tool.operation == "update" and tool.resource:
                out[tool.resource] = (*out.get(tool.resource, ()), tool.name)
        return out

    @cached_property
    def tool_set(self) -> str:
        """As `Schema.tool_set`."""
        return self.layout.tool_set(self.slice)

    @cached_property
    def schema_digest(self) -> str:
        """As `Schema.digest`."""
        return self.layout.digest


class WorldKey(Frozen):
    """R hidden: the invariants as SQL."""

    world_id: str
    invariants: tuple[Invariant, ...]
