"""V09: hidden checks are single read-only SELECTs over declared columns inside a step limit.

Text first: one statement, no comment, no name that SQLite would take for text for want of such a column. Then
the check runs as it runs in a session (`violating_ids` reads its text, too), and SQLite tells what it reads.
"""

import re
import sqlite3

from planet.errors import GraderError
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import listed, shown
from planet.world.database import Guard, violating_ids
from planet.world.untrusted_sql import LONGEST

_LITERAL = re.compile(r"'(?:[^']|'')*'")
_QUOTED_NAME = re.compile(r'"((?:[^"]|"")*)"')


class _Witness:
    """The guard, and a record of the columns read by what is prepared under it."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.read: set[tuple[str, str]] = set()

    def __call__(self, action: int, first: str | None, second: str | None, *rest: object) -> int:
        if action == sqlite3.SQLITE_READ:
            self.read.add(((first or "").lower(), (second or "").lower()))
            return sqlite3.SQLITE_OK  # what is foreign is named afterwards
        return self.guard(action, first, second, *rest)


def checks_are_selects(subject: Subject) -> list[Violation]:
    """V09."""
    found: list[Violation] = []
    seen: dict[str, str] = {}
    witness = _Witness(subject.guard)
    subject.tables.set_authorizer(witness)  # what was prepared before is prepared anew: no read is missed
    for invariant in subject.key.invariants:
        if invariant.sql in seen:
            problem: str | None = f"has the same check as {seen[invariant.sql]}; leave one of them out"
        else:
            problem = _text_problem(invariant.sql, subject) or _run_problem(invariant.sql, subject, witness)
        seen.setdefault(invariant.sql, invariant.id)
        if problem:
            message = f"{invariant.id} {problem}"
            found.append(Violation(validator="V09", link="rules", where=invariant.id, message=message))
    subject.tables.set_authorizer(subject.guard)
    return found


def _text_problem(sql: str, subject: Subject) -> str | None:
    if len(sql) > LONGEST or not sql.replace("\n", " ").isprintable():
        return f"must be printable SQL of at most {LONGEST} characters, not {shown(sql)}"
    bare = _LITERAL.sub("''", sql)
    names = set(_QUOTED_NAME.findall(bare))
    outside = _QUOTED_NAME.sub('""', bare)
    if not outside.lstrip().lower().startswith("select"):
        return f"must be one SELECT, not {shown(sql)}"
    if ";" in outside or "--" in outside or "/*" in outside:
        return f"must be one statement without ; or comment: {shown(sql)}"
    declared = {c.name for r in subject.resources.values() for c in r.columns} | subject.resources.keys()
    unknown = sorted(names - declared)
    return f"names {listed([shown(n) for n in unknown])}, which is no table or column" if unknown else None


def _run_problem(sql: str, subject: Subject, witness: _Witness) -> str | None:
    witness.read.clear()
    try:
        violating_ids(subject.tables, subject.guard, sql)
    except GraderError as error:
        return str(error)
    declared = {
        r.name: {c.name for c in r.columns} | {""} for r in subject.resources.values()
    }  # "": count(*)
    foreign = sorted(f"{t}.{c}" for t, c in witness.read if c not in declared.get(t, set()))
    return f"reads {listed(foreign)}, which the world does not declare" if foreign else None
