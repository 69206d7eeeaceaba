"""Other values of a column: near ones that are wrong, and any that an open column may hold."""

from datetime import date, timedelta
from random import Random
from typing import Any

from planet.records.frozen import Scalar
from planet.records.world import Column, Resource
from tests.planet.second_checker.pages import StatedRule
from tests.planet.second_checker.state import State

CENT = 0.01


def near(column: Column, value: Any) -> list[Scalar]:
    """The values next to `value`: a cent, a unit, a day, or a step of an enum up and down."""
    if column.type == "amount":
        return [round(value + CENT, 2), round(value - CENT, 2)]
    if column.type == "int":
        return [value + 1, value - 1]
    if column.type == "date":
        day = date.fromisoformat(value)
        return [(day + timedelta(days=step)).isoformat() for step in (1, -1)]
    if column.type == "enum":
        place = column.values.index(value)
        around = [(place + step) % len(column.values) for step in (1, -1)]
        return [column.values[p] for p in dict.fromkeys(around) if p != place]
    return []


def another(column: Column, *taken: Any) -> Scalar:
    """A value of a column that an instruction can set, which is none of `taken`; None when there is none."""
    start: dict[str, Any] = {
        "amount": 100.0,
        "int": 10,
        "date": "2026-05-05",
        "enum": (column.values or ("",))[0],
    }
    if column.type not in start:
        return None
    queue, seen = [start[column.type]], set(taken)
    for value in queue:
        if value not in seen:
            return value
        queue += [v for v in near(column, value) if v not in queue]
        if len(queue) > 40:
            return None
    return None


def respelled(value: Scalar) -> Scalar:
    """The same number spelled the other way, 25 for 25.0; other values as they are."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return float(value) if isinstance(value, int) else int(value) if value.is_integer() else value


def sent(column: Column, stored: Any) -> Any:
    """A stored cell as a tool takes it: true and false for 1 and 0."""
    return bool(stored) if column.type == "bool" and stored is not None else stored


def open_values(
    resource: Resource, fixed: dict[str, Any], rules: tuple[StatedRule, ...], start: State, rng: Random
) -> dict[str, Any]:
    """A value for every column of a new record that nobody asked about, such that no page is broken.

    Enums trigger no rule, references point to records that trigger none.
    """
    found: dict[str, Any] = {}
    for column in resource.columns:
        if column.type == "id" or column.name in fixed:
            continue
        value: Any = None
        if column.type == "enum":
            barred = {r.value for r in rules if (r.table, r.column) == (resource.name, column.name)}
            value = rng.choice([v for v in column.values if v not in barred] or [None])
        elif column.type == "ref" and column.ref in start.rows:
            value = rng.choice(_quiet(column.ref, rules, start) or [None])
        else:
            value = {"text": f"own words {rng.randrange(10**9)}", "bool": rng.random() < 0.5}.get(
                column.type, another(column)
            )
        if value is not None:
            found[column.name] = value
    return found


def _quiet(table: str, rules: tuple[StatedRule, ...], start: State) -> list[str]:
    loud = {k for r in rules if r.table == table for k in start.where(table, **{r.column: r.value})}
    return [key for key in start.rows[table] if key not in loud][:10]
