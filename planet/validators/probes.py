"""V10: every check holds on the seed state and bites: breaking the rule is caught, obeying it is not.

A check is tried on states made inside a savepoint that is rolled back: in each, one row has the trigger or
another value, and its effect rows have the effect or not. The effect rows of all other records are made the
opposite, so that a check that looks at the wrong records shows it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from planet.errors import GraderError
from planet.records.world import Column, Invariant
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import listed
from planet.world.database import quote, violating_ids

PROBED_ROWS = 8
"""Rows on which a breach is tried; those that have an effect row already come first."""


class State(NamedTuple):
    """What one row of the trigger's table, and the effect rows that point to it, are made to be."""

    value: str  # of the trigger's column
    effects: tuple[bool, ...]  # as many effect rows at least, the last of them and all further ones alike


def checks_hold_and_bite(subject: Subject) -> list[Violation]:
    """V10."""
    found = []
    for invariant in subject.key.invariants:
        try:
            problem = _problem(invariant, subject)
        except GraderError as error:  # a changed state can make a check run longer than the seed state did
            problem = str(error)
        if problem:
            message = f"{invariant.id} {problem}"
            found.append(Violation(validator="V10", link="rules", where=invariant.id, message=message))
    return found


def _problem(invariant: Invariant, subject: Subject) -> str | None:
    broken = violating_ids(subject.tables, subject.guard, invariant.sql)
    if broken:
        return f"does not hold on the seed state: {listed(broken)} of {invariant.table} violate it"
    breach, obeyed = State(invariant.value, (False,)), State(invariant.value, (True,))
    keys = _rows(invariant, subject.tables)
    caught = next((key for key in keys if _flags(invariant, subject, key, breach)), None)
    if caught is None:
        return (
            f"is vacuous: {invariant.table}.{invariant.column} = {invariant.value} without its effect in "
            f"{invariant.effect_table} is not caught"
        )
    if _flags(invariant, subject, caught, obeyed):
        return f"cannot be obeyed: it flags {invariant.table} {caught} though the effect is in place"
    for state, due, what in _finer(invariant, subject):
        flagged = _flags(invariant, subject, caught, state)
        if flagged is not None and flagged != due:
            verb = "flags" if flagged else "does not catch"
            return f"{verb} {invariant.table} {caught} {what}, which is not what {invariant.pattern} means"
    return None


def _finer(invariant: Invariant, subject: Subject) -> Iterator[tuple[State, bool, str]]:
    """(state, whether the check has to flag it, the state in words) that tell a rule from those beside it."""
    required, effect = invariant.pattern == "record_required", invariant.effect_table
    yield State(invariant.value, ()), required, f"without any {effect}"
    yield State(invariant.value, (True, False)), not required, f"with one {effect} right and another wrong"
    column = subject.resources[invariant.table].column(invariant.column)
    for value in _others(column, invariant.value):
        yield State(value, (False,)), False, f"whose {column.name} is {value!r}"


def _rows(invariant: Invariant, connection: sqlite3.Connection) -> list[str]:
    table, child, link = map(quote, (invariant.table, invariant.effect_table, invariant.effect_link))
    childless = f'(SELECT count(*) = 0 FROM {child} c WHERE c.{link} = p."id")'
    sql = f'SELECT p."id" FROM {table} p ORDER BY {childless}, p."id" LIMIT {PROBED_ROWS}'
    return [row[0] for row in connection.execute(sql)]


def _flags(invariant: Invariant, subject: Subject, key: str, state: State) -> bool | None:
    """Whether the check names row `key` in the state; None when the tables cannot take the state."""
    with _undone(subject.tables) as connection:
        try:
            _make(connection, invariant, subject, key, state)
        except sqlite3.IntegrityError:
            return None
        return key in violating_ids(connection, subject.guard, invariant.sql)


def _make(
    connection: sqlite3.Connection, invariant: Invariant, subject: Subject, key: str, state: State
) -> None:
    table, child, link = map(quote, (invariant.table, invariant.effect_table, invariant.effect_link))
    column = quote(invariant.effect_column)
    connection.execute(f'UPDATE {table} SET {quote(invariant.column)} = ? WHERE "id" = ?', (state.value, key))
    if not state.effects:
        _unlink(connection, invariant, key)
        return
    held = connection.execute(f"SELECT count(*) FROM {child} WHERE {link} = ?", (key,)).fetchone()[0]
    spare = f'SELECT "id" FROM {child} WHERE {link} IS NOT ? ORDER BY "id" LIMIT ?'
    more = (key, key, max(0, len(state.effects) - held))
    connection.execute(f'UPDATE {child} SET {link} = ? WHERE "id" IN ({spare})', more)
    effect = subject.resources[invariant.effect_table].column(invariant.effect_column)
    wrong = next(_others(effect, invariant.effect_value))
    last = state.effects[-1]
    values = (invariant.effect_value, wrong) if last else (wrong, invariant.effect_value)
    each = f"UPDATE {child} SET {column} = CASE WHEN {link} = ? THEN ? ELSE ? END"
    alone = f" WHERE {link} = ?" if effect.unique else ""  # others cannot hold one value together
    connection.execute(each + alone, (key, *values, key) if effect.unique else (key, *values))
    if state.effects[0] != last:
        first = f'SELECT min("id") FROM {child} WHERE {link} = ?'
        connection.execute(f'UPDATE {child} SET {column} = ? WHERE "id" = ({first})', (values[1], key))


def _unlink(connection: sqlite3.Connection, invariant: Invariant, key: str) -> None:
    """Give the row's effect rows to another record."""
    table, child, link = map(quote, (invariant.table, invariant.effect_table, invariant.effect_link))
    other = f'(SELECT min("id") FROM {table} WHERE "id" <> ?)'
    connection.execute(f"UPDATE {child} SET {link} = {other} WHERE {link} = ?", (key, key))


def _others(column: Column, value: str) -> Iterator[str]:
    """Values of the column but the one given."""
    return (other for other in column.values if other != value)


@contextmanager
def _undone(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("SAVEPOINT probe")
    try:
        yield connection
    finally:
        connection.execute("ROLLBACK TO probe")
        connection.execute("RELEASE probe")
