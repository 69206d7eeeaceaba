"""What a model must know to propose a link: the choices that the catalog and the links so far leave it."""

from collections.abc import Iterable

from planet.author.artifacts import Artifact, Context, Link, SchemaPlan
from planet.author.sizes import SIZES
from planet.catalog import Catalog
from planet.expand.plans import resources_of
from planet.identity import canonical_json
from planet.records.world import Column, Resource, ServiceGraph


def facts_for(link: Link, context: Context) -> str:
    """The facts for one link, as lines."""
    return "\n".join(_FACTS[link](context))


def _company(context: Context) -> Iterable[str]:
    catalog = context.catalog
    yield "Industries (name: title):"
    yield from (f"- {industry.name}: {industry.title}" for industry in catalog.industries)
    yield "Countries (code: name, currency, locale, time zones):"
    for c in catalog.countries:
        yield f"- {c.code}: {c.name}, {c.currency}, {c.locale}, {' or '.join(c.time_zones)}"


def _graph(context: Context) -> Iterable[str]:
    yield f"Choose {_range(SIZES[context.brief.profile].services)} services."
    yield "Kinds of service (kind: what it does; its tables):"
    for kind in context.catalog.services:
        tables = ", ".join(resource.name for resource in kind.resources)
        yield f"- {kind.kind}: {kind.description} Tables: {tables}."
    yield "A kind that is not listed may be declared in `kinds`; its tables are then all of your own."


def _schema(context: Context) -> Iterable[str]:
    graph = context.artifacts["graph"]
    assert isinstance(graph, ServiceGraph)
    sizes, catalog = SIZES[context.brief.profile], context.catalog
    yield f"Choose {_range(sizes.tables)} tables in all, and {_range(sizes.slice)} of them for the slice."
    if sizes.derived[1]:
        yield (
            f"Name {_range(sizes.derived)} tables in `derived` besides; they have no tools, and their "
            "columns follow: positions of a table with an amount in currency, history of a table, link of "
            "two tables of two services that do not refer to each other."
        )
    known = {kind.kind: kind for kind in catalog.services}
    for service in graph.services:
        yield f"Tables of the catalog for service {service.name}:"
        if service.kind not in known:
            yield "- none; all of its tables are your own"
            continue
        for entry in known[service.kind].resources:
            tools = "" if entry.tools else ", without tools"
            yield f"- {entry.name}{tools}: {_columns(entry.columns)}"
    yield f"Text pools for text columns of your own tables: {', '.join(sorted(catalog.pools))}."
    yield f"Tables of your own go into `custom`; prefixes that are taken: {_prefixes(catalog)}."


def _seed(context: Context) -> Iterable[str]:
    sizes = SIZES[context.brief.profile]
    total = f", about {sizes.total:,} in all" if sizes.total else ""
    yield f"Give each of these tables {_range(sizes.rows)} rows{total}: {', '.join(_tables(context))}."


def _rules(context: Context) -> Iterable[str]:
    tables = _tables(context)
    sizes, target = SIZES[context.brief.profile], context.brief.target
    pages = target.difficulty.distractors if target else sizes.distractors
    yield f"State {sizes.rules} rules and {pages} distractors."
    yield "Tables (service; columns):"
    for table in tables.values():
        tools = "" if table.tools else ", without tools"
        yield f"- {table.name} ({table.service}{tools}): {_columns(table.columns[1:])}"
    yield "References that cross two services:"
    for child, column, parent in crossings(tables):
        yield f"- {child}.{column} to {parent}"


def _tables(context: Context) -> dict[str, Resource]:
    plan = context.artifacts["schema"]
    assert isinstance(plan, SchemaPlan)
    return resources_of(plan, context.catalog)


_FACTS = {"company": _company, "graph": _graph, "schema": _schema, "seed": _seed, "rules": _rules}


def crossings(tables: dict[str, Resource]) -> list[tuple[str, str, str]]:
    """(child, column, parent) of every reference between tables with tools of two services."""
    return [
        (child.name, column.name, column.ref)
        for child in tables.values()
        for column in child.columns
        if column.ref in tables
        and child.tools
        and tables[column.ref].tools
        and tables[column.ref].service != child.service
    ]


def _columns(columns: Iterable[Column]) -> str:
    return ", ".join(_column(column) for column in columns)


def _column(column: Column) -> str:
    if column.type == "enum":
        return f"{column.name} enum({'|'.join(column.values)})"
    return f"{column.name} ref({column.ref})" if column.type == "ref" else f"{column.name} {column.type}"


def _prefixes(catalog: Catalog) -> str:
    return ", ".join(sorted(resource.prefix for resource in catalog.resources.values()))


def _range(ends: tuple[int, int]) -> str:
    low, high = ends
    return str(low) if low == high else f"{low} to {high}"


def proposal(link: Link, artifact: Artifact) -> str:
    """An artifact as a model writes it: JSON without what is as by default."""
    return canonical_json(so_far({link: artifact})[link])


def so_far(artifacts: dict[Link, Artifact]) -> dict[str, object]:
    """The links that were proposed before this one, as JSON without what is as by default."""
    return {link: made.model_dump(mode="json", exclude_defaults=True) for link, made in artifacts.items()}
