"""What the ledger holds of a finished run, as far as its result needs it."""

from typing import NamedTuple

from analysis.ledger import ChargeRow, ClockRow, EpisodeRow, Ledger, MetricRow, ReportRow, StepRow, TaskRow


class Records(NamedTuple):
    """What the ledger holds of a run, as it is needed here."""

    steps: list[StepRow]
    metrics: dict[int, dict[str, float]]  # step -> name -> value
    charges: list[ChargeRow]
    episodes: list[EpisodeRow]  # of test and validation
    tasks: list[TaskRow]  # of the test split
    reports: list[ReportRow]
    clocks: list[ClockRow]

    def of_kind(self, kind: str) -> list[StepRow]:
        """Its steps of one kind, in order."""
        return [step for step in self.steps if step.kind == kind]

    @property
    def planned(self) -> int:
        """Steps before a charged budget had the run go on."""
        tests = [s.step for s in self.of_kind("test") if s.detail["subject"] == "final"]
        return tests[0] + 1


def read_records(ledger: Ledger, run_id: str) -> Records:
    """Read them."""
    metrics: dict[int, dict[str, float]] = {}
    for row in ledger.rows(MetricRow, run_id):
        if row.value is not None:
            metrics.setdefault(row.step, {})[row.name] = row.value
    tested = ledger.rows(EpisodeRow, run_id, purpose="test")
    return Records(
        steps=ledger.rows(StepRow, run_id),
        metrics=metrics,
        charges=ledger.rows(ChargeRow, run_id),
        episodes=[*tested, *ledger.rows(EpisodeRow, run_id, purpose="validate")],
        tasks=ledger.rows(TaskRow, run_id, split="test"),
        reports=ledger.rows(ReportRow, run_id),
        clocks=ledger.rows(ClockRow, run_id),
    )
