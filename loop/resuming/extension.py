"""Going on until the charged budget is spent: steps that follow from what was charged before them.

Arms that make no worlds are charged less for the same updates. With `budget.charged_steps` a run, once its
updates are done and tested, goes on with updates on its final pool, validated as often as before, until that
many steps are charged; then it is tested again. No world is made and no report written meanwhile. What was
charged stands in the ledger, so a resumed run finds the same steps.
"""

from collections.abc import Sequence

from analysis.ledger import Ledger
from loop.config import Config
from loop.errors import RunError
from loop.resuming.steps import Step, steps_of

EXTENDED = "extended"
"""The subject of validations and tests of the policy that went on."""


def following(config: Config, steps: Sequence[Step], charged: int) -> Step | None:
    """The step after all planned ones and `steps` are done, with `charged` steps spent; None: the end."""
    last, budget = steps[-1], config.budget
    if budget.charged_steps is None or (last.kind == "test" and last.subject == EXTENDED):
        return None
    updates = sum(step.kind == "update" for step in steps)
    further = updates - config.planned_updates
    over = charged >= budget.charged_steps or further >= budget.further_updates
    update = Step(len(steps), "update", None, updates)
    if last.kind == "update":
        validate = over or further % config.updates_per_iteration == 0
        return Step(len(steps), "validate", None, subject=EXTENDED) if validate else update
    if last.kind == "validate":
        return Step(len(steps), "test", None, subject=EXTENDED) if over else update
    return None if over else update


def known_steps(config: Config, ledger: Ledger) -> list[Step]:
    """The planned steps, and those of the extension that the ledger holds."""
    steps = steps_of(config)
    last = ledger.last_step(config.run_id)
    while last is not None and last >= len(steps):
        step = following(config, steps, charged_until(ledger, config.run_id, len(steps)))
        if step is None:
            raise RunError(
                f"run {config.run_id}: the ledger goes on to step {last}, the budget ends at step "
                f"{len(steps) - 1}; the ledger was changed, start anew"
            )
        steps.append(step)
    return steps


def charged_until(ledger: Ledger, run_id: str, step: int) -> int:
    """Environment steps charged by all controller steps before `step`."""
    found = ledger.query(
        "SELECT COALESCE(SUM(steps), 0) AS steps FROM charges "
        "WHERE run_id = :run AND charged AND step < :step",
        run=run_id,
        step=step,
    )
    return int(found[0]["steps"])
