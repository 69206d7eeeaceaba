"""Sessions: private copies of a world in which episodes run.

A session is an in-memory SQLite database that is reused: a new episode rolls a savepoint back and applies the
task's delta. Everything an agent sends goes through `Session.call`, malformed output included; it is counted,
answered, and never raises.
"""

import sqlite3
from functools import lru_cache
from typing import Any, NamedTuple

from planet.errors import GraderError, SessionError
from planet.records.episode import Call, Ended, Grade, ToolResult, Trajectory
from planet.records.task import Edit, Task, TaskKey
from planet.records.view import TaskView
from planet.records.world import World, WorldKey
from planet.world.arguments import shown, unplain
from planet.world.database import Guard, build, quote
from planet.world.grading import RewardKind, examine, grade
from planet.world.tools import Tool, Write, compile_tools, failure
from planet.world.untrusted_sql import bound

DEFAULT_TURNS = 20
PAGE_BYTES = 1024
"""Of a session's database: a table has at least two pages, and most tables are small."""
CACHE_KB = 64
"""Pages that a session keeps a second copy of, beside its database, which is in memory as it is."""
UNREADABLE = "the output could not be read as a tool call"
AFTER_ANSWER = "the episode has ended; no call is executed after the answer"

Executed = tuple[str | None, dict[str, Any], ToolResult]
"""A call as it is recorded, and its result. Tool None: the output could not be read as a call."""


class Start(NamedTuple):
    """How episodes of one task begin."""

    key: TaskKey
    statements: tuple[tuple[str, tuple], ...]  # of the delta
    held: dict[str, bool]  # which evidence holds before the agent acts


class Ending(NamedTuple):
    """How an episode ended."""

    answer: str | None
    ended: Ended


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
            self.data = build(world, PAGE_BYTES).serialize()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise SessionError(
                f"world {world.id} does not load: {error}; run planet.validate on it"
            ) from error
        self.starts: dict[str, Start] = {}  # by task id


@lru_cache(maxsize=256)
def _image(world_id: str, held: "_Held") -> WorldImage:
    return WorldImage(held.world, held.key)


def forget_images() -> None:
    """Free the compiled worlds that no session uses, for whoever goes through more than fit in memory."""
    _image.cache_clear()


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
        self.executed = 0  # calls over all episodes, malformed included; never reset
        self._connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
        self._connection.deserialize(self.image.data)
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.execute(f"PRAGMA cache_size = -{CACHE_KB}")
        self._guard = Guard()
        self._connection.set_authorizer(self._guard)
        bound(self._connection)
        self._connection.execute("SAVEPOINT episode")
        self._reset()

    def _reset(self) -> None:
        self.steps = 0  # calls executed, malformed included: the charged steps of the episode
        self.malformed = 0
        self.after_answer = 0
        self.writes: list[Write] = []
        self._calls: list[Executed] = []
        self._late: list[Executed] = []  # made after the end, not executed
        self._ending: Ending | None = None
        self._held: dict[
            str, bool
        ] = {}  # this session's own: another may begin a changed task of the same id

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
        self.task = None
        self._connection.execute("ROLLBACK TO episode")
        start = self.image.starts.get(task.id)
        if start is not None and start.key is not task.key and start.key != task.key:
            start = None  # of another task with this id
        statements = start.statements if start else tuple(map(_edit_statement, task.key.delta))
        self._apply(task, statements)
        self._reset()
        self.task = task
        if start is None:
            held = {e.name: e.satisfied for e in examine(self, at_start={})}
            start = self.image.starts[task.id] = Start(task.key, statements, held)
        self._held = start.held

    def _apply(self, task: Task, statements: tuple[tuple[str, tuple], ...]) -> None:
        try:
            for edit, (sql, values) in zip(task.key.delta, statements, strict=True):
                if self._connection.execute(sql, values).rowcount == 0:
                    raise SessionError(
                        f"the delta of task {task.id} does not apply: {edit.table} has no row {edit.key}"
                    )
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise SessionError(f"the delta of task {task.id} does not apply: {error}") from error

    def call(self, tool: str | None, arguments: dict[str, Any]) -> ToolResult:
        """Execute one tool call. `tool` None: output that could not be read, with the text in `arguments`."""
        if self._ending is not None:
            self.after_answer += self._ending.ended == "answer"
            self._late.append((*_recorded(tool, arguments), failure(AFTER_ANSWER)))
            return failure(AFTER_ANSWER)
        if self.turns is not None and self.steps >= self.turns:
            return failure(f"no turns left: the limit is {self.turns} calls")
        task = self._begun()
        self.steps += 1
        self.executed += 1
        executed = self._execute(task, tool, arguments)
        self._calls.append(executed)
        return executed[2]

    def _execute(self, task: Task, tool: str | None, arguments: dict[str, Any]) -> Executed:
        run = self.image.tools.get(tool) if isinstance(tool, str) and _offered(task, tool) else None
        if run is not None and isinstance(arguments, dict):
            try:
                result = run(self._connection, arguments, self.writes)
            except (sqlite3.Error, UnicodeEncodeError, OverflowError) as error:
                result = failure(f"{tool} could not run: {str(error)[:200]}")
            if result.error is None or unplain(arguments) is None:  # what a tool accepts is plain
                return tool, arguments, result
        self.malformed += 1
        tool, arguments = _recorded(tool, arguments)
        if tool is not None:
            return tool, arguments, failure(f"unknown tool {shown(tool)}")
        problem = arguments.get("problem")
        return (
            None,
            arguments,
            failure(f"{UNREADABLE}: {problem}" if isinstance(problem, str) else UNREADABLE),
        )

    def finish(self, answer: str | None, ended: Ended) -> Trajectory:
        """End the episode and return what happened in it."""
        self._begun()
        if answer is not None and unplain(answer):
            answer = answer.encode(errors="replace").decode()
        self._ending = Ending(answer, ended)
        return self.trajectory

    @property
    def trajectory(self) -> Trajectory:
        """What happened in the episode, calls after its end included; SessionError while it has not ended."""
        task = self._begun()
        if self._ending is None:
            raise SessionError(f"the episode of task {task.id} has not ended; call finish first")
        calls = tuple(
            Call.model_construct(tool=tool, arguments=arguments, payload=result.payload, error=result.error)
            for tool, arguments, result in (*self._calls, *self._late)
        )
        return Trajectory(
            task_id=task.id,
            world_id=task.key.world_id,
            calls=calls,
            answer=self._ending.answer,
            ended=self._ending.ended,
        )

    def grade(self) -> Grade:
        """Grade the present state; raises GraderError when anything cannot be checked."""
        self._begun()
        return grade(self, self._held, self.reward)

    @property
    def calls(self) -> list[Executed]:
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


def _recorded(tool: Any, arguments: Any) -> tuple[str | None, dict[str, Any]]:
    """A call in a form that can be written as JSON and replayed: what cannot becomes unreadable output."""
    problem = unplain([tool, arguments])
    if problem is None and isinstance(arguments, dict) and (tool is None or isinstance(tool, str)):
        return tool, arguments
    if tool is None:
        return None, {"raw": shown(arguments)}
    return None, {
        "raw": f"{shown(tool)} {shown(arguments)}",
        "problem": problem or "name and arguments wanted",
    }


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
    if (trajectory.task_id, trajectory.world_id) != (task.id, task.key.world_id):
        raise GraderError(
            f"the trajectory is of task {trajectory.task_id} in world {trajectory.world_id}, "
            f"not of task {task.id} in world {task.key.world_id}"
        )
    session.begin(task)
    late = [call for call in trajectory.calls if call.error == AFTER_ANSWER]
    for turn, call in enumerate((*(c for c in trajectory.calls if c.error != AFTER_ANSWER), *late)):
        if late and call is late[0]:
            session.finish(trajectory.answer, trajectory.ended)
        result = session.call(call.tool, call.arguments)
        if (result.payload, result.error) != (call.payload, call.error):
            raise GraderError(
                f"replay of task {task.id} differs at turn {turn} ({call.tool}): "
                f"recorded {call.error or call.payload}, now {result.error or result.payload}"
            )
    if not late:
        session.finish(trajectory.answer, trajectory.ended)
    return session.grade()
