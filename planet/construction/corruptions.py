"""One way and another to go wrong at what each validator looks at, as an author would: in an artifact.

A corruption is tried by making the world; the first whose validator fires is used. V07 has none here: rows
follow from counts, so no proposal can leave a reference dangling (`planet.construction.rows` has it).
"""

from collections.abc import Callable, Iterator
from random import Random

from planet.author.artifacts import Artifact, Link, RulePlan, SchemaPlan, SeedPlan
from planet.author.llm.facts import crossings
from planet.construction.ground import Ground
from planet.construction.own_table import with_column, with_table
from planet.expand.plans import resources_of
from planet.expand.rules import Rule
from planet.records.world import Column, Company, Edge, Resource, ServiceGraph

Corrupted = tuple[Link, Artifact]
Corruption = Callable[[Ground, Random], Iterator[Corrupted]]
OwnCorruption = Callable[[Ground, Resource, Random], Iterator[Corrupted]]


def company(ground: Ground, rng: Random) -> Iterator[Corrupted]:
    """V01: another country's money, time or language, a placeholder, a way to reach somebody."""
    right = ground.artifacts["company"]
    assert isinstance(right, Company)
    others = [c for c in ground.catalog.countries if c.currency != right.currency]
    other = rng.choice(others)
    ways: list[dict[str, str]] = [
        {"currency": other.currency},
        {"time_zone": other.time_zones[0]},
        {"name": rng.choice(["Acme Company", "Company Name", "Unnamed", "Example"])},
        {"description": f"{right.description} Write to office@{right.industry}.invalid."},
        {"description": ""},
        {"locale": right.locale.replace("_", "-")},
    ]
    rng.shuffle(ways)
    yield from (("company", right.replace(**way)) for way in ways)


def graph(ground: Ground, rng: Random) -> Iterator[Corrupted]:
    """V02: a service that nothing connects, an unknown kind, an edge into nowhere or onto itself."""
    right = ground.artifacts["graph"]
    assert isinstance(right, ServiceGraph)
    service = rng.choice(right.services)
    apart = tuple(e for e in right.edges if service.name not in (e.source, e.target))
    renamed = tuple(s.replace(kind=f"{s.kind}_office") if s is service else s for s in right.services)
    nowhere = Edge(source=service.name, target=f"{service.name}_office", reason="It is needed.")
    itself = Edge(source=service.name, target=service.name, reason="It needs itself.")
    ways = [
        right.replace(edges=apart),
        right.replace(services=renamed),
        right.replace(edges=(*right.edges, nowhere)),
        right.replace(edges=(*right.edges, itself)),
        right.replace(services=(*right.services, service)),
    ]
    rng.shuffle(ways)
    yield from (("graph", way) for way in ways)


def own_table(ground: Ground, table: Resource, rng: Random) -> Iterator[Corrupted]:
    """V03: a table whose prefix, label, status, description or column names will not do."""
    other = next(r for r in ground.world.layout.resources if r.name != table.name)
    number = next((c for c in table.columns if c.type in ("int", "amount", "date")), table.columns[0])
    ways = [
        table.replace(prefix=other.prefix),
        table.replace(prefix=table.prefix.lower()),
        table.replace(label=number.name),
        table.replace(status=number.name),
        table.replace(description=" "),
        with_column(table, number.name, name=number.name.title()),
        with_column(table, number.name, values=("low", "high")),
    ]
    rng.shuffle(ways)
    yield from (("schema", with_table(ground, way)) for way in ways)


def own_reference(ground: Ground, table: Resource, rng: Random) -> Iterator[Corrupted]:
    """V04: a reference to a table that the world has not, to nothing, or from a column of another type."""
    link = next(c for c in table.columns if c.ref)
    plain = next((c for c in table.columns if c.type in ("int", "date")), link)
    ways = [
        with_column(table, link.name, ref=f"{link.ref}_record"),
        with_column(table, link.name, ref=None),
        with_column(table, plain.name, ref=link.ref) if plain is not link else table,
    ]
    rng.shuffle(ways)
    yield from (("schema", with_table(ground, way)) for way in ways)


def offer(ground: Ground, rng: Random) -> Iterator[Corrupted]:
    """V05: a slice of one table, of one twice, of too many, or of one without tools."""
    right = ground.artifacts["schema"]
    assert isinstance(right, SchemaPlan)
    tables = resources_of(right, ground.catalog)
    bare = tuple(name for name, table in tables.items() if not table.tools)
    ways = [right.slice[:1], (*right.slice, right.slice[0])]
    ways += [(*right.slice, bare[0])] if bare else []
    ways += [tuple(tables)[:7]] if len(tables) > 6 else []
    rng.shuffle(ways)
    yield from (("schema", right.replace(slice=way)) for way in ways)


def rows(ground: Ground, rng: Random) -> Iterator[Corrupted]:
    """V06: a table with too few rows, or left out."""
    right = ground.artifacts["seed"]
    assert isinstance(right, SeedPlan)
    table = rng.choice(sorted(right.rows))
    ways = [{**right.rows, table: count} for count in (0, 1, 2)]
    ways.append({name: count for name, count in right.rows.items() if name != table})
    rng.shuffle(ways)
    yield from (("seed", SeedPlan(rows=way)) for way in ways)


def collapse(ground: Ground, rng: Random) -> Iterator[Corrupted]:
    """V08: both ends of a rule in one service; where no reference allows it, a link that does not link."""
    right, tables = _rules(ground)
    inside = [
        (child, column, tables[column.ref])
        for child in tables.values()
        for column in child.columns
        if column.ref in tables and tables[column.ref].service == child.service and column.ref != child.name
    ]
    rng.shuffle(inside)
    for child, column, parent in inside:
        rule = _rule_on(child, column.name, parent, rng)
        if rule is not None:
            yield "rules", _with_rule(right, rng.randrange(len(right.rules)), rule)
    number = rng.randrange(len(right.rules))
    rule = right.rules[number]
    yield "rules", _with_rule(right, number, rule.replace(effect_link=tables[rule.effect_table].label))


def doubled(ground: Ground, rng: Random) -> Iterator[Corrupted]:
    """V09: the same check twice."""
    right, _ = _rules(ground)
    yield "rules", right.replace(rules=(*right.rules, rng.choice(right.rules)))


def contradiction(ground: Ground, rng: Random) -> Iterator[Corrupted]:
    """V10: two rules that cannot both hold, on records that the seed has."""
    right, tables = _rules(ground)
    candidates = list(crossings(tables))
    rng.shuffle(candidates)
    for child, link, parent in candidates:
        for trigger in _enums(tables[parent]):
            for effect in _enums(tables[child]):
                first, second = rng.sample(effect.values, 2)
                rule = Rule(
                    pattern="field_follows", table=parent, column=trigger.name, value=trigger.values[0],
                    effect_table=child, effect_link=link, effect_column=effect.name, effect_value=first,
                )  # fmt: skip
                yield "rules", right.replace(rules=(*right.rules, rule, rule.replace(effect_value=second)))


def crowd(ground: Ground, rng: Random) -> Iterator[Corrupted]:
    """V11: so many rules on one trigger that a search for it does not show them all on its first page."""
    right, tables = _rules(ground)
    candidates = list(crossings(tables))
    rng.shuffle(candidates)
    for child, link, parent in candidates:
        for trigger in _enums(tables[parent]):
            crowded = [
                Rule(
                    pattern="field_follows", table=parent, column=trigger.name, value=value,
                    effect_table=child, effect_link=link, effect_column=effect.name,
                    effect_value=effect.values[place % len(effect.values)],
                )
                for place, value in enumerate(trigger.values)
                for effect in _enums(tables[child])
            ]  # fmt: skip
            if len(crowded) > 5:
                yield "rules", right.replace(rules=tuple(crowded))


def own_default(ground: Ground, table: Resource, rng: Random) -> Iterator[Corrupted]:
    """V12: a default that no new record can be stored with, or only one."""
    link = next(c for c in table.columns if c.ref)
    prefix = ground.world.layout.resource(link.ref or "").prefix
    ways = [
        with_column(table, link.name, default=f"{prefix}-0000"),
        with_column(table, table.label, default="New", unique=True, required=True),
    ]
    rng.shuffle(ways)
    yield from (("schema", with_table(ground, way)) for way in ways)


CORRUPTIONS: dict[str, Corruption] = {
    "V01": company,
    "V02": graph,
    "V05": offer,
    "V06": rows,
    "V08": collapse,
    "V09": doubled,
    "V10": contradiction,
    "V11": crowd,
}
"""Validator -> ways to go wrong in the world as it is."""
OWN_CORRUPTIONS: dict[str, OwnCorruption] = {"V03": own_table, "V04": own_reference, "V12": own_default}
"""Validator -> ways to go wrong in a table of the author's own."""


def _rules(ground: Ground) -> tuple[RulePlan, dict[str, Resource]]:
    plan, schema = ground.artifacts["rules"], ground.artifacts["schema"]
    assert isinstance(plan, RulePlan) and isinstance(schema, SchemaPlan)
    return plan, resources_of(schema, ground.catalog)


def _with_rule(plan: RulePlan, number: int, rule: Rule) -> RulePlan:
    rules = (*plan.rules[:number], rule, *plan.rules[number + 1 :])
    return plan.replace(rules=rules)  # type: ignore[no-any-return]


def _rule_on(child: Resource, link: str, parent: Resource, rng: Random) -> Rule | None:
    triggers, effects = _enums(parent), _enums(child)
    if not triggers or not effects:
        return None
    trigger, effect = rng.choice(triggers), rng.choice(effects)
    return Rule(
        pattern=rng.choice(("record_required", "field_follows")),
        table=parent.name,
        column=trigger.name,
        value=rng.choice(trigger.values),
        effect_table=child.name,
        effect_link=link,
        effect_column=effect.name,
        effect_value=rng.choice(effect.values),
    )


def _enums(table: Resource) -> list[Column]:
    return [c for c in table.columns if c.type == "enum" and len(c.values) >= 2]
