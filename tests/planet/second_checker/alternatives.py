"""Other correct solutions: plans that differ in everything that an instruction leaves open."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.planet.second_checker.judge import Case
from tests.planet.second_checker.plans import Candidate, Made, Plan, Step, change, write, writes
from tests.planet.second_checker.values import another, open_values, respelled, sent
from tests.planet.second_checker.wants import Goal

Way = Callable[[Case, Random], Iterator[Plan]]


def alternatives(case: Case, rng: Random) -> list[Candidate]:
    """Correct plans of every way that the case affords; of equal plans the first is kept."""
    found: dict[str, Candidate] = {}
    family = case.wants[0].ask.family
    for name, way in WAYS.items():
        for plan in way(case, rng):
            found.setdefault(repr(plan), Candidate(name, family, True, plan))
    return list(found.values())


def _as_told(case: Case, rng: Random) -> Iterator[Plan]:
    yield writes(case.goals)


def _backwards(case: Case, rng: Random) -> Iterator[Plan]:
    yield tuple(reversed(writes(case.goals)))


def _arguments_backwards(case: Case, rng: Random) -> Iterator[Plan]:
    yield tuple(Step(s.tool, dict(reversed(s.arguments.items()))) for s in writes(case.goals))


def _after_looking(case: Case, rng: Random) -> Iterator[Plan]:
    calls = [*writes(case.goals), *looks(case)]
    rng.shuffle(calls)
    yield tuple(calls)


def looks(case: Case) -> list[Step]:
    """Reads of every kind around the goals."""
    found = [Step("search_documents", {"query": "policy"})]
    found += [Step("get_document", {"id": page.id}) for page in case.world.documents[:3]]
    for goal in case.goals:
        found.append(Step(f"list_{goal.table}", {}))
        filters = [{"column": "id", "op": "contains", "value": goal.key or "0"}]
        found.append(Step(f"search_{goal.table}", {"filters": filters}))
        if goal.key:
            found.append(Step(f"get_{goal.table}", {"id": goal.key}))
    return found


def _bit_by_bit(case: Case, rng: Random) -> Iterator[Plan]:
    """Column by column; a new record begins with one column more than it cannot do without."""
    steps: list[Step] = []
    number = 0
    for goal in case.goals:
        if goal.key is not None:
            steps += [change(goal.table, goal.key, {c: v}) for c, v in goal.values.items()]
            continue
        needed = [c.name for c in case.world.layout.resource(goal.table).columns if c.required]
        first = {c: v for c, v in goal.values.items() if c in needed} or dict([*goal.values.items()][:1])
        steps.append(Step(f"update_{goal.table}", first))
        steps += [change(goal.table, Made(number), {c: v}) for c, v in goal.values.items() if c not in first]
        number += 1
    yield tuple(steps)


def _respelled(case: Case, rng: Random) -> Iterator[Plan]:
    yield tuple(Step(s.tool, {n: respelled(v) for n, v in s.arguments.items()}) for s in writes(case.goals))


def _put_right(case: Case, rng: Random) -> Iterator[Plan]:
    """Every goal first with another value, which a later call corrects."""
    slips, corrections, number = [], [], 0
    for goal in case.goals:
        wrong = _slip(case, goal)
        slips.append(write(goal, **wrong))
        key = goal.key if goal.key is not None else Made(number)
        corrections += [change(goal.table, key, {c: goal.values[c] for c in wrong})] if wrong else []
        number += goal.key is None
    if corrections:
        yield (*slips, *corrections)


def _slip(case: Case, goal: Goal) -> dict[str, Any]:
    for column in case.world.layout.resource(goal.table).columns:
        value = another(column, goal.values[column.name]) if column.name in goal.values else None
        if value is not None:
            return {column.name: value}
    return {}


def _taken_back(case: Case, rng: Random) -> Iterator[Plan]:
    """A record that nobody spoke of is changed, and changed back."""
    spoken = {goal.key for goal in case.goals}
    for goal in case.goals[:2]:
        key = next((k for k in case.start.rows[goal.table] if k not in spoken), None)
        for column in case.world.layout.resource(goal.table).columns:
            value = another(column, case.start.get(goal.table, key, column.name)) if key else None
            before = case.start.get(goal.table, key, column.name) if key else None
            if key and value is not None and (before is not None or not column.required):
                there, back = (change(goal.table, key, {column.name: v}) for v in (value, before))
                yield (there, *writes(case.goals), back)
                break


def _whole_record(case: Case, rng: Random) -> Iterator[Plan]:
    """A record is sent back whole, with what had to change changed."""
    steps = []
    for goal in case.goals:
        same: dict[str, Any] = {}
        if goal.key is not None:
            columns = case.world.layout.resource(goal.table).columns
            same = {c.name: sent(c, case.start.get(goal.table, goal.key, c.name)) for c in columns}
        steps.append(Step(f"update_{goal.table}", same | goal.values))
    yield tuple(steps)


def _filled_in(case: Case, rng: Random) -> Iterator[Plan]:
    """New records with all, and with some, of the columns that nobody asked about."""
    if any(goal.key is None for goal in case.goals):
        for share in (1.0, 0.6, 0.3):
            yield tuple(
                write(goal, **_some(_open(case, goal, rng), share, rng)) if goal.key is None else write(goal)
                for goal in case.goals
            )


def _open(case: Case, goal: Goal, rng: Random) -> dict[str, Any]:
    resource = case.world.layout.resource(goal.table)
    return open_values(resource, goal.values, case.rules, case.start, rng)


def _some(values: dict[str, Any], share: float, rng: Random) -> dict[str, Any]:
    return {c: v for c, v in values.items() if rng.random() < share}


def _left_empty(case: Case, rng: Random) -> Iterator[Plan]:
    """New records whose open columns are said to be empty, where they may be."""
    if any(goal.key is None for goal in case.goals):
        yield tuple(write(goal, **_empty(case, goal)) for goal in case.goals)


def _empty(case: Case, goal: Goal) -> dict[str, Any]:
    columns = case.world.layout.resource(goal.table).columns if goal.key is None else ()
    return {c.name: None for c in columns if not c.required and c.name not in {"id", *goal.values}}


def _filled_in_later(case: Case, rng: Random) -> Iterator[Plan]:
    """Open columns of new records are written after everything else."""
    new = [goal for goal in case.goals if goal.key is None]
    rest = [_open(case, goal, rng) for goal in new]
    if any(rest):
        later = [change(g.table, Made(n), r) for n, (g, r) in enumerate(zip(new, rest, strict=True)) if r]
        yield (*writes(case.goals), *later)


def _said_twice(case: Case, rng: Random) -> Iterator[Plan]:
    yield (*writes(case.goals), *(write(goal) for goal in case.goals if goal.key is not None))


def _after_refusals(case: Case, rng: Random) -> Iterator[Plan]:
    """Calls that the tools refuse stand before each right one."""
    steps: list[Step] = []
    for goal in case.goals:
        steps.append(change(goal.table, "NO-0000", dict(goal.values)))
        steps.append(write(goal, no_such_column=1))
        steps += [write(goal, **{c: ["no", "value"]}) for c in goal.values]
        steps += [Step("no_such_tool", {}), write(goal)]
    yield tuple(steps)


WAYS: dict[str, Way] = {
    "in the order told": _as_told,
    "in the other order": _backwards,
    "arguments in the other order": _arguments_backwards,
    "among reads of every kind": _after_looking,
    "column by column": _bit_by_bit,
    "numbers spelled the other way": _respelled,
    "put right after a slip": _put_right,
    "a stranger changed and changed back": _taken_back,
    "the whole record sent back": _whole_record,
    "open columns filled in": _filled_in,
    "open columns left empty": _left_empty,
    "open columns filled in later": _filled_in_later,
    "said twice": _said_twice,
    "after refused calls": _after_refusals,
}
