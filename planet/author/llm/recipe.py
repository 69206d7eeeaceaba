"""The recipe: steps towards each link, and a worked example for another brief.

The example is what the template proposes for a fixed brief and seed, so it follows the catalog in use and is
always a world that passes.
"""

from functools import lru_cache

from planet.author.artifacts import LINKS, Artifact, Context, Link, proposals
from planet.author.llm.facts import proposal, so_far
from planet.author.template import TemplateAuthor
from planet.catalog import Catalog
from planet.identity import canonical_json
from planet.records.world import Brief

STEPS: dict[Link, tuple[str, ...]] = {
    "company": (
        "Take industry and country from the brief where it names them, else choose what fits its text.",
        "Copy currency, locale and one time zone from the country's line, letter by letter.",
        "Invent a plausible name of two or three words, and say in one sentence what the company does.",
    ),
    "graph": (
        "Begin with every kind of service that the brief asks for.",
        "Add kinds whose tables refer to each other: rules need references between services.",
        "Name each service by its kind, and connect all of them: n services need at least n - 1 edges.",
        "Use a kind of your own only where the catalog has nothing for the brief; declare it in `kinds`.",
    ),
    "schema": (
        "Begin with the tables that the brief asks for; they belong into the slice.",
        "Add tables to which they refer, so that at least one reference leads from one service to another.",
        "Give each table to the service that owns it: the ends of that reference belong to two services.",
        "Put the two ends of the reference into the slice.",
        'A table of your own looks like {"name":"cold_room","service":"warehouse","prefix":"CLR",'
        '"description":"A cooled store.","label":"sign","status":"state","columns":[{"name":"id","type":"id",'
        '"required":true,"unique":true},{"name":"sign","type":"text","required":true,"pool":"subject"},'
        '{"name":"state","type":"enum","values":["free","filled","defrosting"]},'
        '{"name":"degrees","type":"int","low":-30,"high":8}]}.',
    ),
    "seed": (
        "List every table of the schema by name, those of your own too.",
        "Stay inside the range; tables that others refer to need rows as much as the others.",
    ),
    "rules": (
        "Take one of the references that cross two services: child.column to parent.",
        "`table` is the parent, `effect_table` the child, `effect_link` that column.",
        "Choose an enum column of the parent and a later value, and an enum column of the child and a value.",
        "Use no column in two rules, so that no two rules contradict each other.",
        "Prefer references between tables of the slice: the agent's tasks can then be about the rule.",
    ),
}
_BRIEF = Brief(
    text="A maker of machine parts that sells to workshops and keeps its own stock.", industry="manufacturing"
)
_SEED = 7


def recipe_for(link: Link, context: Context) -> str:
    """Steps and example for `link`, as text."""
    made = dict(worked_example(context.catalog, context.brief.profile))
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(STEPS[link], start=1))
    before: dict[Link, Artifact] = {other: made[other] for other in LINKS[: LINKS.index(link)]}
    answer = proposal(link, made[link])
    return (
        f"How to go about it:\n{steps}\n\n"
        f"A worked example. Brief: {canonical_json(_BRIEF.model_dump(exclude_defaults=True))}\n"
        f"The company so far: {canonical_json(so_far(before))}\n"
        f"Answer: {answer}"
    )


def worked_example(catalog: Catalog, profile: str) -> tuple[tuple[Link, Artifact], ...]:
    """(link, artifact) of a whole world; another one for each catalog and profile."""
    return _example(_Held(catalog), profile)


class _Held:
    """A catalog as a key of the cache: equal contents are equal."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def __hash__(self) -> int:
        return hash(self.catalog.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.catalog.digest == self.catalog.digest


@lru_cache(maxsize=8)
def _example(held: _Held, profile: str) -> tuple[tuple[Link, Artifact], ...]:
    brief = _BRIEF.replace(profile=profile)
    return tuple(proposals(TemplateAuthor(), brief, held.catalog, _SEED).items())
