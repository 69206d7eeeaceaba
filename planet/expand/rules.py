"""Rules: from an author's trigger and effect to the policy page, the hidden check, and a seed that obeys."""

from typing import Any

from planet.errors import AuthorError
from planet.identity import stream
from planet.records.frozen import Frozen
from planet.records.world import Column, Document, Invariant, Pattern, Resource, SeedState
from planet.world.database import quote


class Rule(Frozen):
    """One rule as an author chooses it; `Invariant` says what the fields mean."""

    pattern: Pattern
    table: str
    column: str
    value: str
    effect_table: str
    effect_link: str
    effect_column: str
    effect_value: str


RULE_PHRASES = {
    "record_required": (
        "when the {column} of a {table} becomes {value} , "
        "{service} must hold a {effect} with {effect_column} {effect_value} for it",
        "for every {table} whose {column} is {value} , "
        "there must be a {effect} with {effect_column} {effect_value} in {service}",
    ),
    "field_follows": (
        "when the {column} of a {table} becomes {value} , "
        "set the {effect_column} of its {effect} to {effect_value} in {service}",
        "for every {table} whose {column} is {value} , "
        "each {effect} in {service} must have {effect_column} {effect_value}",
    ),
}
TITLE = "{table} {column} policy"
DISTRACTORS = (
    (
        "{table} {column} notes",
        "the {column} of a {table} is checked each week . no other record must change .",
    ),
    ("{table} review", "{service} keeps every {table} . a {table} is never removed ."),
)
"""Wording of the pages: lower-case words and marks apart, so that who knows the parts can read the page."""


def words(name: str) -> str:
    """An identifier as words."""
    return name.replace("_", " ")


def check_sql(rule: Rule) -> str:
    """One SELECT that returns the ids of violating rows."""
    parent = f'SELECT p."id" FROM {quote(rule.table)} p'
    trigger = f"p.{quote(rule.column)} = {_literal(rule.value)}"
    wanted = _literal(rule.effect_value)
    link = f'c.{quote(rule.effect_link)} = p."id"'
    child = f"{quote(rule.effect_table)} c"
    effect = f"c.{quote(rule.effect_column)}"
    if rule.pattern == "record_required":
        present = f"SELECT 1 FROM {child} WHERE {link} AND {effect} = {wanted}"
        return f"{parent} WHERE {trigger} AND NOT EXISTS ({present})"
    return f"{parent} JOIN {child} ON {link} WHERE {trigger} AND {effect} IS NOT {wanted}"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def rule_page(rule: Rule, services: dict[str, str], phrase: int) -> tuple[str, str]:
    """Title and body of the page that states a rule. `services`: table -> name of its service."""
    phrases = RULE_PHRASES[rule.pattern]
    body = phrases[phrase % len(phrases)].format(
        table=words(rule.table),
        column=words(rule.column),
        value=words(rule.value),
        effect=words(rule.effect_table),
        effect_column=words(rule.effect_column),
        effect_value=words(rule.effect_value),
        service=words(services[rule.effect_table]),
    )
    return TITLE.format(table=words(rule.table), column=words(rule.column)), body + " ."


def expand_rules(
    rules: tuple[Rule, ...],
    distractors: int,
    resources: tuple[Resource, ...],
    services: dict[str, str],
    seed: int,
) -> tuple[tuple[Document, ...], tuple[Invariant, ...]]:
    """Documents in a shuffled order, and the invariants that point to theirs."""
    rng = stream(seed, "documents")
    pages: list[tuple[int | None, str, str]] = []
    for place, rule in enumerate(rules):
        pages.append((place, *rule_page(rule, services, rng.randrange(2))))
    titles = {title for _, title, _ in pages}
    for number in range(distractors):
        title, body = _distractor(resources, services, number, rng)
        if title not in titles:
            titles.add(title)
            pages.append((None, title, body))
    rng.shuffle(pages)
    documents, invariants = [], {}
    for number, (index, title, body) in enumerate(pages, start=1):
        document = Document(id=f"DOC-{number:02d}", title=title, body=body)
        documents.append(document)
        if index is not None:
            invariants[index] = invariant_of(rules[index], f"RULE-{index + 1:02d}", document.id)
    return tuple(documents), tuple(invariants[i] for i in range(len(rules)))


def invariant_of(rule: Rule, name: str, document_id: str) -> Invariant:
    """The grader's form of a rule."""
    return Invariant(id=name, document_id=document_id, sql=check_sql(rule), **rule.model_dump())


def rule_of(invariant: Invariant, **changes: Any) -> Rule:
    """The author's form of a rule, of which its check and its page are made."""
    return Rule(**{**invariant.model_dump(include=set(Rule.model_fields)), **changes})


def _distractor(
    resources: tuple[Resource, ...], services: dict[str, str], number: int, rng: Any
) -> tuple[str, str]:
    resource = rng.choice([r for r in resources if r.tools] or list(resources))
    column = rng.choice([c for c in resource.columns if c.type != "id"])
    title, body = DISTRACTORS[number % len(DISTRACTORS)]
    fields = {
        "table": words(resource.name),
        "column": words(column.name),
        "service": words(services[resource.name]),
    }
    return title.format(**fields), body.format(**fields)


def settle(seed: SeedState, rules: tuple[Rule, ...], resources: tuple[Resource, ...]) -> SeedState:
    """The seed state with every rule obeyed: effects follow their triggers, or the trigger is taken back.

    Rules whose effect is another rule's trigger would need settling in order; authors must not chain them.
    """
    by_name = {r.name: r for r in resources}
    tables = {name: [list(row) for row in rows] for name, rows in seed.rows.items()}
    for rule in rules:
        for name, column in ((rule.table, rule.column), (rule.effect_table, rule.effect_column)):
            if name not in by_name or not any(c.name == column for c in by_name[name].columns):
                raise AuthorError(f"a rule names {name}.{column}, which the world does not have")
        barred = {r.value for r in rules if (r.table, r.column) == (rule.table, rule.column)}
        _settle_rule(tables, rule, by_name, barred)
    return SeedState(rows={name: tuple(map(tuple, rows)) for name, rows in tables.items()})


def _settle_rule(
    tables: dict[str, list[list]], rule: Rule, resources: dict[str, Resource], barred: set[str]
) -> None:
    """`barred`: values of the trigger's column that trigger some rule, to which it is not taken back."""
    parent, child = resources[rule.table], resources[rule.effect_table]
    trigger, link, effect = (
        parent.place(rule.column),
        child.place(rule.effect_link),
        child.place(rule.effect_column),
    )
    values = [v for v in parent.column(rule.column).values if v != rule.value]
    others = [v for v in values if v not in barred] or values
    by_parent: dict[Any, list[list]] = {}
    for c in tables[rule.effect_table]:
        by_parent.setdefault(c[link], []).append(c)
    for number, row in enumerate(tables[rule.table]):
        if row[trigger] != rule.value:
            continue
        children = by_parent.get(row[0], [])
        for c in children if rule.pattern == "field_follows" else children[:1]:
            c[effect] = rule.effect_value
        if rule.pattern == "record_required" and not children:
            row[trigger] = others[number % len(others)]


def ruled_columns(resource: Resource) -> list[Column]:
    """The columns that a rule can be about: choices of three values or more."""
    return [c for c in resource.columns if c.type == "enum" and len(c.values) >= 3]
