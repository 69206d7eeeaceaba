"""V10: every check holds on the seed state and bites: breaking the rule is caught, obeying it is not.

A mutation sets a trigger on one row and takes its effect away, inside a savepoint that is rolled back.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from planet.errors import GraderError
from planet.records.world import Invariant, Resource
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import listed
from planet.world.database import quote, violating_ids

PROBED_ROWS = 8
"""Rows on which a mutation is tried; those that have an effect row already come first."""


def checks_hold_and_bite(subject: Subject) -> list[Violation]:
    """V10."""
    found = []
    for invariant in subject.key.invariants:
        try:
            problem = _problem(invariant, subject)
        except GraderError as error:  # a mutated state can make a check run longer than the seed state did
            problem = str(error)
        if problem:
            message = f"{invariant.id} {problem}"
            found.append(Violation(validator="V10", link="rules", where=invariant.id, message=message))
    return found


def _problem(invariant: Invariant, subject: Subject) -> str | None:
    broken = violating_ids(subject.tables, subject.guard, invariant.sql)
    if broken:
        return f"does not hold on the seed state: {listed(broken)} of {invariant.table} violate it"
    caught = next(
        (key for key in _rows(invariant, subject.tables) if _is_flagged(invariant, subject, key, False)), None
    )
    if caught is None:
        return (
            f"is vacuous: {invariant.table}.{invariant.column} = {invariant.value} without its effect in "
            f"{invariant.effect_table} is not caught"
        )
    if _is_flagged(invariant, subject, caught, True):
        return f"cannot be obeyed: it flags {invariant.table} {caught} though the effect is in place"
    return None


def _rows(invariant: Invariant, connection: sqlite3.Connection) -> list[str]:
    table, child, link = map(quote, (invariant.table, invariant.effect_table, invariant.effect_link))
    childless = f'(SELECT count(*) = 0 FROM {child} c WHERE c.{link} = p."id")'
    sql = f'SELECT p."id" FROM {table} p ORDER BY {childless}, p."id" LIMIT {PROBED_ROWS}'
    return [row[0] for row in connection.execute(sql)]


def _is_flagged(invariant: Invariant, subject: Subject, key: str, obeyed: bool) -> bool:
    """Whether the check names row `key` once it triggers, with every effect in place or every effect gone."""
    with _undone(subject.tables) as connection:
        try:
            _mutate(connection, invariant, subject.resources[invariant.effect_table], key, obeyed)
        except sqlite3.IntegrityError:  # the row cannot take the trigger; another may
            return False
        return key in violating_ids(connection, subject.guard, invariant.sql)


def _mutate(
    connection: sqlite3.Connection, invariant: Invariant, effect: Resource, key: str, obeyed: bool
) -> None:
    table, child, link = map(quote, (invariant.table, invariant.effect_table, invariant.effect_link))
    column = quote(invariant.effect_column)
    connection.execute(
        f'UPDATE {table} SET {quote(invariant.column)} = ? WHERE "id" = ?', (invariant.value, key)
    )
    if not connection.execute(f"SELECT 1 FROM {child} WHERE {link} = ? LIMIT 1", (key,)).fetchone():
        connection.execute(
            f'UPDATE {child} SET {link} = ? WHERE "id" = (SELECT min("id") FROM {child})', (key,)
        )
    value = invariant.effect_value if obeyed else _other_value(effect, invariant)
    connection.execute(f"UPDATE {child} SET {column} = ? WHERE {link} = ?", (value, key))


def _other_value(effect: Resource, invariant: Invariant) -> str:
    values = effect.column(invariant.effect_column).values or ("", "other")
    return next(v for v in values if v != invariant.effect_value)


@contextmanager
def _undone(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("SAVEPOINT probe")
    try:
        yield connection
    finally:
        connection.execute("ROLLBACK TO probe")
        connection.execute("RELEASE probe")
