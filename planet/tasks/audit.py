"""The audit: a task is admitted only when it can be solved, not by accident, and is graded soundly.

| rule | holds when |
|---|---|
| A01 | the delta applies, leaves no dangling reference, and breaks no rule but those at stake |
| A02 | every mention of the instruction resolves to exactly one record |
| A03 | assertions name no record that does not exist yet |
| A04 | nothing depends on a wall clock |
| A05 | no answer lies in the seed rows or documents: what the oracle decides does not hold at the start |
| A06 | doing nothing scores the floor |
| A07 | reading everything scores the floor |
| A08 | the oracle earns 1.0 |
| A09 | the alternative plan earns 1.0 |
| A10 | leaving out any required write fails |
| A11 | one more read fits into the turn limit and changes nothing |
| A12 | the order of the rows changes nothing |
| A13 | twin check: with another document and key, the twin's plan earns 1.0 and this world's plan fails |

Rules that need a sound start are *not checked* when A01 fires; those that vary the oracle, when A08 fires.
"""

from collections.abc import Callable
from typing import Literal

from planet.errors import GraderError, SessionError
from planet.records.frozen import Frozen
from planet.records.task import PlannedCall, Task
from planet.records.world import SeedState, World, WorldKey
from planet.tasks.draft import read
from planet.tasks.twin import Twin, twin_of, twin_task
from planet.world.database import quote
from planet.world.grading import examine
from planet.world.session import Session

_CLOCK_WORDS = frozenset(
    {"now", "today", "tomorrow", "yesterday", "current_date", "current_timestamp", "strftime"}
)


class Finding(Frozen):
    """One rule that a task breaks."""

    rule: str  # "A01" to "A13"
    message: str


class AuditReport(Frozen):
    """The verdict on one task."""

    task_id: str
    status: dict[str, Literal["passed", "fired", "not_checked"]]
    findings: tuple[Finding, ...]
    steps: int  # calls executed: charged

    @property
    def admitted(self) -> bool:
        """Whether every rule passed."""
        return all(s == "passed" for s in self.status.values())


class Auditor:
    """Audits the tasks of one world; keeps the sessions that audits share.

    `turns` is the turn limit under which agents will work.
    """

    def __init__(self, world: World, key: WorldKey, turns: int) -> None:
        self.world, self.key, self.turns = world, key, turns
        self.session = Session(world, key, turns=None)
        self._reversed: Session | None = None
        self._twins: dict[str, tuple[Twin, Session]] = {}
        self.steps = 0

    def audit(self, task: Task) -> AuditReport:
        """Check every rule; the report names each that fires."""
        before = self.steps
        status: dict[str, Literal["passed", "fired", "not_checked"]] = {}
        findings = []
        for name, needs, rule in RULES:
            if any(status[n] != "passed" for n in needs):
                status[name] = "not_checked"
                continue
            message = rule(self, task)
            status[name] = "fired" if message else "passed"
            if message:
                findings.append(Finding(rule=name, message=message))
        return AuditReport(
            task_id=task.id, status=status, findings=tuple(findings), steps=self.steps - before
        )

    def reward_of(
        self, plan: tuple[PlannedCall, ...], task: Task, session: Session | None = None
    ) -> tuple[float, bool]:
        """(raw reward, all-pass) of a plan carried out from the start of the task."""
        session = session or self.session
        session.begin(task)
        for call in plan:
            session.call(call.tool, call.arguments)
        self.steps += session.steps
        graded = session.grade()
        return graded.raw_reward, graded.all_pass

    def reversed_rows(self) -> Session:
        """A session on the same world with every table inserted backwards."""
        if self._reversed is None:
            rows = {name: tuple(reversed(rows)) for name, rows in self.world.seed.rows.items()}
            world = self.world.replace(seed=SeedState(rows=rows))
            self._reversed = Session(
                world, WorldKey(world_id=world.id, invariants=self.key.invariants), turns=None
            )
        return self._reversed

    def twin(self, rule: str) -> tuple[Twin, Session]:
        """The twin of the world in which `rule` has another effect, and a session on it."""
        if rule not in self._twins:
            twin = twin_of(self.world, self.key, rule)
            self._twins[rule] = twin, Session(twin.world, twin.key, turns=None)
        return self._twins[rule]

    def close(self) -> None:
        """Free the databases."""
        for session in (self.session, self._reversed, *(s for _, s in self._twins.values())):
            if session is not None:
                session.close()


Rule = Callable[[Auditor, Task], str | None]
"""What is wrong, in words; None when the rule holds."""


def delta_is_sound(auditor: Auditor, task: Task) -> str | None:
    """A01."""
    try:
        auditor.session.begin(task)
    except SessionError as error:
        return str(error)
    dangling = auditor.session.connection.execute("PRAGMA foreign_key_check").fetchone()
    if dangling:
        return f"the delta leaves a dangling reference in {dangling[0]}"
    for evidence in examine(auditor.session, {}):
        if evidence.kind == "invariant" and not evidence.satisfied and evidence.name not in task.key.at_stake:
            return f"the delta breaks {evidence.name}, which is not at stake"
    return None


def mentions_resolve(auditor: Auditor, task: Task) -> str | None:
    """A02."""
    auditor.session.begin(task)
    for mention in task.key.mentions:
        where = " AND ".join(f"{quote(c)} = ?" for c in mention.where)
        sql = f"SELECT COUNT(*) FROM {quote(mention.table)} WHERE {where}"
        count = auditor.session.connection.execute(sql, tuple(mention.where.values())).fetchone()[0]
        if count != 1:
            return f"{mention.table} with {mention.where} names {count} records, not one"
    return None


def assertions_name_what_exists(auditor: Auditor, task: Task) -> str | None:
    """A03."""
    auditor.session.begin(task)
    for assertion in task.key.assertions:
        key = assertion.where.get("id")
        if key is not None:
            sql = f'SELECT 1 FROM {quote(assertion.table)} WHERE "id" = ?'
            if auditor.session.connection.execute(sql, (key,)).fetchone() is None:
                return f"assertion {assertion.id} names {key}, which does not exist before the episode"
    return None


def no_clock(auditor: Auditor, task: Task) -> str | None:
    """A04."""
    stake = [i.sql for i in auditor.key.invariants if i.id in task.key.at_stake]
    text = " ".join([task.view.instruction, *stake]).lower()
    words = _CLOCK_WORDS & set(text.replace("(", " ").replace("'", " ").split())
    return f"{sorted(words)[0]!r} depends on a wall clock" if words else None


def no_answer_at_start(auditor: Auditor, task: Task) -> str | None:
    """A05."""
    auditor.session.begin(task)
    held = {e.name for e in examine(auditor.session, {}) if e.satisfied}
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
    for page in auditor.world.documents:
        if any(key in page.body or key in page.title for key in named):
            return f"document {page.id} names a record of the task"
    return None


def nothing_earns_nothing(auditor: Auditor, task: Task) -> str | None:
    """A06."""
    return _at_floor(auditor, (), task, "doing nothing")


def reading_earns_nothing(auditor: Auditor, task: Task) -> str | None:
    """A07."""
    return _at_floor(auditor, _every_read(auditor.world), task, "reading everything")


def _at_floor(auditor: Auditor, plan: tuple[PlannedCall, ...], task: Task, what: str) -> str | None:
    try:
        reward, passed = auditor.reward_of(plan, task)
    except GraderError as error:
        return f"{what} cannot be graded: {error}"
    return f"{what} earns {reward:.2f}" if reward > 0 or passed else None


def _every_read(world: World) -> tuple[PlannedCall, ...]:
    """List, search and read whatever the offered tools reach."""
    calls = []
    for name in world.slice:
        rows = world.seed.rows[name]
        for page in range(1, 2 + (len(rows) - 1) // 5):
            calls.append(read(f"list_{name}", page=page))
        calls += [read(f"get_{name}", id=row[0]) for row in rows[:50]]
    for document in world.documents:
        calls.append(
            PlannedCall(tool="search_documents", arguments={"query": document.title}, required=False)
        )
        calls.append(PlannedCall(tool="get_document", arguments={"id": document.id}, required=False))
    return tuple(calls)


def oracle_earns_all(auditor: Auditor, task: Task) -> str | None:
    """A08."""
    return _earns_all(auditor, task.key.oracle, task, "the oracle")


def alternative_earns_all(auditor: Auditor, task: Task) -> str | None:
    """A09."""
    if task.key.alternative == task.key.oracle:
        return "the alternative plan is the oracle itself"
    return _earns_all(auditor, task.key.alternative, task, "the alternative plan")


def _earns_all(
    auditor: Auditor, plan: tuple[PlannedCall, ...], task: Task, what: str, session: Session | None = None
) -> str | None:
    try:
        reward, passed = auditor.reward_of(plan, task, session)
    except GraderError as error:
        return f"{what} cannot be graded: {error}"
    if reward == 1.0 and passed:
        return None
    used = session or auditor.session
    failed = next((f"{t}: {r.error}" for t, _, r in used.calls if r.error), "every call succeeded")
    return f"{what} earns {reward:.2f}; {failed}; collateral {used.grade().collateral}"


def every_write_is_needed(auditor: Auditor, task: Task) -> str | None:
    """A10."""
    for index, call in enumerate(task.key.oracle):
        if call.required:
            plan = task.key.oracle[:index] + task.key.oracle[index + 1 :]
            if auditor.reward_of(plan, task)[1]:
                return f"the task passes without the call {index} ({call.tool})"
    return None


def a_read_more_is_free(auditor: Auditor, task: Task) -> str | None:
    """A11."""
    extra = read(f"list_{auditor.world.slice[0]}")
    plan = (*task.key.oracle, extra)
    if len(plan) > auditor.turns:
        return f"the oracle takes {len(plan) - 1} of {auditor.turns} turns, which leaves none to look around"
    return _earns_all(auditor, plan, task, "the oracle with one more read")


def row_order_is_free(auditor: Auditor, task: Task) -> str | None:
    """A12."""
    session = auditor.reversed_rows()
    return _earns_all(
        auditor,
        task.key.oracle,
        _moved(task, session.image.world.id),
        "with rows reversed, the oracle",
        session,
    )


def twins_differ(auditor: Auditor, task: Task) -> str | None:
    """A13."""
    for rule in task.key.at_stake:
        twin, session = auditor.twin(rule)
        other = twin_task(task, twin)
        problem = _earns_all(
            auditor, other.key.oracle, other, f"in the twin of {rule}, the twin's plan", session
        )
        if problem:
            return problem
        if auditor.reward_of(task.key.oracle, other, session)[1]:
            return f"this world's plan also passes in the twin of {rule}, so the document need not be read"
    return None


def _moved(task: Task, world_id: str) -> Task:
    return Task(view=task.view.replace(world_id=world_id), key=task.key.replace(world_id=world_id))


_START = ("A01",)
_ORACLE = ("A01", "A08")
RULES: tuple[tuple[str, tuple[str, ...], Rule], ...] = (
    ("A01", (), delta_is_sound),
    ("A02", _START, mentions_resolve),
    ("A03", _START, assertions_name_what_exists),
    ("A04", (), no_clock),
    ("A05", _START, no_answer_at_start),
    ("A06", _START, nothing_earns_nothing),
    ("A07", ("A01", "A06"), reading_earns_nothing),
    ("A08", ("A01", "A06"), oracle_earns_all),
    ("A09", _ORACLE, alternative_earns_all),
    ("A10", _ORACLE, every_write_is_needed),
    ("A11", _ORACLE, a_read_more_is_free),
    ("A12", _ORACLE, row_order_is_free),
    ("A13", _ORACLE, twins_differ),
)
"""(name, rules that must have passed first, check), in the order in which they run."""
