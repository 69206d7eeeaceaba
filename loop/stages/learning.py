"""What every update does with its groups: the curriculum hears of them, the ledger holds them."""

from collections.abc import Sequence

from analysis.ledger import UpdateRow
from loop.circle import Circle
from loop.episodes.groups import Group
from loop.episodes.recording import outcome_metrics, played_rows
from loop.learning.learner import Metrics
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step

WHOLE = 2
"""Training episodes per update whose whole trajectory is kept, for reading."""


def observe(circle: Circle, step: Step, groups: Sequence[Group]) -> None:
    """Tell the curriculum what came of some groups."""
    outcomes = [group.outcome() for group in groups]
    circle.sampler.observe(outcomes)
    circle.grower.observe(outcomes)
    circle.practice.observe(step.iteration, outcomes)


def learned_from(
    circle: Circle, step: Step, groups: Sequence[Group], learned: Metrics, effective: float
) -> Outcome:
    """The record of an update, charges apart. `learned`: what the learner measured; `effective`: number of
    tasks that the prompts were drawn from."""
    config = circle.config
    admitted = sum(group.admitted for group in groups)
    shortfall = max(0, config.prompts_per_update - admitted)
    episodes = [played for group in groups for played in group.members]
    taken = {group.id: group.admitted for group in groups}
    return Outcome(
        rows=[
            *played_rows(
                config.run_id,
                step.index,
                episodes,
                "train",
                circle.train_variant,
                admitted=taken,
                whole=WHOLE,
            ),
            UpdateRow(
                run_id=config.run_id,
                step=step.index,
                update_index=step.update or 0,
                groups=len(groups),
                admitted=admitted,
                dropped=len(groups) - admitted,
                refill_shortfall=shortfall,
                metrics=learned,
            ),
        ],
        metrics={
            **outcome_metrics("train", episodes),
            **{f"policy/{name}": value for name, value in learned.items()},
            "update/groups": float(len(groups)),
            "update/admitted": float(admitted),
            "update/shortfall": float(shortfall),
            "sampler/effective_tasks": effective,
            **circle.sampler.metrics(),
            **circle.gate.metrics(),
        },
    )
