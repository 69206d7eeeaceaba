"""Growing tasks from a world: draw a family, draft, phrase, audit, admit."""

from collections import Counter
from collections.abc import Collection
from math import inf
from random import Random

from planet.cells import on_target
from planet.errors import BriefError
from planet.identity import digest, stream
from planet.records.frozen import Frozen
from planet.records.task import Facets, Task, TaskKey
from planet.records.view import ROLES, TaskView
from planet.records.world import Brief, Difficulty, Target, World, WorldKey
from planet.tasks.audit import Auditor
from planet.tasks.draft import Draft
from planet.tasks.errands import errands_for, leading_family, merged
from planet.tasks.families import FAMILIES
from planet.tasks.phrasing import JOINS, phrase
from planet.tasks.situation import Row, Situation

TURNS = {"compact": 8, "library": 20}
"""Turn limit of an episode, by profile."""
_DRAFTS_PER_TASK = 12


class Growth(Frozen):
    """The tasks that a world grew."""

    tasks: tuple[Task, ...]
    refused: dict[str, int]  # audit rule -> drafts; "no_draft": not afforded, or beside the target
    audit_steps: int  # calls that the audits executed: charged


def grow_tasks(world: World, key: WorldKey, count: int, seed: int, known: Collection[str] = ()) -> Growth:
    """Up to `count` audited tasks, the brief's target met first; fewer when the world affords no more.

    known: instructions of tasks that exist, which are not given again.
    BriefError when the brief weighs families that do not exist, or aims at nothing.
    """
    brief = world.brief
    _check_wishes(brief)
    auditor = Auditor(world, key, TURNS[brief.profile])
    tasks: list[Task] = []
    refused: Counter[str] = Counter()
    seen = set(known)
    rows: dict[str, list[Row]] = {}
    quota = min(count, brief.target.quota) if brief.target else 0
    for number in range(count * _DRAFTS_PER_TASK):
        if len(tasks) == count:
            break
        target = brief.target if len(tasks) < quota else None
        rng = stream(seed, "task", number)
        task = _draw(world, key, target, rows, rng)
        if task is None or task.view.instruction in seen:
            refused["no_draft"] += task is None
            continue
        report = auditor.audit(task)
        if report.admitted:
            seen.add(task.view.instruction)
            tasks.append(task)
        else:
            refused.update(f.rule for f in report.findings)
    steps = auditor.steps
    auditor.close()
    return Growth(tasks=tuple(tasks), refused={k: v for k, v in refused.items() if v}, audit_steps=steps)


def _check_wishes(brief: Brief) -> None:
    unknown = sorted(brief.families.keys() - FAMILIES.keys())
    if unknown:
        raise BriefError(f"there is no task family {unknown[0]!r}; families are {', '.join(FAMILIES)}")
    weights = brief.families.values()
    if brief.families and (not all(0 <= w < inf for w in weights) or not any(weights)):
        raise BriefError(f"weights of families must be 0 or more, one of them above 0, not {brief.families}")
    if brief.target and not all(":" in cell for cell in brief.target.cells or ("",)):
        raise BriefError(f'a target needs cells like "family:two_hop", not {list(brief.target.cells)}')


def _draw(
    world: World, key: WorldKey, target: Target | None, rows: dict[str, list[Row]], rng: Random
) -> Task | None:
    """One drafted and phrased task; None when it cannot be drawn from the world or misses the target."""
    weights = _weights(world.brief.families, target)
    difficulty = target.difficulty if target else Difficulty()
    situation = Situation(world, key, rng, difficulty, rows)
    if world.brief.profile == "library" and target is None and not world.brief.families:
        family = leading_family(rng)
    else:
        family = rng.choices(list(weights), list(weights.values()))[0]
    draft = FAMILIES[family](situation)
    if draft is None:
        return None
    errands = _errands(draft, situation) if world.brief.profile == "library" else ()
    task = assemble(draft, world, rng, _role(target), errands)
    return task if target is None or on_target(task.key, target.cells[0]) else None


def _errands(lead: Draft, situation: Situation) -> tuple[Draft, ...]:
    services = {resource.name: resource.service for resource in situation.offered}
    goal = len(set(services.values()))
    return errands_for(lead, services, goal, lambda family: FAMILIES[family](situation), situation.rng)


def _weights(families: dict[str, float], target: Target | None) -> dict[str, float]:
    """Family -> weight: the target's own where it names one, those with a rule for a pattern, else all."""
    facet, _, value = target.cells[0].partition(":") if target else ("", "", "")
    if facet == "family" and value in FAMILIES:
        return {value: 1.0}
    if facet == "pattern":
        return {"propagate": 1.0, "repair": 1.0}
    return {f: families.get(f, 0.0) for f in FAMILIES} if families else dict.fromkeys(FAMILIES, 1.0)


def _role(target: Target | None) -> str | None:
    cells = target.cells if target else ()
    return next((c.split(":", 1)[1] for c in cells if c.startswith("role:")), None)


def assemble(
    draft: Draft, world: World, rng: Random, role: str | None = None, errands: tuple[Draft, ...] = ()
) -> Task:
    """The two halves of a task from its draft, and the errands beside it; the id is a hash of both."""
    said = phrase(draft, rng, world.brief.profile)
    for errand in errands:
        more = phrase(errand, rng, world.brief.profile).instruction
        said = said._replace(instruction=f"{said.instruction}{rng.choice(JOINS)}{more}")
    draft = merged(draft, errands) if errands else draft
    role = role if role in ROLES else rng.choice(ROLES)
    facets = _facets(draft, world, role, said.template)
    hidden = [draft.delta, draft.assertions, draft.at_stake, draft.oracle]
    task_id = digest([world.id, said.instruction, role, hidden])
    view = TaskView(
        task_id=task_id, world_id=world.id, instruction=said.instruction, role=role, tools=world.offered
    )
    key = TaskKey(
        task_id=task_id,
        world_id=world.id,
        delta=draft.delta,
        assertions=draft.assertions,
        at_stake=draft.at_stake,
        allowed=draft.allowed,
        oracle=draft.oracle,
        alternative=draft.alternative,
        mentions=draft.mentions,
        facets=facets,
    )
    return Task(view=view, key=key)


def _facets(draft: Draft, world: World, role: str, template: str) -> Facets:
    kinds = {s.name: s.kind for s in world.graph.services}
    service = {r.name: kinds[r.service] for r in world.layout.resources}
    tools = {t.name: t for t in world.layout.tools}
    calls = [tools[c.tool] for c in draft.oracle]
    tables = tuple(dict.fromkeys(t.resource for t in calls if t.resource))
    evidence = {a.kind for a in draft.assertions} | ({"invariant"} if draft.at_stake else set())
    return Facets(
        family=draft.family,
        operations=tuple(sorted({t.operation for t in calls})),
        hops=draft.hops,
        pattern=draft.pattern,
        pairs=tuple(
            sorted({f"{service[a]}>{service[b]}" for a, b in draft.links if service[a] != service[b]})
        ),
        resources=tables,
        services=tuple(service[t] for t in tables),
        tools=tuple(sorted({t.name for t in calls})),
        kinds=tuple(sorted(evidence)),
        industry=world.company.industry,
        role=role,
        template=template,
    )
