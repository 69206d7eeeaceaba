"""A scripted agent: the oracle, some of whose writes go wrong, executed and graded by real sessions.

What happens in an episode depends on which writes go wrong, and how, alone; so each pattern of faults of a
task is executed once and remembered.
"""

from collections.abc import Mapping
from random import Random
from typing import Any, Literal

from analysis.ledger import TaskRow, WorldRow, episode_rows, task_row, world_row
from analysis.weakness.from_ledger import probes_from_rows
from analysis.weakness.planted.tasks import Place
from analysis.weakness.probe import ProbeEpisode
from planet.cells import cells_of, owned
from planet.records.task import PlannedCall
from planet.world.session import Session

Fault = Literal["omitted", "wrong_target", "tool_error"]
FAULTS: tuple[Fault, ...] = ("omitted", "wrong_target", "tool_error")
"""What becomes of a write that goes wrong: left out, done to another record, or to one that is not there."""
Faults = tuple[Fault | None, ...]
"""For each call of the oracle plan, in order; None: done right."""


class ScriptedAgent:
    """Plays tasks with given chances of success per tool; everything else it does is the oracle's plan."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._rows: dict[str, tuple[WorldRow, TaskRow]] = {}
        self._played: dict[tuple[str, Faults], ProbeEpisode] = {}

    def play(self, place: Place, success: Mapping[str, float], draw: Random, name: str) -> ProbeEpisode:
        """One graded episode called `name`. success: tool -> chance that a required call of it is right."""
        faults = tuple(self._fault(call, success, draw) for call in place.task.key.oracle)
        return self.played(place, faults).replace(episode_id=name)

    def _fault(self, call: PlannedCall, success: Mapping[str, float], draw: Random) -> Fault | None:
        if not call.required or draw.random() < success.get(call.tool, 1.0):
            return None
        return draw.choice(FAULTS)

    def played(self, place: Place, faults: Faults) -> ProbeEpisode:
        """The episode with these faults."""
        key = (place.task.id, faults)
        if key not in self._played:
            self._played[key] = self._execute(place, faults)
        return self._played[key]

    def _execute(self, place: Place, faults: Faults) -> ProbeEpisode:
        session = self._session(place)
        session.begin(place.task)
        for call, fault in zip(place.task.key.oracle, faults, strict=True):
            if fault != "omitted":
                session.call(call.tool, _arguments(place, call, fault))
        trajectory = session.finish("done", "answer")
        world, task = self._known(place)
        rows = episode_rows(
            "planted", 0, "episode", trajectory, session.grade(),
            purpose="diagnose", variant="script", tokens=0, policy_version=0,
        )  # fmt: skip
        return probes_from_rows(rows, {task.task_id: task}, {world.world_id: world})[0]

    def _session(self, place: Place) -> Session:
        if place.world.id not in self._sessions:
            self._sessions[place.world.id] = Session(place.world, place.key, turns=None)
        return self._sessions[place.world.id]

    def _known(self, place: Place) -> tuple[WorldRow, TaskRow]:
        task = place.task
        if task.id not in self._rows:
            names = [*(a.id for a in task.key.assertions), *task.key.at_stake]
            owners = {name: owned(task.key, name) for name in names}
            self._rows[task.id] = (
                world_row("planted", 0, place.world, origin="diagnose"),
                task_row("planted", 0, task, split="diagnose", cells=cells_of(task.key), owned=owners),
            )
        return self._rows[task.id]

    def close(self) -> None:
        """Free the databases."""
        for session in self._sessions.values():
            session.close()


def _arguments(place: Place, call: PlannedCall, fault: Fault | None) -> dict[str, Any]:
    """The call's arguments, spoilt."""
    if fault is None:
        return call.arguments
    if fault == "tool_error" or "id" not in call.arguments:
        return {**call.arguments, "id": "NONE-0000"}
    table = call.tool.removeprefix("update_")
    others = [str(row[0]) for row in place.world.seed.rows[table] if row[0] != call.arguments["id"]]
    return {**call.arguments, "id": others[0]}
