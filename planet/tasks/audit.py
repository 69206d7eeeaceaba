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
| A11 | one more read fits into the turn limit and changes nothing, nor does 25 for 25.0 |
| A12 | the order of the rows changes nothing |
| A13 | twin check: with another document and key, the twin's plan earns 1.0 and this world's plan fails |

Rules that need a sound start are *not checked* when A01 fires; those that vary the oracle, when A08 fires.
"""

from typing import Literal

from planet.records.frozen import Frozen
from planet.records.task import Task
from planet.records.world import World, WorldKey
from planet.tasks.audit_rules import RULES
from planet.tasks.rehearsal import Rehearsal

Status = Literal["passed", "fired", "not_checked"]


class Finding(Frozen):
    """One rule that a task breaks."""

    rule: str  # "A01" to "A13"
    message: str


class AuditReport(Frozen):
    """The verdict on one task."""

    task_id: str
    status: dict[str, Status]
    findings: tuple[Finding, ...]
    steps: int  # calls executed: charged

    @property
    def admitted(self) -> bool:
        """Whether every rule passed."""
        return all(s == "passed" for s in self.status.values())


class Auditor:
    """Audits the tasks of one world; `turns` is the turn limit under which agents will work."""

    def __init__(self, world: World, key: WorldKey, turns: int) -> None:
        self.stage = Rehearsal(world, key, turns)

    @property
    def steps(self) -> int:
        """Calls executed so far: charged."""
        return self.stage.steps

    def audit(self, task: Task) -> AuditReport:
        """Check every rule; the report names each that fires."""
        before = self.steps
        status: dict[str, Status] = {}
        findings = []
        for name, needs, rule in RULES:
            if any(status[n] != "passed" for n in needs):
                status[name] = "not_checked"
                continue
            message = rule(self.stage, task)
            status[name] = "fired" if message else "passed"
            if message:
                findings.append(Finding(rule=name, message=message))
        return AuditReport(
            task_id=task.id, status=status, findings=tuple(findings), steps=self.steps - before
        )

    def close(self) -> None:
        """Free the databases."""
        self.stage.close()
