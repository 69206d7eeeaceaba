"""V08: what an invariant names is declared, and its trigger and effect lie in different services."""

from planet.records.world import Column, Invariant, Resource
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import listed, shown


def rules_cross_services(subject: Subject) -> list[Violation]:
    """V08."""
    found = []
    for invariant in subject.key.invariants:
        problems = [*_undeclared(invariant, subject)] or [*_same_service(invariant, subject)]
        found += [Violation(validator="V08", link="rules", where=invariant.id, message=p) for p in problems]
    return found


def _undeclared(invariant: Invariant, subject: Subject) -> list[str]:
    tables = subject.resources
    for name in (invariant.table, invariant.effect_table):
        if name not in tables:
            return [f"{invariant.id} names table {shown(name)}; tables are {listed(sorted(tables), 40)}"]
    trigger, effect = tables[invariant.table], tables[invariant.effect_table]
    problems = [
        _value_problem(trigger, invariant.column, invariant.value),
        _value_problem(effect, invariant.effect_column, invariant.effect_value),
    ]
    link = _column(effect, invariant.effect_link)
    if link is None or link.ref != trigger.name:
        problems.append(
            f"column {shown(invariant.effect_link)} of {effect.name} does not refer to {trigger.name}"
        )
    return [f"{invariant.id}: {p}" for p in problems if p]


def _value_problem(table: Resource, name: str, value: str) -> str | None:
    column = _column(table, name)
    if column is None:
        return f"table {table.name} has no column {shown(name)}"
    if column.type != "enum":
        return f"{table.name}.{name} is of type {column.type}; a rule is about an enum"
    if value not in column.values:
        return f"{table.name}.{name} cannot be {shown(value)}; it is one of {listed(column.values, 12)}"
    return None


def _column(table: Resource, name: str) -> Column | None:
    return next((c for c in table.columns if c.name == name), None)


def _same_service(invariant: Invariant, subject: Subject) -> list[str]:
    service = subject.resources[invariant.table].service
    if service != subject.resources[invariant.effect_table].service:
        return []
    both = f"{invariant.table} and {invariant.effect_table} both belong to service {shown(service)}"
    way_out = _crossings(invariant, subject)
    return [f"{invariant.id}: {both}; a rule must cross two services{way_out}"]


def _crossings(invariant: Invariant, subject: Subject) -> str:
    """The references on which a rule can be built, so that the report alone shows a way out."""
    tables = subject.resources
    crossing = [
        f"{table.name}.{column.name} to {column.ref}"
        for table in tables.values()
        for column in table.columns
        if column.ref in tables and tables[column.ref].service != table.service
    ]
    if not crossing:
        return ", and no reference does"
    return f"; references that do are {listed(crossing, 8)}{_example(invariant, subject)}"


def _example(invariant: Invariant, subject: Subject) -> str:
    """A rule that crosses and agrees with all but `invariant`; empty when there is none.

    No other rule has its effect, or hangs on it, or moves what triggers it.
    """
    tables = subject.resources
    others = [other for other in subject.key.invariants if other is not invariant]
    effects = {(other.effect_table, other.effect_column) for other in others}
    triggers = {(other.table, other.column) for other in others}
    for child in tables.values():
        for link in child.columns:
            parent = tables.get(link.ref or "")
            if parent is None or parent.service == child.service or not (parent.tools and child.tools):
                continue
            trigger, effect = _free_enum(parent, effects), _free_enum(child, effects | triggers)
            if trigger and effect:
                return (
                    f"; for example, when the {trigger.name} of a {parent.name} is {trigger.values[0]}, "
                    f"the {effect.name} of the {child.name} by {link.name} is {effect.values[0]}"
                )
    return ""


def _free_enum(table: Resource, taken: set[tuple[str, str]]) -> Column | None:
    return next((c for c in table.columns if c.values and (table.name, c.name) not in taken), None)
