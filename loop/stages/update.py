"""One policy update: draw prompts, play groups, grade, gate, refill once, and take a policy-gradient step."""

from analysis.effective_number import effective_number
from loop.circle import Circle
from loop.episodes.charging import charge
from loop.episodes.groups import Group
from loop.episodes.playing import prompts
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step
from loop.stages.asynchronous_update import asynchronous_update
from loop.stages.learning import learned_from, observe
from planet.identity import seed_of


def update(circle: Circle, step: Step) -> Outcome:
    """Sample, learn, and record. A shortfall of admitted groups is recorded and never stops the run."""
    if circle.stream is not None:
        return asynchronous_update(circle, circle.stream, step)
    effective = effective_number(circle.sampler.weights(circle.training().listed))
    groups = _groups(circle, step)
    observe(circle, step, groups)
    with circle.stopwatch.span("updates"):
        learned = circle.learner.update([[p.graded for p in g.members] for g in groups if g.admitted])
    outcome = learned_from(circle, step, groups, learned, effective)
    run, rejected = circle.config.run_id, sum(g.steps for g in groups if not g.admitted)
    outcome.rows += [
        charge(run, step.index, "train", sum(g.steps for g in groups) - rejected),
        charge(run, step.index, "rejected", rejected),
    ]
    return outcome


def _groups(circle: Circle, step: Step) -> list[Group]:
    """The groups of an update: as many as prompts, then one refill for those that the gate dropped."""
    config, pool = circle.config, circle.training().listed
    drawn = circle.sampler.draw(
        pool, config.prompts_per_update, seed_of(config.learning_seed, "prompts", step.index)
    )
    groups = _play(circle, drawn, step, first=0)
    missing = sum(not g.admitted for g in groups)
    if missing:
        before = set(drawn)
        rest = [task for task in pool if task.id not in before] or list(pool)
        refill = circle.sampler.draw(rest, missing, seed_of(config.learning_seed, "refill", step.index))
        groups += _play(circle, refill, step, first=len(groups))
    return groups


def _play(circle: Circle, task_ids: list[str], step: Step, first: int) -> list[Group]:
    size = circle.config.group_size
    wanted = prompts(
        circle.training(),
        task_ids,
        size,
        step.index,
        first,
        circle.config.unheard_prompts,
        circle.config.learning_seed,
    )
    played = circle.play(wanted, circle.config.policy.rollout.temperature)
    groups = []
    for start in range(0, len(played), size):
        members = tuple(played[start : start + size])
        admitted = circle.gate.admit([p.grade.raw_reward for p in members])
        groups.append(Group(members[0].wanted.group_id or "", members, admitted))
    return groups
