"""The audit: a task is admitted only when it can be solved, not by accident, and is graded soundly.

`planet.tasks.audit_rules` has the thirteen rules. Those that need a sound start are *not checked* when A01
fires; those that vary the oracle, when A08 fires.
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
        for rule in RULES:
            if any(status[need] != "passed" for need in rule.needs):
                status[rule.name] = "not_checked"
                continue
            message = rule.check(self.stage, task)
            status[rule.name] = "fired" if message else "passed"
            if message:
                findings.append(Finding(rule=rule.name, message=message))
        return AuditReport(
            task_id=task.id, status=status, findings=tuple(findings), steps=self.steps - before
        )

    def close(self) -> None:
        """Free the databases."""
        self.stage.close()
