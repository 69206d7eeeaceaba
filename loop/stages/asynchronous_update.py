"""One policy update of the asynchronous mode: take the first complete groups, play on while it is made."""

from typing import cast

from analysis.effective_number import effective_number
from loop.asynchronous.stream import Stream
from loop.circle import Circle
from loop.config import Config
from loop.episodes.charging import charge
from loop.learning.in_play import PlaysOn
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step
from loop.stages.learning import learned_from, observe


def asynchronous_update(circle: Circle, stream: Stream, step: Step) -> Outcome:
    """Gather, learn while others play on, push the weights, and record with the schedule."""
    pool, learner = circle.training(), cast(PlaysOn, circle.learner)
    effective = effective_number(circle.sampler.weights(pool.listed))
    stream.advanced = circle.advance
    left = updates_left(circle.config, step)
    stream.begin(step.index, circle.learner.version, left, pool, circle.sampler, circle.gate)
    with circle.stopwatch.span("rollouts"):
        groups = stream.gather()
    observe(circle, step, groups)
    update = learner.begin_update([[p.graded for p in g.members] for g in groups if g.admitted])
    with circle.stopwatch.span("rollouts"):
        stream.play_on()
    with circle.stopwatch.span("updates"):
        learned = update()
        stream.push(circle.learner.version)
    outcome = learned_from(circle, step, groups, learned, effective)
    calls, schedule = stream.account()
    run = circle.config.run_id
    outcome.rows += [
        charge(run, step.index, "train", calls.executed - calls.rejected - calls.stale),
        charge(run, step.index, "rejected", calls.rejected),
        charge(run, step.index, "stale", calls.stale),
    ]
    outcome.metrics["update/stale"] = float(sum(group.stale for group in groups))
    outcome.metrics["update/in_play"] = float(stream.groups)
    outcome.detail["schedule"] = schedule
    return outcome


def updates_left(config: Config, step: Step) -> int:
    """Updates from this one to the last that is sure to come, both counted.

    Nothing is submitted that no update would take. Whether a charged budget asks for one more is known only
    after each, so every one beyond the planned is the last that is sure.
    """
    return max(1, config.planned_updates - (step.update or 0))
