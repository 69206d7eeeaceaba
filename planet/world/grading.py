"""Grading by the final state: assertions and invariants at stake as SQL, collateral, behaviour penalties.

score      = share of evidence satisfied
raw_reward = (score - floor) / (1 - floor), clipped to [0, 1]; floor is the score of doing nothing
reward     = raw_reward × every penalty factor
A row changed outside the allowed writes, or another invariant newly broken, voids all-pass and halves the
reward.
"""

import sqlite3
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from planet.errors import GraderError
from planet.identity import canonical_json
from planet.records.episode import Evidence, Grade
from planet.records.frozen import Scalar
from planet.records.task import Assertion, TaskKey
from planet.records.world import Invariant, World
from planet.world.database import quote, violating_ids

if TYPE_CHECKING:
    from planet.world.session import Session

RewardKind = Literal["normalised", "share"]

COLLATERAL_FACTOR = 0.5
DEGENERATE_FACTOR = 0.9  # for each output that could not be read as a call of an offered tool
REPETITION_FACTOR = 0.9  # for each call made a third time or more with equal arguments and equal result
AFTER_ANSWER_FACTOR = 0.5  # once, when any call follows the answer
LOWEST_FACTOR = 0.5  # a counted penalty goes no lower


def grade(session: "Session", at_start: dict[str, bool], reward: RewardKind) -> Grade:
    """The grade of the session's present state. `at_start`: which evidence held before the agent acted."""
    assert session.task is not None
    evidence = examine(session, at_start)
    stake = [e for e in evidence if _counts(session, e)]
    if not stake:
        raise GraderError(f"task {session.task.id} has neither assertions nor invariants at stake")
    satisfied, at_once = sum(e.satisfied for e in stake), sum(not e.violated_at_start for e in stake)
    if at_once == len(stake):
        raise GraderError(
            f"task {session.task.id} is satisfied before anything is done; its audit must refuse it"
        )
    broken = [
        e.name for e in evidence if not _counts(session, e) and not e.satisfied and not e.violated_at_start
    ]
    collateral = tuple(_stray_writes(session) + broken)
    score, floor = satisfied / len(stake), at_once / len(stake)
    # (score - floor) / (1 - floor) in whole numbers, so that equal outcomes give equal floats
    raw = score if reward == "share" else max(0.0, (satisfied - at_once) / (len(stake) - at_once))
    raw *= COLLATERAL_FACTOR if collateral else 1.0
    penalties = _penalties(session)
    total = raw
    for factor in penalties.values():
        total *= factor
    return Grade(
        task_id=session.task.id,
        evidence=tuple(stake),
        score=score,
        floor=floor,
        raw_reward=raw,
        reward=total,
        all_pass=score == 1.0 and not collateral,
        penalties=penalties,
        collateral=collateral,
    )


def examine(session: "Session", at_start: dict[str, bool]) -> list[Evidence]:
    """Check every assertion of the task and every invariant of the world on the present state."""
    assert session.task is not None
    found = []
    for assertion in session.task.key.assertions:
        held = _holds(session.connection, assertion)
        found.append(
            Evidence(
                name=assertion.id,
                kind=assertion.kind,
                table=assertion.table,
                column=assertion.column,
                satisfied=held,
                violated_at_start=not at_start.get(assertion.id, held),
            )
        )
    for invariant in session.image.key.invariants:
        held = not violating_ids(session.connection, session.guard, invariant.sql)
        found.append(_invariant_evidence(invariant, held, at_start.get(invariant.id, held)))
    return found


def _invariant_evidence(invariant: Invariant, held: bool, held_at_start: bool) -> Evidence:
    return Evidence(
        name=invariant.id,
        kind="invariant",
        table=invariant.effect_table,
        column=invariant.effect_column,
        satisfied=held,
        violated_at_start=not held_at_start,
    )


def _counts(session: "Session", evidence: Evidence) -> bool:
    assert session.task is not None
    return evidence.kind != "invariant" or evidence.name in session.task.key.at_stake


def _holds(connection: sqlite3.Connection, assertion: Assertion) -> bool:
    # columns are qualified, because SQLite takes an unknown "name" by itself for a text
    where = " AND ".join(f"t.{quote(c)} IS ?" for c in assertion.where) or "1"
    shown = f"t.{quote(assertion.column)}" if assertion.column else "1"
    try:
        sql = f"SELECT {shown} FROM {quote(assertion.table)} t WHERE {where} LIMIT 2"
        rows = connection.execute(sql, tuple(assertion.where.values())).fetchall()
    except (sqlite3.Error, UnicodeEncodeError, OverflowError) as error:
        raise GraderError(
            f"assertion {assertion.id} on {assertion.table} could not be checked: {error}"
        ) from error
    if assertion.kind == "exists":
        return bool(rows)
    if len(rows) != 1:
        return False
    return same(rows[0][0], assertion.value) == (assertion.kind == "equals")


def same(stored: Any, expected: Scalar) -> bool:
    """Equality of a stored and an expected value: 25 equals 25.0, true equals 1, text is compared exactly."""
    return bool(stored == expected)


# ── collateral ────────────────────────────────────────────────────────────────────────────────────


def _stray_writes(session: "Session") -> list[str]:
    """Rows whose final state differs from the start outside the task's allowed writes, each named once."""
    assert session.task is not None
    allowed: dict[tuple[str, str], set[str]] = {}
    creations: Counter[str] = Counter()
    for permit in session.task.key.allowed:
        if permit.key is None:
            creations[permit.table] += 1
        else:
            allowed.setdefault((permit.table, permit.key), set()).update(permit.columns)
    created = {(w.table, w.key) for w in session.writes if w.created}
    stray: dict[str, None] = {}
    for table, key in sorted(created):
        creations[table] -= 1
        if creations[table] < 0:
            stray[f"{table} {key} created"] = None
    for write in session.writes:
        row = (write.table, write.key)
        if row not in created and _gone(session, *row):
            stray[f"{write.table} {write.key} gone"] = None
            continue
        outside = [c for c in write.columns if c not in allowed.get(row, set())]
        if row not in created and outside:
            stray.update(
                {f"{write.table} {write.key}.{c}": None for c in outside if _changed(session, *row, c)}
            )
    return list(stray)


def _gone(session: "Session", table: str, key: str) -> bool:
    """Whether a row is no longer there: no tool removes one, but a rule about it would hold without it."""
    sql = f'SELECT 1 FROM {quote(table)} WHERE "id" = ?'
    return session.connection.execute(sql, (key,)).fetchone() is None


def _changed(session: "Session", table: str, key: str, column: str) -> bool:
    sql = f'SELECT {quote(column)} FROM {quote(table)} WHERE "id" = ?'
    assert session.task is not None
    now = session.connection.execute(sql, (key,)).fetchone()
    return now is None or not same(
        now[0], start_value(session.image.world, session.task.key, table, key, column)
    )


def start_value(world: World, task: TaskKey, table: str, key: str, column: str) -> Scalar:
    """The value of a cell when an episode begins: seed state, then the delta."""
    resource = world.layout.resource(table)
    index = resource.place(column)
    rows = world.seed.rows.get(table, ())
    value = next((row[index] for row in rows if row[0] == key), None)
    for edit in task.delta:
        if edit.table == table and edit.key == key and column in edit.values:
            value = edit.values[column]
    return value


# ── behaviour penalties ───────────────────────────────────────────────────────────────────────────


def _penalties(session: "Session") -> dict[str, float]:
    found = {}
    if session.malformed:
        found["degenerate"] = max(LOWEST_FACTOR, DEGENERATE_FACTOR**session.malformed)
    repeats = _repeats(session)
    if repeats:
        found["repetition"] = max(LOWEST_FACTOR, REPETITION_FACTOR**repeats)
    if session.after_answer:
        found["after_answer"] = AFTER_ANSWER_FACTOR
    return found


def _repeats(session: "Session") -> int:
    """Calls beyond the second with equal tool, arguments and result; unreadable output counts elsewhere."""
    if len(session.calls) < 3:
        return 0
    seen = Counter(canonical_json([t, a, r.payload, r.error]) for t, a, r in session.calls if t is not None)
    return sum(n - 2 for n in seen.values() if n > 2)
