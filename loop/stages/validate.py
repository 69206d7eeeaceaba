"""Validation: the tasks of the validate split, for curves and forgetting; no curriculum reads it."""

from loop.circle import Circle
from loop.episodes.charging import charge, steps_of
from loop.episodes.playing import repeated
from loop.episodes.recording import outcome_metrics, played_rows
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step


def validate(circle: Circle, step: Step) -> Outcome:
    """Play and record the validate split."""
    config = circle.config
    wanted = repeated(
        circle.split("validate"),
        config.evaluation.validate_rollouts,
        f"s{step.index:04d}",
        f"validate/{step.index}",
    )
    episodes = circle.play(wanted, config.evaluation.temperature)
    return Outcome(
        rows=[
            *played_rows(config.run_id, step.index, episodes, "validate", circle.variant, whole=0),
            charge(config.run_id, step.index, "validate", steps_of(episodes)),
        ],
        metrics=outcome_metrics("validate", episodes, families=True),
    )
