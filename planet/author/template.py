"""The deterministic, offline author: draws every link from the catalog under the industry's profile.

All five links follow from one plan (which tables, in which services), so the links agree with each other.
Another attempt at a link draws again under another stream.
"""

from collections.abc import Callable
from itertools import combinations
from random import Random

from planet.author.artifacts import (
    Artifact,
    AuthorCost,
    CatalogTable,
    Context,
    Link,
    RulePlan,
    SchemaPlan,
    SeedPlan,
)
from planet.author.compact import compact_tables
from planet.author.library import (
    LibraryTables,
    draw_slice,
    library_rows,
    library_rules,
    library_tables,
    sub_industry,
)
from planet.author.sizes import SIZES
from planet.catalog import Catalog, Industry
from planet.errors import AuthorError
from planet.expand.plans import resources_of
from planet.expand.rules import Rule, ruled_columns
from planet.identity import stream
from planet.records.world import Brief, Company, Edge, Resource, Service, ServiceGraph
from planet.world.specs import layout_of

DRAWS = 20
"""Draws of the tables until one is not of those that the brief asks to avoid."""


class TemplateAuthor:
    """Draws from the catalog; costs nothing; equal seeds give equal worlds."""

    name = "template"

    def propose(self, link: Link, context: Context) -> tuple[Artifact, AuthorCost]:
        """The artifact for `link`; BriefError when the brief cannot be met by the catalog."""
        proposers: dict[Link, Callable[[Context], Artifact]] = {
            "company": _company,
            "graph": _graph,
            "schema": _schema,
            "seed": _seed,
            "rules": _rules,
        }
        return proposers[link](context), AuthorCost()


def _rng(context: Context, purpose: str) -> Random:
    return stream(context.seed, "template", purpose, context.attempt)


# ── company ───────────────────────────────────────────────────────────────────────────────────────


def _company(context: Context) -> Company:
    rng, catalog, brief = _rng(context, "company"), context.catalog, context.brief
    industry = catalog.industry(brief.industry) if brief.industry else _industry_for(brief, catalog, rng)
    country = catalog.country(brief.country) if brief.country else rng.choice(catalog.countries)
    return Company(
        name=catalog.draw_text("company", country.code, rng),
        industry=industry.name,
        description=_sub_industry(industry, brief, rng),
        country=country.code,
        currency=country.currency,
        locale=country.locale,
        time_zone=rng.choice(country.time_zones),
    )


def _sub_industry(industry: Industry, brief: Brief, rng: Random) -> str:
    return industry.descriptions.draw(rng) if brief.profile == "compact" else sub_industry(industry, rng)


def _industry_for(brief: Brief, catalog: Catalog, rng: Random) -> Industry:
    """An industry drawn by how well its profile covers the services that the brief asks for."""
    wanted = _wanted_services(brief, catalog)
    industries = catalog.industries
    weights = []
    for industry in industries:
        weight = 1.0
        for kind in wanted:
            weight *= industry.services.get(kind, 0.0)
        weights.append(weight)
    return rng.choices(industries, weights)[0] if any(weights) else rng.choice(industries)


def _wanted_services(brief: Brief, catalog: Catalog) -> list[str]:
    kinds = [*brief.services, *(catalog.resource(r).service for r in brief.resources)]
    return list(dict.fromkeys(kinds))


# ── tables: the plan behind graph and schema ──────────────────────────────────────────────────────


def _tables(context: Context) -> LibraryTables:
    """The first draw that the brief does not ask to avoid; the last one where all are avoided."""
    rng = stream(context.seed, "template", "tables")
    for _ in range(DRAWS):
        drawn = _draw_tables(context, rng)
        if not _avoided(drawn, context):
            break
    return drawn


def _avoided(drawn: LibraryTables, context: Context) -> bool:
    """Whether a world of these tables would have a tool set or a schema that the brief asks to avoid."""
    target = context.brief.target
    if target is None or not (target.avoid or target.avoid_schemas):
        return False
    layout = layout_of(resources_of(_plan(drawn, context.catalog), context.catalog).values())
    return layout.tool_set(drawn.slice) in target.avoid or layout.digest in target.avoid_schemas


def _draw_tables(context: Context, rng: Random) -> LibraryTables:
    """A growing connected set of catalog resources, the slice first.

    The slice spans at least two services that are linked by a reference, so that a rule can cross them.
    """
    company = context.artifacts["company"]
    assert isinstance(company, Company)
    industry = context.catalog.industry(company.industry)
    profile = dict(industry.services)
    for kind in _wanted_services(context.brief, context.catalog):
        profile.setdefault(kind, 1.0)
    if context.brief.profile == "library":
        offered = draw_slice(context.catalog, industry, context.brief.resources, rng)
        return library_tables(offered, context.brief.services, profile, context.catalog, rng)
    tables, chosen = compact_tables(context, profile, SIZES["compact"].slice, SIZES["compact"].tables, rng)
    return LibraryTables(tuple(tables), (), tuple(chosen))


# ── graph and schema ──────────────────────────────────────────────────────────────────────────────


def _graph(context: Context) -> ServiceGraph:
    tables, catalog = _tables(context).tables, context.catalog
    kinds = list(dict.fromkeys(catalog.resource(t).service for t in tables))
    services = tuple(Service(name=k, kind=k, description=catalog.service(k).description) for k in kinds)
    edges: dict[tuple[str, str], Edge] = {}
    for table in tables:
        source = catalog.resource(table).service
        for column in catalog.resource(table).columns:
            if column.ref in tables:
                target = catalog.resource(column.ref).service
                if source != target:
                    reason = f"{table} refers to {column.ref}"
                    edges.setdefault((source, target), Edge(source=source, target=target, reason=reason))
    for kind in kinds[1:]:  # a service that no reference reaches reports to the first
        if all(kind not in pair for pair in edges):
            edges[(kind, kinds[0])] = Edge(
                source=kind, target=kinds[0], reason=f"{kind} reports to {kinds[0]}"
            )
    _connect(edges, kinds)
    return ServiceGraph(services=services, edges=tuple(edges.values()))


def _connect(edges: dict[tuple[str, str], Edge], kinds: list[str]) -> None:
    """Have what no edges lead to report to the first service."""
    reached, waiting = set[str](), kinds[:1]
    for kind in kinds[1:]:
        while waiting:
            here = waiting.pop()
            reached.add(here)
            waiting += [
                end for pair in edges if here in pair for end in pair if end not in reached and end != here
            ]
        if kind not in reached:
            reason = f"{kind} reports to {kinds[0]}"
            edges[(kind, kinds[0])] = Edge(source=kind, target=kinds[0], reason=reason)
            waiting.append(kind)


def _schema(context: Context) -> SchemaPlan:
    return _plan(_tables(context), context.catalog)


def _plan(drawn: LibraryTables, catalog: Catalog) -> SchemaPlan:
    chosen = tuple(CatalogTable(resource=t, service=catalog.resource(t).service) for t in drawn.tables)
    return SchemaPlan(tables=chosen, derived=drawn.derived, slice=drawn.slice)


# ── seed and rules ────────────────────────────────────────────────────────────────────────────────


def _seed(context: Context) -> SeedPlan:
    plan = context.artifacts["schema"]
    assert isinstance(plan, SchemaPlan)
    rng = _rng(context, "seed")
    names = [t.resource for t in plan.tables] + [r.name for r in plan.custom]
    if context.brief.profile == "library":
        return SeedPlan(rows=library_rows(tuple(names), plan.derived, rng))
    low, high = SIZES["compact"].rows
    return SeedPlan(rows={name: rng.randint(low, high) for name in names})


def _rules(context: Context) -> RulePlan:
    plan = context.artifacts["schema"]
    assert isinstance(plan, SchemaPlan)
    rng = _rng(context, "rules")
    resources = resources_of(plan, context.catalog)
    options = [*_crossings(resources, plan.slice), *_crossings(resources, tuple(resources))]
    options = list(dict.fromkeys(options))  # pairs inside the slice first: its tasks can put them at stake
    if not options:
        raise AuthorError("no reference crosses two services, so no rule can; choose other tables")
    pattern = _wanted_pattern(context.brief)
    target = context.brief.target
    distractors = target.difficulty.distractors if target else SIZES[context.brief.profile].distractors
    if context.brief.profile == "library":
        drawn = library_rules(resources, _crossings(resources, plan.slice), options, pattern, rng)
        return RulePlan(rules=drawn, distractors=distractors)
    inside = max(1, len(_crossings(resources, plan.slice)))
    rules: list[Rule] = []
    for number in range(SIZES["compact"].rules):
        child, link, parent = options[number % inside]
        wanted = (
            pattern
            if pattern and number == 0
            else ("record_required", "field_follows")[(number + rng.randrange(2)) % 2]
        )
        rule = _rule(resources[child], link, resources[parent], wanted, rules, rng)
        if rule:
            rules.append(rule)
    return RulePlan(rules=tuple(rules), distractors=distractors)


def _wanted_pattern(brief: Brief) -> str | None:
    cells = brief.target.cells if brief.target else ()
    return next((c.split(":", 1)[1] for c in cells if c.startswith("pattern:")), None)


def _crossings(resources: dict[str, Resource], among: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """(child, link column, parent) for references between different services with both ends in `among`."""
    found = []
    for child, parent in combinations(among, 2):
        for a, b in ((child, parent), (parent, child)):
            for column in resources[a].columns:
                crosses = resources[a].service != resources[b].service
                if column.ref == b and crosses and resources[a].tools and resources[b].tools:
                    found.append((a, column.name, b))
    return found


def _rule(
    child: Resource, link: str, parent: Resource, pattern: str, others: list[Rule], rng: Random
) -> Rule | None:
    """A rule on this reference whose columns no other rule uses; None when every column is taken."""
    taken = {(r.table, r.column) for r in others} | {(r.effect_table, r.effect_column) for r in others}
    triggers = [c for c in ruled_columns(parent) if (parent.name, c.name) not in taken]
    effects = [c for c in ruled_columns(child) if (child.name, c.name) not in taken]
    if not triggers or not effects:
        return None
    trigger, effect = rng.choice(triggers), rng.choice(effects)
    return Rule(
        pattern=pattern,  # type: ignore[arg-type]  # one of the two names above
        table=parent.name,
        column=trigger.name,
        value=rng.choice(trigger.values[1:]),
        effect_table=child.name,
        effect_link=link,
        effect_column=effect.name,
        effect_value=rng.choice(effect.values),
    )
