"""The study: worlds of both profiles and all families, each task tried, agreement counted."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import count
from random import Random
from typing import NamedTuple

from planet.author.template import TemplateAuthor
from planet.catalog import Catalog, load_catalog
from planet.records.frozen import Frozen
from planet.records.task import Task
from planet.records.world import Brief, Difficulty, Profile, Target
from planet.synthesize import synthesize
from planet.world.session import Session, forget_images
from tests.planet.second_checker.alternatives import alternatives
from tests.planet.second_checker.judge import Case, Judge, faults
from tests.planet.second_checker.near_misses import near_misses
from tests.planet.second_checker.plans import Candidate, carried_out
from tests.planet.second_checker.reading import Unclear
from tests.planet.second_checker.state import read_back

FAMILIES = ("update", "create", "two_hop", "lookup", "disambiguate", "conditional", "propagate", "repair")
LEVELS = (
    Difficulty(),
    Difficulty(columns=1),
    Difficulty(hops=2),
    Difficulty(cited=True, hops=2),
)


class WorldOrder(NamedTuple):
    """One world of the study."""

    profile: Profile
    seed: int
    family: str | None  # at which all of its tasks aim; None: they are as they come
    level: Difficulty


class Remark(NamedTuple):
    """One candidate or task on which something is to be looked at."""

    kind: str  # "refused though right", "passed though wrong", "built wrongly", "unclear"
    world: str
    task: str
    family: str
    way: str
    why: str


class Tally(Frozen):
    """What came of one world. Counts are by (family, whether right, way)."""

    tasks: dict[str, int]  # profile and family of the first request -> tasks tried
    agreed: dict[tuple[str, bool, str], int]
    tried: dict[tuple[str, bool, str], int]
    remarks: tuple[Remark, ...]


def world_orders(seed: int) -> Iterator[WorldOrder]:
    """Worlds without end: every third is a library world, every second aims at one family at some level."""
    for number in count():
        aim = number // 2
        aimed = number % 2 == 1
        yield WorldOrder(
            profile="library" if number % 3 == 2 else "compact",
            seed=seed * 1_000_003 + number,
            family=FAMILIES[aim % len(FAMILIES)] if aimed else None,
            level=LEVELS[aim // len(FAMILIES) % len(LEVELS)] if aimed else LEVELS[0],
        )


@cache
def _catalog(profile: Profile) -> Catalog:
    return load_catalog(profile=profile)


def tried_world(order: WorldOrder, most: int = 10) -> Tally:
    """Make a world and try up to `most` of its tasks; a world that is refused has none."""
    target = (
        Target(cells=(f"family:{order.family}",), quota=10, difficulty=order.level) if order.family else None
    )
    brief = Brief(text="a company", profile=order.profile, target=target)
    made = synthesize(brief, TemplateAuthor(), _catalog(order.profile), order.seed)
    if made.world is None or made.key is None:
        return Tally(tasks={}, agreed={}, tried={}, remarks=())
    judge = Judge(made.world)
    session = Session(made.world, made.key, turns=None)
    tallies = [tried_task(judge, session, task, order.profile) for task in made.tasks[:most]]
    session.close()
    forget_images()
    return sum_of(tallies)


def tried_task(judge: Judge, session: Session, task: Task, profile: str = "compact") -> Tally:
    """Try every candidate of one task."""
    try:
        case = judge.case(task)
    except Unclear as reason:
        unclear = _remark("unclear", task, task.key.facets.family, "reading", str(reason))
        return Tally(tasks={}, agreed={}, tried={}, remarks=(unclear,))
    agreed: Counter[tuple[str, bool, str]] = Counter()
    tried: Counter[tuple[str, bool, str]] = Counter()
    remarks = []
    rng = Random(task.id)
    for candidate in (*alternatives(case, rng), *near_misses(case, rng)):
        if not carried_out(session, task, candidate.plan):
            continue
        remark = opinion(case, session, task, candidate)
        remarks += [remark] if remark else []
        if remark is None or remark.kind != "built wrongly":
            place = (candidate.family, candidate.right, candidate.way)
            tried[place] += 1
            agreed[place] += remark is None
    tasks = {f"{profile} {case.wants[0].ask.family}": 1}
    return Tally(tasks=tasks, agreed=dict(agreed), tried=dict(tried), remarks=tuple(remarks))


def opinion(case: Case, session: Session, task: Task, candidate: Candidate) -> Remark | None:
    """What is to be looked at in the state that a candidate left; None: both judges say what was meant."""
    wrong = faults(case, read_back(session.connection, case.start, case.world.slice))
    if bool(wrong) == candidate.right:
        why = "; ".join(wrong) or "nothing is wrong with it"
        why = f"{why}; plan {candidate.plan}"
        return _remark("built wrongly", task, candidate.family, candidate.way, why)
    grade = session.grade()
    if grade.all_pass == candidate.right:
        return None
    missed = [e.name for e in grade.evidence if not e.satisfied]
    kind = "refused though right" if candidate.right else "passed though wrong"
    why = f"{'; '.join(wrong)} missed {missed}, collateral {grade.collateral}; plan {candidate.plan}"
    return _remark(kind, task, candidate.family, candidate.way, why)


def _remark(kind: str, task: Task, family: str, way: str, why: str) -> Remark:
    why = f"{why}; instruction {task.view.instruction!r}"
    return Remark(kind, task.key.world_id, task.id, family, way, why)


def sum_of(tallies: list[Tally]) -> Tally:
    """The counts of several tallies together."""
    tasks: Counter[str] = Counter()
    agreed: Counter[tuple[str, bool, str]] = Counter()
    tried: Counter[tuple[str, bool, str]] = Counter()
    for tally in tallies:
        tasks.update(tally.tasks)
        agreed.update(tally.agreed)
        tried.update(tally.tried)
    remarks = tuple(remark for tally in tallies for remark in tally.remarks)
    return Tally(tasks=dict(tasks), agreed=dict(agreed), tried=dict(tried), remarks=remarks)


def share(tally: Tally, right: bool, family: str | None = None, way: str | None = None) -> tuple[int, int]:
    """(agreed, tried) of the right or the wrong candidates, of one family or way or of all."""
    places = [
        place
        for place in tally.tried
        if place[1] == right and family in (None, place[0]) and way in (None, place[2])
    ]
    return sum(tally.agreed[place] for place in places), sum(tally.tried[place] for place in places)
