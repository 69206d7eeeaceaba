"""One numbered world: corrupted once for each check, and what the checks said."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal, NamedTuple

from planet.catalog import load_catalog
from planet.construction.ground import Ground, numbered_ground
from planet.identity import seed_of, stream
from planet.mutations.tasks import TASK_WAYS
from planet.mutations.tasks.case import Case
from planet.mutations.worlds import WORLD_WAYS
from planet.records.frozen import Frozen
from planet.records.task import Task
from planet.records.world import Profile
from planet.tasks.audit import Auditor
from planet.tasks.grow import TURNS, grow_tasks
from planet.validators import validate
from planet.world.session import forget_images

Part = Literal["validators", "rules"]
"""Which checks are tried: the twelve on worlds, or the thirteen of the audit on tasks."""
TASKS = 8
"""Audited tasks of a world among which a corruption may choose; half as many more put a rule at stake."""


class Trial(NamedTuple):
    """One world to be corrupted."""

    part: Part
    seed: int
    number: int
    profile: Profile
    checks: tuple[str, ...]  # those that have too few cases yet


class Outcome(Frozen):
    """One corruption, and what was seen of it."""

    check: str  # that has to see it: "V01" to "V12", "A01" to "A13"
    way: str
    number: int  # of the world
    world_id: str  # of the sound world
    industry: str
    task_id: str | None  # None: the world was corrupted, not a task
    fired: tuple[str, ...]  # every check that found something
    message: str  # what the intended check found first; empty when it found nothing

    @property
    def seen(self) -> bool:
        """Whether the intended check fired; one that was not checked did not."""
        return self.check in self.fired

    @property
    def alone(self) -> bool:
        """Whether it fired and no other did."""
        return self.fired == (self.check,)


def try_world(trial: Trial) -> list[Outcome]:
    """At most one outcome for each check; equal trials give equal outcomes.

    None for a check where neither the world nor its tasks can be corrupted in any of its ways.
    """
    catalog = load_catalog(None, trial.profile)
    ground = numbered_ground(catalog, trial.seed, trial.number, trial.profile)
    if ground is None:
        return []
    found = _worlds(ground, trial) if trial.part == "validators" else _tasks(ground, trial)
    outcomes = list(found)
    forget_images()  # of corrupted worlds, which nobody opens again
    return outcomes


def _worlds(ground: Ground, trial: Trial) -> Iterator[Outcome]:
    for check in trial.checks:
        rng = stream(trial.seed, "mutations", check, trial.number)
        for way in _shuffled(WORLD_WAYS[check], rng):
            made = WORLD_WAYS[check][way](ground, rng)
            if made is not None:
                report = validate(*made, ground.catalog)
                said = [v.message for v in report.violations if v.validator == check]
                yield _outcome(check, way, ground, trial, None, report.fired, said)
                break


def _tasks(ground: Ground, trial: Trial) -> Iterator[Outcome]:
    tasks = _grown(ground, trial.seed)
    for check in trial.checks:
        rng = stream(trial.seed, "mutations", check, trial.number)
        found = _corrupted(check, ground, tasks, rng)
        if found is not None:
            way, case = found
            fired, said = _audited(check, case, ground)
            yield _outcome(check, way, ground, trial, case.task.id, fired, said)


def _grown(ground: Ground, seed: int) -> list[Task]:
    """Tasks of all families, and some that put a rule at stake."""
    own = seed_of(ground.seed, "mutations", seed)
    mixed = grow_tasks(ground.world, ground.key, TASKS, own).tasks
    brief = ground.brief.replace(families={"propagate": 1.0, "repair": 1.0})
    known = [task.view.instruction for task in mixed]
    staked = grow_tasks(ground.world.replace(brief=brief), ground.key, TASKS // 2, own, known).tasks
    return [*mixed, *staked]


def _corrupted(check: str, ground: Ground, tasks: list[Task], rng: Random) -> tuple[str, Case] | None:
    for way in _shuffled(TASK_WAYS[check], rng):
        for task in rng.sample(tasks, len(tasks)):
            case = TASK_WAYS[check][way](ground, task, rng)
            if case is not None:
                return way, case
    return None


def _audited(check: str, case: Case, ground: Ground) -> tuple[tuple[str, ...], list[str]]:
    auditor = Auditor(case.world, case.key, case.turns or TURNS[ground.brief.profile])
    if case.prepare:
        case.prepare(auditor)
    report = auditor.audit(case.task)
    auditor.close()
    fired = tuple(finding.rule for finding in report.findings)
    return fired, [finding.message for finding in report.findings if finding.rule == check]


def _shuffled(ways: Sequence[str] | dict, rng: Random) -> list[str]:
    names = list(ways)
    rng.shuffle(names)
    return names


def _outcome(
    check: str,
    way: str,
    ground: Ground,
    trial: Trial,
    task_id: str | None,
    fired: tuple[str, ...],
    said: list[str],
) -> Outcome:
    return Outcome(
        check=check,
        way=way,
        number=trial.number,
        world_id=ground.world.id,
        industry=ground.world.company.industry,
        task_id=task_id,
        fired=fired,
        message=said[0] if said else "",
    )
