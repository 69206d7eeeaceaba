"""Plans: calls that lead to an end state, and how they are carried out in a session."""

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from planet.records.task import Task
from planet.world.session import Session
from tests.planet.second_checker.wants import Goal


class Made(NamedTuple):
    """Stands for the id of a record that an earlier call of the same plan creates."""

    number: int  # 0 for the first record created


class Step(NamedTuple):
    """One call. Tool "DELETE" removes the record {table, id} behind the tools' back: no tool can."""

    tool: str
    arguments: dict[str, Any]


Plan = tuple[Step, ...]


class Candidate(NamedTuple):
    """A plan with what it is meant to be."""

    way: str  # what is done, in a few words: candidates of one way are counted together
    family: str  # of the request that it varies
    right: bool
    plan: Plan


def write(goal: Goal, **other: Any) -> Step:
    """The one call that reaches a goal; `other` values replace or join the goal's."""
    named = {"id": goal.key} if goal.key is not None else {}
    return Step(f"update_{goal.table}", named | goal.values | other)


def change(table: str, key: Any, values: dict[str, Any]) -> Step:
    """An update of one record."""
    return Step(f"update_{table}", {"id": key, **values})


def writes(goals: Sequence[Goal]) -> Plan:
    """One call for each goal, in their order."""
    return tuple(write(goal) for goal in goals)


def carried_out(session: Session, task: Task, plan: Plan) -> bool:
    """Play a plan from the start of a task; False when SQLite refuses to remove a record."""
    session.begin(task)
    made: list[str] = []
    for step in plan:
        arguments = {n: made[v.number] if isinstance(v, Made) else v for n, v in step.arguments.items()}
        if step.tool == "DELETE":
            try:
                session.connection.execute(
                    f'DELETE FROM "{arguments["table"]}" WHERE "id" = ?', (arguments["id"],)
                )
            except sqlite3.IntegrityError:
                return False
            continue
        result = session.call(step.tool, arguments)
        if result.payload is not None and result.payload.get("created"):
            made.append(result.payload["id"])
    return True
