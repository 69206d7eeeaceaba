"""One client's episode, and the desk that opens one for every client.

Nothing here knows of MCP: a visit takes tool calls and an answer, and what a client may read of it is its
instruction, its tools and their results. The grade goes to the desk.
"""

from collections.abc import Callable
from typing import Any

from planet.errors import GraderError
from planet.records.episode import Grade, ToolResult, Trajectory
from planet.records.frozen import Frozen
from planet.records.task import Task
from planet.records.view import ToolSpec
from planet.store import StoredWorld
from planet.tasks.grow import TURNS
from planet.world.session import Session
from planet.world.tools import failure

FINISH = "finish"
"""Name of the tool that ends an episode; no tool of a world is called so."""
LONGEST_ANSWER = 10_000
"""Characters."""
HAS_ENDED = "the episode has ended; connect again for another one"


class Outcome(Frozen):
    """What became of one client's episode, for whoever runs the server."""

    client: int  # counted from 1, in the order in which clients came
    finished: bool  # False: the client left without an answer
    trajectory: Trajectory
    grade: Grade | None  # None: it could not be graded
    problem: str | None  # why it could not be graded; None: it was


class Visit:
    """One client in its own copy of the world. The episode ends with `finish`, or when the client leaves."""

    def __init__(
        self, client: int, stored: StoredWorld, task: Task, report: Callable[[Outcome], None]
    ) -> None:
        self.client, self.task = client, task
        self._company = stored.world.company.name
        self._report = report
        self._session = Session(stored.world, stored.key, turns=TURNS[stored.world.brief.profile])
        self._session.begin(task)
        self._over = False

    @property
    def instruction(self) -> str:
        """The task in words, as the client's agent is told it."""
        role = self.task.view.role.replace("_", " ")
        return (
            f"You are the {role} of {self._company}.\n\n{self.task.view.instruction}\n\n"
            f"You may call the company's tools {self._session.turns} times. When you are done, call {FINISH}."
        )

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """Tools of the task."""
        return self.task.view.tools

    def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """Execute a call of the task's tools; never raises because of what a client sent."""
        return failure(HAS_ENDED) if self._over else self._session.call(tool, arguments)

    def finish(self, answer: Any) -> ToolResult:
        """End the episode with an answer, report its grade to the desk, and tell the client nothing of it."""
        if self._over:
            return failure(HAS_ENDED)
        if not isinstance(answer, str) or len(answer) > LONGEST_ANSWER:
            return failure(f"answer must be text of at most {LONGEST_ANSWER} characters")
        self._end(answer)
        return ToolResult({"done": True}, None)

    def leave(self) -> None:
        """Free the copy of the world; an episode that goes on ends without an answer."""
        if not self._over:
            self._end(None)
        self._session.close()

    def _end(self, answer: str | None) -> None:
        self._over = True
        trajectory = self._session.finish(answer, "turn_limit" if answer is None else "answer")
        grade, problem = None, None
        try:
            grade = self._session.grade()
        except GraderError as error:  # its words quote what is hidden: they go to the desk alone
            problem = str(error)
        self._report(
            Outcome(
                client=self.client,
                finished=answer is not None,
                trajectory=trajectory,
                grade=grade,
                problem=problem,
            )
        )


class Desk:
    """Opens a visit for every client, with the tasks in turn. Raises PlanetError when one does not begin."""

    def __init__(
        self, stored: StoredWorld, tasks: tuple[Task, ...], report: Callable[[Outcome], None]
    ) -> None:
        self.stored, self.tasks, self._report = stored, tasks, report
        self.clients = 0  # that came so far
        trial = Session(stored.world, stored.key)
        for task in tasks:  # a task that does not begin, or cannot be graded, is told before anyone comes
            trial.begin(task)
        trial.close()

    def open(self) -> Visit:
        """The episode of a client that has just come."""
        task = self.tasks[self.clients % len(self.tasks)]
        self.clients += 1
        return Visit(self.clients, self.stored, task, self._report)
