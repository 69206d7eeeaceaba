"""The table of contents of the circle.

    worlds, warm start, validate
    per iteration:  diagnose -> report | report -> briefs -> worlds -> pool | updates | validate
    diagnose, test the warm start, test the final policy
    and, with a charged budget that is not spent yet:  updates | validate, test what came of it

Each step does its work, writes a checkpoint if the policy or the curriculum changed, and then everything it
has to record in one ledger transaction. A run killed anywhere goes on from the newest step that both have,
and since every random draw is named by the step it belongs to, it ends as if it had not been killed.
"""

import time
from collections.abc import Callable
from contextlib import nullcontext

from analysis.ledger import ChargeRow, ClockRow, Ledger, RunRow, StepRow
from loop.circle import Circle
from loop.episodes.reconciliation import reconcile
from loop.errors import Interrupted
from loop.files import disk_guard
from loop.long_lived import long_lived
from loop.processes.sameness import require_equal_records
from loop.reporting.progress import Progress
from loop.reporting.stopwatch import REST
from loop.reporting.summary import lines_after
from loop.resuming.extension import charged_until, following, known_steps
from loop.resuming.interruption import Interruption
from loop.resuming.outcome import Outcome
from loop.resuming.restore import restore
from loop.resuming.steps import Kind, Step
from loop.stages.diagnose import diagnose
from loop.stages.grow import grow
from loop.stages.test import test
from loop.stages.update import update
from loop.stages.validate import validate
from loop.stages.warm_start import warm_start
from loop.stages.worlds import worlds
from loop.tracking.mirror import Mirror

STAGES: dict[Kind, Callable[[Circle, Step], Outcome]] = {
    "worlds": worlds,
    "warm_start": warm_start,
    "diagnose": diagnose,
    "grow": grow,
    "update": update,
    "validate": validate,
    "test": test,
}
"""What each kind of step does."""


class Controller:
    """Runs the steps of a run, from the first or from where it was killed."""

    def __init__(
        self,
        circle: Circle,
        ledger: Ledger,
        mirror: Mirror,
        progress: Progress,
        interruption: Interruption,
    ) -> None:
        self._circle = circle
        self._ledger = ledger
        self._mirror = mirror
        self._progress = progress
        self._interruption = interruption
        self._steps = known_steps(circle.config, ledger)

    def run(self) -> None:
        """Every step that is not yet recorded; Interrupted when the user asked for the end."""
        with long_lived():
            first = restore(self._circle, self._ledger, self._steps)
        with disk_guard(self._circle.directory.path):
            self._circle.directory.record(self._circle.config)
        self._progress.start(self._steps, first)
        index = first
        while index < len(self._steps) or self._goes_on():
            if self._interruption.asked():
                raise Interrupted("stopped as asked")
            with disk_guard(self._circle.directory.path):
                self._do(self._steps[index])
            index += 1
        reconcile(self._ledger, self._circle.config.run_id, self._circle.sessions.executed, first)

    def _goes_on(self) -> bool:
        """Whether a charged budget asks for another step, which is then known."""
        config = self._circle.config
        spent = charged_until(self._ledger, config.run_id, len(self._steps))
        step = following(config, self._steps, spent)
        if step is not None:
            self._steps.append(step)
        return step is not None

    def _do(self, step: Step) -> None:
        began = time.perf_counter()
        self._progress.begin(step)
        self._circle.advance = self._progress.advance
        circle = self._circle
        makes_worlds = step.kind in ("worlds", "grow")
        with circle.stopwatch.span("worlds" if makes_worlds else REST):
            with long_lived() if makes_worlds else nullcontext():
                outcome = STAGES[step.kind](circle, step)
            require_equal_records(circle.crew, step, outcome)
            if step.changes_state:
                circle.checkpoints.save(step, circle.curriculum_state())
        self._record(step, outcome, time.perf_counter() - began)
        self._progress.end(step, lines_after(self._ledger, self._circle.config, step))
        self._mirror.deliver(self._ledger, step)

    def _record(self, step: Step, outcome: Outcome, seconds: float) -> None:
        """Everything of a step in one transaction; the first one brings the run itself."""
        config = self._circle.config
        before = charged_until(self._ledger, config.run_id, step.index)
        outcome.metrics["budget/charged_steps"] = float(before + _charged(outcome))
        with self._ledger.transaction() as transaction:
            if step.index == 0:
                transaction.add(
                    RunRow(
                        run_id=config.run_id,
                        name=config.experiment,
                        arm=config.arm,
                        seed=config.seed,
                        config_digest=config.digest,
                        config=config.recorded(),
                    )
                )
            transaction.add(
                StepRow(
                    run_id=config.run_id,
                    step=step.index,
                    kind=step.kind,
                    iteration=step.iteration,
                    detail=outcome.detail,
                ),
                *outcome.rows,
                *outcome.metric_rows(config.run_id, step.index),
                ClockRow(
                    run_id=config.run_id,
                    step=step.index,
                    seconds=seconds,
                    detail={"finished": time.time(), "spent": self._circle.stopwatch.take()},
                ),
            )


def _charged(outcome: Outcome) -> int:
    return sum(row.steps for row in outcome.rows if isinstance(row, ChargeRow) and row.charged)
