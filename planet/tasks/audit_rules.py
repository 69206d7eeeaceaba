"""The thirteen rules of the audit, each a function from a stage and a task to what is wrong, in words.

`RULES`, at the end, says what each claims and what it needs.
"""

import re
import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple

from planet.errors import GraderError, SessionError
from planet.records.task import PlannedCall, Task
from planet.records.world import World
from planet.tasks.draft import read
from planet.tasks.rehearsal import Rehearsal
from planet.tasks.twin import twin_task
from planet.world.database import quote
from planet.world.grading import examine
from planet.world.session import Session

_WORD = re.compile(r"\w+")
_CLOCK_WORDS = frozenset(
    {"now", "today", "tomorrow", "yesterday", "current_date", "current_timestamp", "strftime"}
)

_RECORDS_READ = 50
"""Of each table, by A07, besides those that the task speaks of."""

Check = Callable[[Rehearsal, Task], str | None]
"""What is wrong, in words; None when the rule holds."""


def delta_is_sound(stage: Rehearsal, task: Task) -> str | None:
    """A01."""
    try:
        stage.session.begin(task)
        evidence = examine(stage.session, {})
    except (SessionError, GraderError) as error:
        return str(error)
    unknown = set(task.key.at_stake) - {e.name for e in evidence if e.kind == "invariant"}
    if unknown:
        return f"{min(unknown)} is said to be at stake and is no rule of the world"
    dangling = stage.session.connection.execute("PRAGMA foreign_key_check").fetchone()
    if dangling:
        return f"the delta leaves a dangling reference in {dangling[0]}"
    for found in evidence:
        if found.kind == "invariant" and not found.satisfied and found.name not in task.key.at_stake:
            return f"the delta breaks {found.name}, which is not at stake"
    return None


def mentions_resolve(stage: Rehearsal, task: Task) -> str | None:
    """A02."""
    stage.session.begin(task)
    for mention in task.key.mentions:
        where = " AND ".join(f"t.{quote(c)} = ?" for c in mention.where)
        sql = f"SELECT COUNT(*) FROM {quote(mention.table)} t WHERE {where}"
        try:
            count = stage.session.connection.execute(sql, tuple(mention.where.values())).fetchone()[0]
        except sqlite3.Error as error:
            return f"{mention.table} with {mention.where} cannot be looked up: {error}"
        if count != 1:
            return f"{mention.table} with {mention.where} names {count} records, not one"
    return None


def assertions_name_what_exists(stage: Rehearsal, task: Task) -> str | None:
    """A03."""
    stage.session.begin(task)
    for assertion in task.key.assertions:
        key = assertion.where.get("id")
        if key is not None:
            sql = f'SELECT 1 FROM {quote(assertion.table)} WHERE "id" = ?'
            if stage.session.connection.execute(sql, (key,)).fetchone() is None:
                return f"assertion {assertion.id} names {key}, which does not exist before the episode"
    return None


def no_clock(stage: Rehearsal, task: Task) -> str | None:
    """A04."""
    stake = [i.sql for i in stage.key.invariants if i.id in task.key.at_stake]
    text = " ".join([task.view.instruction, *stake]).lower()
    words = _CLOCK_WORDS & set(_WORD.findall(text))
    return f"{sorted(words)[0]!r} depends on a wall clock" if words else None


def no_answer_at_start(stage: Rehearsal, task: Task) -> str | None:
    """A05."""
    stage.session.begin(task)
    held = {e.name for e in examine(stage.session, {}) if e.satisfied}
    written = {
        (c.tool.removeprefix("update_"), column)
        for c in task.key.oracle
        if c.required
        for column in c.arguments
    }
    for assertion in task.key.assertions:
        columns = [assertion.column] if assertion.column else [c for c in assertion.where if c != "id"]
        decided = all((assertion.table, c) in written for c in columns)
        if assertion.kind != "differs" and decided and assertion.id in held:
            return f"assertion {assertion.id} already holds before the episode"
    named = {str(m.where["id"]) for m in task.key.mentions if "id" in m.where}
    for page in stage.world.documents:
        if any(key in page.body or key in page.title for key in named):
            return f"document {page.id} names a record of the task"
    return None


def nothing_earns_nothing(stage: Rehearsal, task: Task) -> str | None:
    """A06."""
    return _at_floor(stage, (), task, "doing nothing")


def reading_earns_nothing(stage: Rehearsal, task: Task) -> str | None:
    """A07. What the task speaks of is read each time; what `_every_read` names once per world and tool.

    A tool that changed no row while everything was read with it leaves, in any task of the world, the state
    that doing nothing leaves.
    """
    offered = {spec.name for spec in task.view.tools}
    new = offered - stage.harmless
    plan = tuple(call for call in _every_read(stage.world) if call.tool in new) + tuple(
        read(f"get_{m.table}", id=m.where["id"])
        for m in task.key.mentions
        if "id" in m.where and f"get_{m.table}" in offered
    )
    problem = _at_floor(stage, plan, task, "reading everything")
    if not stage.changed:
        stage.harmless |= {call.tool for call in plan}
    return problem


def _at_floor(stage: Rehearsal, plan: tuple[PlannedCall, ...], task: Task, what: str) -> str | None:
    try:
        reward, passed = stage.reward_of(plan, task)
    except GraderError as error:
        return f"{what} cannot be graded: {error}"
    return f"{what} earns {reward:.2f}" if reward > 0 or passed else None


def _every_read(world: World) -> tuple[PlannedCall, ...]:
    """Every page of the lists, the first records of each table, every document searched for and read.

    `search_x` shows what `list_x` shows, and is not called: each call is charged.
    """
    calls = []
    for name in world.slice:
        rows = world.seed.rows[name]
        for page in range(1, 2 + (len(rows) - 1) // 5):
            calls.append(read(f"list_{name}", page=page))
        calls += [read(f"get_{name}", id=row[0]) for row in rows[:_RECORDS_READ]]
    for document in world.documents:
        calls.append(
            PlannedCall(tool="search_documents", arguments={"query": document.title}, required=False)
        )
        calls.append(PlannedCall(tool="get_document", arguments={"id": document.id}, required=False))
    return tuple(calls)


def oracle_earns_all(stage: Rehearsal, task: Task) -> str | None:
    """A08."""
    return _earns_all(stage, task.key.oracle, task, "the oracle")


def alternative_earns_all(stage: Rehearsal, task: Task) -> str | None:
    """A09."""
    if task.key.alternative == task.key.oracle:
        return "the alternative plan is the oracle itself"
    return _earns_all(stage, task.key.alternative, task, "the alternative plan")


def _earns_all(
    stage: Rehearsal, plan: tuple[PlannedCall, ...], task: Task, what: str, session: Session | None = None
) -> str | None:
    try:
        reward, passed = stage.reward_of(plan, task, session)
    except GraderError as error:
        return f"{what} cannot be graded: {error}"
    if reward == 1.0 and passed:
        return None
    used = session or stage.session
    failed = next((f"{t}: {r.error}" for t, _, r in used.calls if r.error), "every call succeeded")
    return f"{what} earns {reward:.2f}; {failed}; collateral {used.grade().collateral}"


def every_write_is_needed(stage: Rehearsal, task: Task) -> str | None:
    """A10."""
    for index, call in enumerate(task.key.oracle):
        if call.required:
            plan = task.key.oracle[:index] + task.key.oracle[index + 1 :]
            if stage.reward_of(plan, task)[1]:
                return f"the task passes without the call {index} ({call.tool})"
    return None


def detours_are_free(stage: Rehearsal, task: Task) -> str | None:
    """A11."""
    extra = read(f"list_{stage.world.slice[0]}")
    plan = (*(call.replace(arguments=_as_other_number(call.arguments)) for call in task.key.oracle), extra)
    if len(plan) > stage.turns:
        return f"the oracle takes {len(plan) - 1} of {stage.turns} turns, which leaves none to look around"
    return _earns_all(stage, plan, task, "the oracle with one more read and 25 written as 25.0")


def _as_other_number(value: Any) -> Any:
    """The same arguments with every whole number as the other type, pages apart: they must be whole."""
    if isinstance(value, dict):
        return {name: v if name == "page" else _as_other_number(v) for name, v in value.items()}
    if isinstance(value, list):
        return [_as_other_number(v) for v in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def row_order_is_free(stage: Rehearsal, task: Task) -> str | None:
    """A12."""
    session = stage.reversed_rows()
    return _earns_all(
        stage,
        task.key.oracle,
        _moved(task, session.image.world.id),
        "with rows reversed, the oracle",
        session,
    )


def twins_differ(stage: Rehearsal, task: Task) -> str | None:
    """A13."""
    for rule in task.key.at_stake:
        twin, session = stage.twin(rule)
        other = twin_task(task, twin)
        problem = _earns_all(
            stage, other.key.oracle, other, f"in the twin of {rule}, the twin's plan", session
        )
        if problem:
            return problem
        if stage.reward_of(task.key.oracle, other, session)[1]:
            return f"this world's plan also passes in the twin of {rule}, so the document need not be read"
        if any(found.name == rule and found.satisfied for found in session.grade().evidence):
            return f"this world's plan keeps {rule} in its twin too, so the rule is not at stake"
    return None


def _moved(task: Task, world_id: str) -> Task:
    return Task(view=task.view.replace(world_id=world_id), key=task.key.replace(world_id=world_id))


class AuditRule(NamedTuple):
    """One of the thirteen."""

    name: str  # "A01" to "A13"
    claim: str  # what holds when it passes
    needs: tuple[str, ...]  # rules that must have passed before this one can be checked
    check: Check


_START = ("A01",)
_ORACLE = ("A01", "A08")
RULES = (
    AuditRule("A01", "the delta applies, and breaks no rule but those at stake", (), delta_is_sound),
    AuditRule("A02", "every mention names exactly one record", _START, mentions_resolve),
    AuditRule("A03", "no assertion names a record yet to be created", _START, assertions_name_what_exists),
    AuditRule("A04", "nothing depends on a wall clock", (), no_clock),
    AuditRule("A05", "no answer lies in the seed rows or documents", _START, no_answer_at_start),
    AuditRule("A06", "doing nothing scores the floor", _START, nothing_earns_nothing),
    AuditRule("A07", "reading everything scores the floor", ("A01", "A06"), reading_earns_nothing),
    AuditRule("A08", "the oracle earns 1.0", ("A01", "A06"), oracle_earns_all),
    AuditRule("A09", "another correct plan earns 1.0", _ORACLE, alternative_earns_all),
    AuditRule("A10", "leaving out any required write fails", _ORACLE, every_write_is_needed),
    AuditRule(
        "A11", "one more read fits and changes nothing, nor does 25 for 25.0", _ORACLE, detours_are_free
    ),
    AuditRule("A12", "the order of the rows changes nothing", _ORACLE, row_order_is_free),
    AuditRule("A13", "with another document and key, only the twin's plan earns 1.0", _ORACLE, twins_differ),
)
"""In the order in which they run. One whose needs did not pass is *not checked*."""
