"""The test: a stored checkpoint on worlds that nothing else has seen, sampled and greedy."""

from loop.circle import Circle
from loop.episodes.charging import charge, steps_of
from loop.episodes.playing import repeated
from loop.episodes.recording import outcome_metrics, played_rows
from loop.resuming.checkpoints import subject_step
from loop.resuming.extension import EXTENDED
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step


def test(circle: Circle, step: Step) -> Outcome:
    """Score the warm start, the final policy, or the one that went on: that is the newest as it stands."""
    config, subject = circle.config, step.subject or "final"
    if subject != EXTENDED:
        circle.checkpoints.load(subject_step(config, subject))
    settings = config.evaluation
    worlds = circle.split("test")
    outcome = Outcome(detail={"subject": subject})
    executed = 0
    for variant, temperature, rollouts in (
        (circle.variant, settings.temperature, settings.test_rollouts),
        ("greedy", 0.0, 1),
    ):
        # Equal names for all arms of a seed: differences between arms are not those of the evaluation's
        # samples.
        wanted = repeated(worlds, rollouts, f"s{step.index:04d}/{variant}", f"test/{variant}")
        episodes = circle.play(wanted, temperature)
        executed += steps_of(episodes)
        outcome.rows += played_rows(config.run_id, step.index, episodes, "test", variant)
        outcome.metrics |= outcome_metrics(f"test/{subject}/{variant}", episodes, families=True)
    outcome.rows.append(charge(config.run_id, step.index, "test", executed))
    return outcome
