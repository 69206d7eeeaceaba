"""Plans that cannot be expanded: what an author proposed, checked before rows, pages and SQL are made of it.

The validators judge worlds; this judges whether there can be one. A fault names the value, so that the author
can repair it.
"""

from collections import Counter
from math import isfinite

from planet.author.artifacts import Artifact, Link, RulePlan, SchemaPlan, SeedPlan
from planet.catalog import Catalog, to_resource
from planet.errors import AuthorError, CatalogError
from planet.expand.derived import OWNERS, derived_table
from planet.expand.rows import parents_first
from planet.expand.rules import Rule
from planet.records.world import Column, Company, Resource

MOST_TABLES = 60
MOST_COLUMNS = 60
MOST_ROWS = 5_000
"""In one table; seed states are read row by row when tasks are drafted."""
MOST_RULES = 60
MOST_DISTRACTORS = 50
UNIQUE_TYPES = ("id", "text")
"""Of columns whose rows are drawn so that no value comes twice."""
_LARGEST = 1e15
"""Of an amount; beyond it, cents are no longer exact."""


def resources_of(plan: SchemaPlan, catalog: Catalog) -> dict[str, Resource]:
    """The tables of a schema plan as resources; references to absent tables are left out."""
    present = frozenset([t.resource for t in plan.tables] + [r.name for r in plan.custom])
    made = [to_resource(catalog.resource(t.resource), t.service, present) for t in plan.tables]
    tables = {r.name: r for r in (*made, *plan.custom)}
    links = 0
    for derived in plan.derived:
        owners = tuple(tables[name] for name in derived.of)
        tables[derived.name] = derived_table(derived, owners, links)
        links += derived.kind == "link"
    return tables


def artifact_faults(artifact: Artifact, earlier: dict[Link, Artifact], catalog: Catalog) -> tuple[str, ...]:
    """Why no world can be made of `artifact` and the links `earlier` than it; empty when one can."""
    if isinstance(artifact, Company):
        return tuple(_of_company(artifact, catalog))
    if isinstance(artifact, SchemaPlan):
        return tuple(_of_schema(artifact, catalog))
    if isinstance(artifact, SeedPlan):
        return tuple(_of_seed(artifact))
    if isinstance(artifact, RulePlan):
        schema = earlier["schema"]
        assert isinstance(schema, SchemaPlan)
        return tuple(_of_rules(artifact, resources_of(schema, catalog)))
    return ()


def _of_company(company: Company, catalog: Catalog) -> list[str]:
    try:
        catalog.country(company.country)
    except CatalogError as error:
        return [str(error)]
    return []


# ── schema ────────────────────────────────────────────────────────────────────────────────────────


def _of_schema(plan: SchemaPlan, catalog: Catalog) -> list[str]:
    names = [t.resource for t in plan.tables] + [r.name for r in plan.custom]
    odd = next((d for d in plan.derived if len(d.of) != OWNERS[d.kind] or not set(d.of) <= set(names)), None)
    if odd:
        return [f"{odd.name!r} needs {OWNERS[odd.kind]} of the tables to belong to, not {list(odd.of)}"]
    names += [d.name for d in plan.derived]
    if not 1 <= len(names) <= MOST_TABLES:
        return [f"a world has 1 to {MOST_TABLES} tables, not {len(names)}"]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        return [f"table {twice[0]!r} stands twice; rename or drop one"]
    absent = sorted(set(plan.slice) - set(names))
    if absent:
        return [f"the slice names {absent[0]!r}, which is no table of the world"]
    problems = []
    for table in plan.tables:
        try:
            catalog.resource(table.resource)
        except CatalogError as error:
            problems.append(str(error))
    for resource in plan.custom:
        problems += _of_table(resource, catalog)
    if not problems:
        problems += _of_derived(plan)
    if not problems:
        try:
            parents_first(tuple(resources_of(plan, catalog).values()))
        except AuthorError as error:
            problems.append(str(error))
    return problems


def _of_derived(plan: SchemaPlan) -> list[str]:
    """A history repeats the values of a status; a link refers to two tables by their names."""
    custom = {resource.name: resource for resource in plan.custom}
    problems = []
    for derived in plan.derived:
        if len(set(derived.of)) < len(derived.of):
            problems.append(f"{derived.name!r} joins {derived.of[0]!r} with itself; name two tables")
        owner = custom.get(derived.of[0])
        if derived.kind == "history" and owner and not _enum_values(owner, owner.status):
            problems.append(f"{derived.name!r} repeats {owner.name}.{owner.status}, which is no enum of it")
    return problems


def _enum_values(resource: Resource, name: str) -> tuple[str, ...]:
    """The values of a column; none when it is no enum of the table."""
    return next((c.values for c in resource.columns if c.name == name and c.type == "enum"), ())


def _of_table(resource: Resource, catalog: Catalog) -> list[str]:
    name, columns = resource.name, resource.columns
    if not 2 <= len(columns) <= MOST_COLUMNS or columns[0].type != "id":
        return [f"table {name!r} needs an id column, then 1 to {MOST_COLUMNS - 1} more"]
    ids = [c.name for c in columns if c.type == "id"]
    if len(ids) > 1:
        return [f"table {name!r} has the id columns {ids[0]!r} and {ids[1]!r}; make the second a text"]
    twice = next((n for n, count in Counter(c.name for c in columns).items() if count > 1), None)
    if twice is not None:
        return [f"table {name!r} has column {twice!r} twice; rename or drop one"]
    refs = [c for c in columns if c.type == "ref" and c.ref]
    again = next((c for n, c in enumerate(refs) if c.ref in [b.ref for b in refs[:n]]), None)
    if again is not None:
        return [f"column {name}.{again.name} is a second reference to {again.ref!r}; drop one of them"]
    found = [_of_column(column, catalog) for column in columns]
    return [
        f"column {name}.{c.name}: {problem}" for c, problem in zip(columns, found, strict=True) if problem
    ]


def _of_column(column: Column, catalog: Catalog) -> str | None:
    if column.type == "enum" and not column.values:
        return "an enum needs values"
    if column.unique and column.type not in UNIQUE_TYPES:
        return f"unique is for text columns, not for {column.type}; leave it out"
    if column.type == "text" and (column.pool or "subject") not in catalog.pools:
        return f"no text pool {column.pool!r}; use one of {', '.join(sorted(catalog.pools))}"
    if not (isfinite(column.low) and isfinite(column.high) and column.low <= column.high):
        return f"bounds {column.low:g} to {column.high:g} are no range"
    if max(abs(column.low), abs(column.high)) > _LARGEST:
        return f"bounds {column.low:g} to {column.high:g} go beyond {_LARGEST:g}"
    return None


# ── seed and rules ────────────────────────────────────────────────────────────────────────────────


def _of_seed(plan: SeedPlan) -> list[str]:
    return [
        f"table {name!r} is given {count} rows; give 0 to {MOST_ROWS}"
        for name, count in plan.rows.items()
        if not 0 <= count <= MOST_ROWS
    ]


def _of_rules(plan: RulePlan, tables: dict[str, Resource]) -> list[str]:
    if len(plan.rules) > MOST_RULES:
        return [f"{len(plan.rules)} rules; state at most {MOST_RULES}"]
    if not 0 <= plan.distractors <= MOST_DISTRACTORS:
        return [f"{plan.distractors} distractor pages; ask for 0 to {MOST_DISTRACTORS}"]
    found = [_of_rule(rule, tables) for rule in plan.rules]
    return [f"rule {number}: {problem}" for number, problem in enumerate(found, start=1) if problem]


def _of_rule(rule: Rule, tables: dict[str, Resource]) -> str | None:
    places = (
        (rule.table, rule.column),
        (rule.effect_table, rule.effect_link),
        (rule.effect_table, rule.effect_column),
    )
    for table, column in places:
        if table not in tables:
            return f"there is no table {table!r}; tables are {', '.join(tables)}"
        if all(c.name != column for c in tables[table].columns):
            return f"table {table} has no column {column!r}"
    trigger = tables[rule.table].column(rule.column)
    effect = tables[rule.effect_table].column(rule.effect_column)
    if trigger.type != "enum" or len(trigger.values) < 2 or rule.value not in trigger.values:
        return f"{rule.table}.{rule.column} is no enum of two values or more with {rule.value!r} among them"
    if effect.type != "enum" or rule.effect_value not in effect.values:
        return (
            f"{rule.effect_table}.{rule.effect_column} is no enum with {rule.effect_value!r} among its values"
        )
    return None
