"""What an author proposes for each link: one grammar for a template, a language model, a trained author."""

from typing import Literal, Protocol

from planet.catalog import Catalog
from planet.expand.derived import Derived
from planet.expand.rules import Rule
from planet.records.frozen import Frozen
from planet.records.world import Brief, Company, Resource, ServiceGraph

Link = Literal["company", "graph", "schema", "seed", "rules"]
LINKS: tuple[Link, ...] = ("company", "graph", "schema", "seed", "rules")
"""p(C) p(G given C) p(Σ given G, C) p(s₀ given Σ) p(R given G, Σ, s₀), in the order of proposal."""


class CatalogTable(Frozen):
    """A table taken from the catalog and given to one of the world's services."""

    resource: str
    service: str  # name of a service of the graph


class SchemaPlan(Frozen):
    """Σ as proposed: tables from the catalog, tables of the author's own, the slice offered to the agent."""

    tables: tuple[CatalogTable, ...]
    custom: tuple[Resource, ...] = ()  # complete with columns, the first of them `id`
    derived: tuple[Derived, ...] = ()  # positions, histories and links of the tables above, without tools
    slice: tuple[str, ...]


class SeedPlan(Frozen):
    """s₀ as proposed: how many rows each table holds."""

    rows: dict[str, int]


class RulePlan(Frozen):
    """R as proposed: the rules, and how many distractor pages stand among theirs."""

    rules: tuple[Rule, ...]
    distractors: int = 2


Artifact = Company | ServiceGraph | SchemaPlan | SeedPlan | RulePlan
ARTIFACTS: dict[Link, type[Frozen]] = {
    "company": Company,
    "graph": ServiceGraph,
    "schema": SchemaPlan,
    "seed": SeedPlan,
    "rules": RulePlan,
}
"""What each link is proposed as."""


class Context(Frozen):
    """What an author sees when it proposes a link."""

    brief: Brief
    catalog: Catalog
    seed: int
    attempt: int  # 0 on the first try of this link
    artifacts: dict[Link, Artifact]  # links proposed so far
    report: tuple[str, ...] = ()  # what the validators found in the previous try; empty on the first
    previous: str | None = None  # what was proposed for this link before, as text; None: nothing yet


class AuthorCost(Frozen):
    """What proposals cost. A template costs nothing."""

    calls: int = 0  # model calls
    tokens_in: int = 0  # of prompts
    tokens_out: int = 0  # of completions
    dollars: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompts and completions together."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: "AuthorCost") -> "AuthorCost":
        return AuthorCost(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            dollars=self.dollars + other.dollars,
        )


class Author(Protocol):
    """Proposes one link at a time."""

    name: str

    def propose(self, link: Link, context: Context) -> tuple[Artifact, AuthorCost]:
        """The artifact for `link` and its cost.

        AuthorError, with the cost, when this try gave none; AuthorUnavailable when none can be had any more.
        """
        ...


def proposals(author: Author, brief: Brief, catalog: Catalog, seed: int) -> dict[Link, Artifact]:
    """What an author proposes, link by link, unchecked and at the first try."""
    made: dict[Link, Artifact] = {}
    for link in LINKS:
        context = Context(brief=brief, catalog=catalog, seed=seed, attempt=0, artifacts=dict(made))
        made[link], _ = author.propose(link, context)
    return made
