"""Rules, edits, calls and assertions in words; and text from a file made safe to show."""

import json
from typing import Any

from planet.records.task import AllowedWrite, Assertion, Edit, PlannedCall
from planet.records.world import Column, Invariant, Resource


def plain(text: str) -> str:
    """`text` with what is not printable written out: it cannot move a cursor, nor turn a line around."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(value: Any) -> str:
    """A value as JSON on one line."""
    return plain(json.dumps(value, ensure_ascii=False))


def kind_of(resource: Resource, column: Column) -> str:
    """What a column holds, in a few words."""
    if column.ref:
        return f"-> {column.ref}"
    mark = {resource.label: ", label", resource.status: ", status"}.get(column.name, "")
    return column.type + mark + (f": {' '.join(column.values)}" if column.values else "")


def rule_told(rule: Invariant) -> str:
    """A rule by the names of its tables and columns."""
    every = "every" if rule.pattern == "field_follows" else "a"
    trigger = f"when {rule.table}.{rule.column} is {rule.value}"
    effect = f"{every} {rule.effect_table} linked by {rule.effect_link} has {rule.effect_column}"
    return f"{trigger}, {effect} {rule.effect_value}"


def edit_told(edit: Edit) -> str:
    """One change that is made before the episode begins."""
    if edit.op == "delete":
        return f"{edit.table} {edit.key} is deleted"
    values = _pairs(edit.values)
    return (
        f"{edit.table} {edit.key} is created with {values}"
        if edit.op == "insert"
        else (f"{edit.table} {edit.key} gets {values}")
    )


def call_told(call: PlannedCall) -> str:
    """One call of a plan."""
    return f"{call.tool} {shown(call.arguments)}"


def assertion_told(assertion: Assertion) -> str:
    """What must hold at the end."""
    where = _pairs(assertion.where) or "any values"
    if assertion.kind == "exists":
        return f"there is a row of {assertion.table} with {where}"
    verb = "is" if assertion.kind == "equals" else "is not"
    return f"of the {assertion.table} with {where}, {assertion.column} {verb} {shown(assertion.value)}"


def allowed_told(permit: AllowedWrite) -> str:
    """What a solution may change."""
    if permit.key is None:
        return f"one new {permit.table}"
    return f"{', '.join(permit.columns)} of {permit.table} {permit.key}"


def _pairs(values: dict[str, Any]) -> str:
    return " and ".join(f"{name} {shown(value)}" for name, value in values.items())
