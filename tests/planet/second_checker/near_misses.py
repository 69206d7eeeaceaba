"""Near misses: plans that end one step away from what was asked for."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from planet.records.world import Column, Resource
from tests.planet.second_checker.alternatives import looks
from tests.planet.second_checker.judge import Case
from tests.planet.second_checker.plans import Candidate, Made, Plan, Step, change, write, writes
from tests.planet.second_checker.values import another, near
from tests.planet.second_checker.wants import Goal, Want

MOST_PER_GOAL = 10
"""Near misses of one goal, drawn from all, where a task has more than two goals."""


class Spot:
    """One goal of a case, and the calls that reach all others."""

    def __init__(self, case: Case, want: Want, goal: Goal) -> None:
        self.case, self.want, self.goal = case, want, goal
        self.rest: Plan = writes([g for g in case.goals if g is not goal])
        self.all: Plan = (*self.rest, write(goal))
        self.resource: Resource = case.world.layout.resource(goal.table)
        made = sum(g.key is None for g in case.goals)
        self.key: Any = goal.key if goal.key is not None else Made(made - 1)  # its own call is the last

    def set_columns(self) -> list[Column]:
        """Columns of the goal whose value was asked for, links of new records apart."""
        return [c for c in self.resource.columns if c.name in self.goal.values and c.type != "ref"]

    def strangers(self) -> list[str]:
        """Records of the same table that nobody spoke of, in which the goal's values would be a change."""
        spoken = {g.key for g in self.case.goals}
        decoys = [key for table, key in self.want.decoys if table == self.goal.table]
        keys = dict.fromkeys([*decoys, *self.case.start.rows[self.goal.table]])
        values = self.goal.values.items()
        return [
            key
            for key in keys
            if key not in spoken and any(self.case.start.get(self.goal.table, key, c) != v for c, v in values)
        ]


Miss = Callable[[Spot], Iterator[Plan]]


def near_misses(case: Case, rng: Random) -> list[Candidate]:
    """Wrong plans of every way that the case affords; what varies no goal counts for the first request."""
    family = case.wants[0].ask.family
    found = [Candidate("nothing done", family, False, ())]
    found.append(Candidate("only looked around", family, False, tuple(looks(case))))
    for want in case.wants:
        for goal in want.goals:
            spot = Spot(case, want, goal)
            ways = WAYS | (FAR if goal.far else {})
            plans = [(name, plan) for name, way in ways.items() for plan in way(spot)]
            if len(case.goals) > 2:
                plans = rng.sample(plans, min(len(plans), MOST_PER_GOAL))
            found += [Candidate(name, want.ask.family, False, plan) for name, plan in plans]
    return found


def _left_out(spot: Spot) -> Iterator[Plan]:
    if spot.rest:
        yield spot.rest


def _column_left_out(spot: Spot) -> Iterator[Plan]:
    if len(spot.goal.values) < 2:
        return
    for column in spot.resource.columns:
        by_itself = {column.default, *(column.values[:1] if column.name == spot.resource.status else ())}
        if column.name in spot.goal.values and spot.goal.values[column.name] not in by_itself:
            kept = {c: v for c, v in spot.goal.values.items() if c != column.name}
            yield (*spot.rest, write(spot.goal._replace(values=kept)))


def _next_value(spot: Spot) -> Iterator[Plan]:
    for column in spot.set_columns():
        for value in near(column, spot.goal.values[column.name]):
            yield (*spot.rest, write(spot.goal, **{column.name: value}))


def _step_too_far(spot: Spot) -> Iterator[Plan]:
    for column in spot.set_columns():
        if column.type == "enum":
            further = near(column, spot.goal.values[column.name])[:1]
            yield from ((*spot.all, change(spot.goal.table, spot.key, {column.name: v})) for v in further)


def _undone(spot: Spot) -> Iterator[Plan]:
    for column in spot.set_columns():
        if spot.goal.key is not None:
            before = spot.case.start.get(spot.goal.table, spot.goal.key, column.name)
            if before is not None or not column.required:
                yield (*spot.all, change(spot.goal.table, spot.key, {column.name: before}))


def _other_record(spot: Spot) -> Iterator[Plan]:
    for key in spot.strangers()[:2]:
        yield (*spot.rest, change(spot.goal.table, key, spot.goal.values))


def _other_owner(spot: Spot) -> Iterator[Plan]:
    if spot.goal.key is None:
        for column in spot.resource.columns:
            if column.ref and column.name in spot.goal.values:
                others = [k for k in spot.case.start.rows[column.ref] if k != spot.goal.values[column.name]]
                yield from ((*spot.rest, write(spot.goal, **{column.name: key})) for key in others[:2])


def _stranger_too(spot: Spot) -> Iterator[Plan]:
    for key in spot.strangers()[:2]:
        yield (*spot.all, change(spot.goal.table, key, spot.goal.values))


def _column_too(spot: Spot) -> Iterator[Plan]:
    if spot.goal.key is not None:
        for column in [c for c in spot.resource.columns if c.name not in spot.goal.values][1:]:
            value = another(column, spot.case.start.get(spot.goal.table, spot.goal.key, column.name))
            if value is not None:
                yield (*spot.all, change(spot.goal.table, spot.key, {column.name: value}))
                return


def _moved(spot: Spot) -> Iterator[Plan]:
    """The record ends with another owner, or with none."""
    for column in spot.resource.columns:
        if column.ref and column.ref in spot.case.start.rows:
            own = spot.goal.values.get(column.name) if spot.goal.key is None else (
                spot.case.start.get(spot.goal.table, spot.goal.key, column.name))  # fmt: skip
            if spot.goal.key is None and column.name not in spot.goal.values:
                continue  # of a new record that reference is open
            others: list[Any] = [k for k in spot.case.start.rows[column.ref] if k != own][:1]
            others += [None] * (own is not None and not column.required)
            yield from ((*spot.all, change(spot.goal.table, spot.key, {column.name: key})) for key in others)


def _record_too(spot: Spot) -> Iterator[Plan]:
    if spot.goal.key is None:
        yield (*spot.all, write(spot.goal))
        return
    copied = {}
    for column in spot.resource.columns:
        value = spot.case.start.get(spot.goal.table, spot.goal.key, column.name)
        if column.type not in ("id", "bool") and not column.unique and value is not None:
            copied[column.name] = value
    needed = [c.name for c in spot.resource.columns if c.required and c.type == "bool"]
    yield (
        *spot.all,
        Step(f"update_{spot.goal.table}", copied | dict.fromkeys(needed, True)),
    )


def _gone(spot: Spot) -> Iterator[Plan]:
    yield (*spot.all, Step("DELETE", {"table": spot.goal.table, "id": spot.key}))


def _copied_back(spot: Spot) -> Iterator[Plan]:
    """The record that had to be copied from is overwritten instead."""
    ask, goal = spot.want.ask, spot.goal
    if ask.family == "lookup" and ask.other and goal.key:
        own = {c: spot.case.start.get(goal.table, goal.key, c) for c in goal.values}
        if None not in own.values():
            yield (*spot.rest, change(goal.table, ask.other[1], own))


def _rule_broken(spot: Spot) -> Iterator[Plan]:
    """An open column of the new record triggers a rule for which there is no record."""
    if spot.goal.key is None:
        for rule in spot.case.rules:
            open_to_it = rule.table == spot.goal.table and rule.column not in spot.goal.values
            if open_to_it and not rule.each:
                yield (*spot.rest, write(spot.goal, **{rule.column: rule.value}))


# ── the far end of a policy ───────────────────────────────────────────────────────────────────────


def _old_record(spot: Spot) -> Iterator[Plan]:
    """In place of a new record, an old one is given away."""
    if spot.goal.key is None:
        yield from (
            (*spot.rest, change(spot.goal.table, key, spot.goal.values)) for key in spot.strangers()[:1]
        )


def _sent_away(spot: Spot) -> Iterator[Plan]:
    """The linked record is given to another owner, so that the policy no longer speaks of it."""
    for rule, owner in spot.want.mended:
        if spot.goal.key is not None and rule.target == spot.goal.table:
            keys = [k for k in spot.case.start.rows[rule.table] if k != owner][:1]
            yield from ((*spot.rest, change(spot.goal.table, spot.key, {rule.link: key})) for key in keys)


def _trigger_off(spot: Spot) -> Iterator[Plan]:
    """The trigger is set to another value: instead of the effect, and beside it."""
    for rule, owner in spot.want.mended:
        value = another(spot.case.world.layout.resource(rule.table).column(rule.column), rule.value)
        off = change(rule.table, owner, {rule.column: value})
        yield from ((*spot.rest, off), (*spot.all, off))


WAYS: dict[str, Miss] = {
    "one write left out": _left_out,
    "one column left out": _column_left_out,
    "the next value": _next_value,
    "one step too far": _step_too_far,
    "undone afterwards": _undone,
    "another record": _other_record,
    "another owner": _other_owner,
    "a stranger too": _stranger_too,
    "another column too": _column_too,
    "moved to another owner": _moved,
    "one record more": _record_too,
    "the record is gone": _gone,
    "copied the wrong way": _copied_back,
    "an open column breaks a rule": _rule_broken,
}
FAR: dict[str, Miss] = {
    "an old record for a new one": _old_record,
    "sent away from the rule": _sent_away,
    "the trigger taken back": _trigger_off,
}
