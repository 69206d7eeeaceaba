"""One policy update: draw prompts, play groups, grade, gate, refill once, and take a policy-gradient step."""

from dataclasses import dataclass

from analysis.ledger import UpdateRow
from loop.circle import Circle
from loop.curricula.protocols import GroupOutcome
from loop.curricula.samplers.draws import effective_number
from loop.episodes.charging import charge, steps_of
from loop.episodes.playing import Played, prompts
from loop.episodes.recording import outcome_metrics, played_rows
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step
from loop.worlds.pool import listed
from planet.identity import seed_of

WHOLE = 2
"""Training episodes per update whose whole trajectory is kept, for reading."""


@dataclass(frozen=True)
class _Group:
    """The rollouts of one prompt."""

    id: str
    members: tuple[Played, ...]
    admitted: bool

    def outcome(self) -> GroupOutcome:
        first = self.members[0]
        task = listed(first.task, first.wanted.environment.world)
        return GroupOutcome(
            task_id=task.id,
            passes=sum(p.grade.all_pass for p in self.members),
            rollouts=len(self.members),
            admitted=self.admitted,
            mean_reward=sum(p.grade.reward for p in self.members) / len(self.members),
            steps=steps_of(self.members),
            cells=task.cells,
            rung=task.rung,
        )


def update(circle: Circle, step: Step) -> Outcome:
    """Sample, learn, and record. A shortfall of admitted groups is recorded and never stops the run."""
    config = circle.config
    effective = effective_number(circle.sampler.weights(circle.training().listed))
    groups = _groups(circle, step)
    admitted = [g for g in groups if g.admitted]
    outcomes = [g.outcome() for g in groups]
    circle.sampler.observe(outcomes)
    circle.grower.observe(outcomes)
    circle.practice.observe(step.iteration, outcomes)
    with circle.stopwatch.span("updates"):
        learned = circle.learner.update([[p.graded for p in g.members] for g in admitted])
    episodes = [p for g in groups for p in g.members]
    taken = {g.id: g.admitted for g in groups}
    dropped = len(groups) - len(admitted)
    shortfall = max(0, config.prompts_per_update - len(admitted))
    rejected = sum(steps_of(g.members) for g in groups if not g.admitted)
    outcome = Outcome(
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
                admitted=len(admitted),
                dropped=dropped,
                refill_shortfall=shortfall,
                metrics=learned,
            ),
            charge(config.run_id, step.index, "train", steps_of(episodes) - rejected),
            charge(config.run_id, step.index, "rejected", rejected),
        ],
        metrics={
            **outcome_metrics("train", episodes),
            **{f"policy/{name}": value for name, value in learned.items()},
            "update/groups": float(len(groups)),
            "update/admitted": float(len(admitted)),
            "update/shortfall": float(shortfall),
            "sampler/effective_tasks": effective,
            **circle.sampler.metrics(),
            **circle.gate.metrics(),
        },
    )
    return outcome


def _groups(circle: Circle, step: Step) -> list[_Group]:
    """The groups of an update: as many as prompts, then one refill for those that the gate dropped."""
    config, pool = circle.config, circle.training().listed
    drawn = circle.sampler.draw(
        pool, config.prompts_per_update, seed_of(config.learning_seed, "prompts", step.index)
    )
    groups = _play(circle, drawn, step, first=0)
    missing = sum(not g.admitted for g in groups)
    if missing:
        rest = [task for task in pool if task.id not in set(drawn)] or list(pool)
        refill = circle.sampler.draw(rest, missing, seed_of(config.learning_seed, "refill", step.index))
        groups += _play(circle, refill, step, first=len(groups))
    return groups


def _play(circle: Circle, task_ids: list[str], step: Step, first: int) -> list[_Group]:
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
        groups.append(_Group(members[0].wanted.group_id or "", members, admitted))
    return groups
