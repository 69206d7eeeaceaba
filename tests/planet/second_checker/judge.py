"""The verdict on an end state: every goal reached, nothing else touched, no policy page newly broken."""

from itertools import permutations
from typing import NamedTuple

from planet.records.task import Task
from planet.records.world import World
from tests.planet.second_checker.pages import StatedRule, breakers, stated_rules
from tests.planet.second_checker.reading import Reader
from tests.planet.second_checker.state import Differences, Record, State, differences, edited, seed_state
from tests.planet.second_checker.wants import Goal, Want, want_of


class Case(NamedTuple):
    """A task as the second checker understands it."""

    world: World
    start: State
    rules: tuple[StatedRule, ...]
    wants: tuple[Want, ...]
    broken: dict[StatedRule, set[str]]  # rule -> ids of the rows for which it is not kept at the start

    @property
    def goals(self) -> list[Goal]:
        """The goals of all requests, in the order told."""
        return [goal for want in self.wants for goal in want.goals]


class Judge:
    """Judges end states of the tasks of one world."""

    def __init__(self, world: World) -> None:
        self.world, self.seed = world, seed_state(world)
        self.rules, self.reader = stated_rules(world), Reader(world)

    def case(self, task: Task) -> Case:
        """What a task wants; Unclear when its instruction does not say so plainly."""
        start = edited(self.seed, task.key.delta)
        asks = self.reader.read(task.view.instruction)
        wants = tuple(want_of(ask, start, self.rules, self.world) for ask in asks)
        broken = {rule: breakers(rule, start) for rule in self.rules}
        return Case(self.world, start, self.rules, wants, broken)


def faults(case: Case, end: State) -> list[str]:
    """What is wrong with an end state, in words; empty: it is right."""
    found = differences(case.start, end)
    return [
        *_unreached(case.goals, end, found),
        *_uncalled_for(case.goals, found),
        *_newly_broken(case, end, found),
        *(
            f"{rule.table} {key} does not keep {rule.page}"
            for want in case.wants
            for rule, key in want.mended
            if key in breakers(rule, end)
        ),
    ]


def _unreached(goals: list[Goal], end: State, found: Differences) -> list[str]:
    wrong = []
    for goal in goals:
        if goal.key is not None:
            there = goal.key in end.rows[goal.table]
            record = end.record(goal.table, goal.key) if there else {}
            wrong += [f"{goal.table} {goal.key}.{c} is {record.get(c)}, not {v}"
                      for c, v in goal.values.items() if c not in record or record[c] != v]  # fmt: skip
    for table in sorted({goal.table for goal in goals if goal.key is None}):
        wanted = [goal.values for goal in goals if goal.key is None and goal.table == table]
        new = [record for (name, _), record in found.created.items() if name == table]
        if not any(all(map(_fits, wanted, order)) for order in permutations(new, len(wanted))):
            wrong.append(f"there are {len(new)} new {table}, and not one each of {wanted}")
    return wrong


def _fits(values: Record, record: Record) -> bool:
    return all(record[column] == value for column, value in values.items())


def _uncalled_for(goals: list[Goal], found: Differences) -> list[str]:
    cells = {(goal.table, goal.key, column) for goal in goals for column in goal.values}
    wrong = [f"{table} {key}.{column} was changed" for table, key, column in found.changed
             if (table, key, column) not in cells]  # fmt: skip
    for table in sorted({name for name, _ in found.created}):
        new = sum(name == table for name, _ in found.created)
        wanted = sum(goal.table == table and goal.key is None for goal in goals)
        if new > wanted:
            wrong.append(f"{new - wanted} more {table} than asked for")
    return wrong + [f"{table} {key} is gone" for table, key in found.removed]


def _newly_broken(case: Case, end: State, found: Differences) -> list[str]:
    return [
        f"{rule.table} {key} no longer keeps {rule.page}"
        for rule in case.rules
        if {rule.table, rule.target} & found.tables
        for key in sorted(breakers(rule, end) - case.broken[rule])
    ]
