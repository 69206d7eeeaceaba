"""V06 and V07: the seed rows load, and no reference dangles."""

import sqlite3
from collections import Counter
from typing import Any

from planet.records.world import Column, Resource
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import listed, shown
from planet.validators.values import fit_of

MINIMUM_ROWS = 3
"""Fewest rows of a table: with fewer, finding the right record asks nothing of an agent."""


def rows_load(subject: Subject) -> list[Violation]:
    """V06. At most one finding per column, so that a report stays readable."""
    found = []
    rows = subject.world.seed.rows
    for name in rows.keys() - subject.resources.keys():
        found.append(_fault("V06", name, f"there are rows for {shown(name)}, which is no table"))
    for resource in subject.world.layout.resources:
        found += _table(resource, rows.get(resource.name, ()))
    if found:
        return found
    try:
        _ = subject.tables
    except sqlite3.Error as error:
        return [_fault("V06", "seed", f"the seed rows do not load: {error}")]
    return []


def _table(resource: Resource, rows: tuple[tuple[Any, ...], ...]) -> list[Violation]:
    name, width = resource.name, len(resource.columns)
    if len(rows) < MINIMUM_ROWS:
        return [_fault("V06", name, f"table {name} has {len(rows)} rows; it needs at least {MINIMUM_ROWS}")]
    for number, row in enumerate(rows):
        if len(row) != width:
            return [_fault("V06", name, f"row {number} of {name} has {len(row)} values for {width} columns")]
    found = []
    for column, values in zip(resource.columns, zip(*rows, strict=True), strict=True):
        problem = _values(column, resource, values)
        if problem:
            where = f"{name}.{column.name}"
            found.append(_fault("V06", where, f"{where} {problem}"))
    return found


def _values(column: Column, resource: Resource, values: tuple[Any, ...]) -> str | None:
    """What is wrong with the values of one column, in words."""
    is_valid, kind = fit_of(column, resource)
    for number, value in enumerate(values):
        if value is None:
            if column.required or column.type == "id":
                return f"is required but empty in row {number}"
        elif not is_valid(value):
            return f"holds {shown(value)} in row {number}; it must be {kind}"
    if column.unique or column.type == "id":
        counts = Counter(v for v in values if v is not None)
        repeated = next((v for v, count in counts.items() if count > 1), None)
        if repeated is not None:
            return f"is unique but holds {shown(repeated)} {counts[repeated]} times"
    return None


def no_reference_dangles(subject: Subject) -> list[Violation]:
    """V07. One record has one key wherever it is named, across services too."""
    found = []
    rows = subject.world.seed.rows
    keys = {name: {row[0] for row in table} for name, table in rows.items()}
    for resource in subject.world.layout.resources:
        for index, column in enumerate(resource.columns):
            if column.ref is None:
                continue
            held = {row[index] for row in rows[resource.name]} - {None}
            lost = sorted(held - keys[column.ref])
            if lost:
                where = f"{resource.name}.{column.name}"
                message = f"{where} holds {listed(lost)}, which no row of {column.ref} has as its id"
                found.append(_fault("V07", where, message))
    return found


def _fault(validator: str, where: str, message: str) -> Violation:
    return Violation(validator=validator, link="seed", where=where, message=message)
