"""Sessions: private copies of a world in which episodes run.

A session is an in-memory SQLite database that is reused: a new episode rolls a savepoint back and applies the
task's delta. Everything an agent sends goes through `Session.call`, malformed output included; it is counted,
answered, and never raises.
"""

import sqlite3
from functools import lru_cache
from typing import Any

from planet.errors import GraderError, SessionError
from planet.records.episode import Call, Ended, Grade, ToolResult, Trajectory
from planet.records.task import Edit, Task
from planet.records.view import TaskView
from planet.records.world import World, WorldKey
from planet.world.database import Guard, build, quote
from planet.world.grading import RewardKind, examine, grade
from planet.world.tools import Tool, Write, compile_tools, failure

DEFAULT_TURNS = 20


class WorldImage:
    """A world compiled once for all of its sessions: database bytes, tools, and what no-op episodes score."""

    def __init__(self, world: World, key: WorldKey) -> None:
        if key.world_id != world.id:
            raise SessionError(
                f"the key is for world {key.world_id}, not for {world.id}; load both from one folder"
            )
        self.world, self.key = world, key
        self.tools: dict[str, Tool] = compile_tools(world)
        try:
            self.data = build(world).serialize()
        except sqlite3.Error as error:
            raise SessionError(
                f"world {world.id} does not load: {error}; run planet.validate on it"
            ) from error
        self.deltas: dict[str, tuple[tuple[str, tuple], ...]] = {}
        self.at_start: dict[
            str, dict[str, bool]
        ] = {}  # task id -> which evidence holds before the agent acts


@lru_cache(maxsize=256)
def _image(world_id: str, held: "_Held") -> WorldImage:
    return WorldImage(held.world, held.key)


class _Held:
    """World and key as one cache key that is equal when the world is."""

    def __init__(self, world: World, key: WorldKey) -> None:
        self.world, self.key = world, key

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and self.world.id == other.world.id and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.world.id)


class Session:
    """One private copy of a world, in which one episode at a time runs.

    `turns` bounds the calls of an episode; None lifts the bound (audits). `reward` picks the normalised
    reward or the paper's plain share of satisfied evidence.
    """

    def __init__(
        self,
        world: World,
        key: WorldKey,
        *,
        turns: int | None = DEFAULT_TURNS,
        reward: RewardKind = "normalised",
    ) -> None:
        self.image = _image(world.id, _Held(world, key))
        self.turns, self.reward = turns, reward
        self.task: Task | None = None
        self._connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
        self._connection.deserialize(self.image.data)
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._guard = Guard()
        self._connection.set_authorizer(self._guard)
        self._connection.execute("SAVEPOINT episode")
        self._reset()

    def _reset(self) -> None:
        self.steps = 0  # calls executed, malformed included: the charged steps of the episode
        self.malformed = 0
        self.after_answer = 0
        self.writes: list[Write] = []
        self._calls: list[tuple[str | None, dict[str, Any], ToolResult]] = []
        self._trajectory: Trajectory | None = None

    @property
    def view(self) -> TaskView:
        """The view of the task that has begun."""
        return self._begun().view

    @property
    def turns_left(self) -> int:
        """Calls that the episode may still make."""
        return 1_000_000 if self.turns is None else max(0, self.turns - self.steps)

    @property
    def connection(self) -> sqlite3.Connection:
        """The private database, for graders and audits."""
        return self._connection

    @property
    def guard(self) -> Guard:
        """The authorizer of the private database."""
        return self._guard

    def begin(self, task: Task) -> None:
        """Return to the seed state and apply the task's delta; SessionError when the delta does not apply."""
        if task.key.world_id != self.image.world.id:
            raise SessionError(
                f"task {task.id} belongs to world {task.key.world_id}, not {self.image.world.id}"
            )
        self._connection.execute("ROLLBACK TO episode")
        statements = self.image.deltas.get(task.id)
        if statements is None:
            statements = self.image.deltas[task.id] = tuple(_edit_statement(e) for e in task.key.delta)
        try:
            for sql, values in statements:
                self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise SessionError(f"the delta of task {task.id} does not apply: {error}") from error
        self._reset()
        self.task = task
        if task.id not in self.image.at_start:
            held = {e.name: e.satisfied for e in examine(self, at_start={})}
            self.image.at_start[task.id] = held

    def call(self, tool: str | None, arguments: dict[str, Any]) -> ToolResult:
        """Execute one tool call. `tool` None: output that could not be read, with the text in `arguments`."""
        if self._trajectory is not None:
            self.after_answer += 1
            return failure("the episode has ended; no call is executed after the answer")
        if self.turns is not None and self.steps >= self.turns:
            return failure(f"no turns left: the limit is {self.turns} calls")
        self.steps += 1
        result = self._execute(tool, arguments)
        self._calls.append((tool, arguments, result))
        return result

    def _execute(self, tool: str | None, arguments: dict[str, Any]) -> ToolResult:
        task = self._begun()
        if tool is None or not isinstance(arguments, dict):
            self.malformed += 1
            return failure("the output could not be read as a tool call")
        run = self.image.tools.get(tool) if isinstance(tool, str) else None
        if run is None or not _offered(task, tool):
            self.malformed += 1
            return failure(f"unknown tool {str(tool)[:60]!r}")
        try:
            return run(self._connection, arguments, self.writes)
        except (sqlite3.Error, UnicodeEncodeError, OverflowError) as error:
            return failure(f"{tool} could not run: {str(error)[:200]}")

    def finish(self, answer: str | None, ended: Ended) -> Trajectory:
        """End the episode and return what happened in it."""
        task = self._begun()
        calls = tuple(
            Call.model_construct(tool=tool, arguments=arguments, payload=result.payload, error=result.error)
            for tool, arguments, result in self._calls
        )
        self._trajectory = Trajectory(
            task_id=task.id, world_id=task.key.world_id, calls=calls, answer=answer, ended=ended
        )
        return self._trajectory

    def grade(self) -> Grade:
        """Grade the present state; raises GraderError when anything cannot be checked."""
        return grade(self, self.image.at_start[self._begun().id], self.reward)

    @property
    def calls(self) -> list[tuple[str | None, dict[str, Any], ToolResult]]:
        """Calls of the episode so far, with their results."""
        return self._calls

    def _begun(self) -> Task:
        if self.task is None:
            raise SessionError("no task has begun; call begin(task) first")
        return self.task

    def close(self) -> None:
        """Free the database."""
        self._connection.close()


def _offered(task: Task, tool: str) -> bool:
    return any(spec.name == tool for spec in task.view.tools)


def _edit_statement(edit: Edit) -> tuple[str, tuple]:
    table = quote(edit.table)
    if edit.op == "delete":
        return f'DELETE FROM {table} WHERE "id" = ?', (edit.key,)
    if edit.op == "set":
        sets = ", ".join(f"{quote(c)} = ?" for c in edit.values)
        return f'UPDATE {table} SET {sets} WHERE "id" = ?', (*edit.values.values(), edit.key)
    names = ", ".join(map(quote, ("id", *edit.values)))
    marks = ", ".join("?" * (len(edit.values) + 1))
    return f"INSERT INTO {table} ({names}) VALUES ({marks})", (edit.key, *edit.values.values())


def replay(session: Session, task: Task, trajectory: Trajectory) -> Grade:
    """Run a trajectory's calls again and grade the end; GraderError when a result is not the recorded one."""
    session.begin(task)
    for turn, call in enumerate(trajectory.calls):
        result = session.call(call.tool, call.arguments)
        if (result.payload, result.error) != (call.payload, call.error):
            raise GraderError(
                f"replay of task {task.id} differs at turn {turn} ({call.tool}): "
                f"recorded {call.error or call.payload}, now {result.error or result.payload}"
            )
    session.finish(trajectory.answer, trajectory.ended)
    return session.grade()
