"""Stand-ins that behave: a scripted author, and policies whose skill is known beforehand."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from planet.author.artifacts import Artifact, Author, AuthorCost, Context, Link
from planet.author.template import TemplateAuthor
from planet.errors import AuthorError
from planet.identity import stream
from planet.records.episode import Trajectory
from planet.records.task import PlannedCall, Task
from planet.world.session import Session

Line = Artifact | Exception | Callable[[Context], Artifact]
"""What a scripted author says: an artifact, an error to raise, or a function of the context."""

ONE_CALL = AuthorCost(calls=1, tokens_in=80, tokens_out=20, dollars=0.01)


class ScriptedAuthor:
    """Says the lines of its script, one per try of a link, the last again and again; else as `otherwise`."""

    name = "scripted"

    def __init__(self, script: Mapping[Link, Sequence[Line]], otherwise: Author | None = None) -> None:
        self.script = script
        self.otherwise = otherwise or TemplateAuthor()
        self.seen: list[tuple[Link, Context]] = []  # every request, in order
        self._said: dict[Link, int] = {}

    def propose(self, link: Link, context: Context) -> tuple[Artifact, AuthorCost]:
        """The next line of the script for `link`."""
        self.seen.append((link, context))
        lines = self.script.get(link)
        if not lines:
            return self.otherwise.propose(link, context)
        number = self._said.get(link, 0)
        self._said[link] = number + 1
        line = lines[min(number, len(lines) - 1)]
        if isinstance(line, Exception):
            raise line
        return (line(context) if callable(line) else line), ONE_CALL


def mute(message: str = "the model gave no JSON") -> AuthorError:
    """The error of an author that paid for a call and got nothing readable."""
    return AuthorError(message, ONE_CALL)


# ── policies: a session in which a task has begun -> what was done in it ──────────────────────────


def play(session: Session, plan: Sequence[PlannedCall], answer: str | None = "done") -> Trajectory:
    """Carry out a plan and answer."""
    for call in plan:
        session.call(call.tool, call.arguments)
    return session.finish(answer, "answer")


def oracle(session: Session, task: Task) -> Trajectory:
    """Does what the task wants."""
    return play(session, task.key.oracle)


def blind(session: Session, task: Task) -> Trajectory:
    """Does the same whatever the instruction says: looks at the first list and answers."""
    first = next(tool for tool in task.view.tools if tool.operation == "list")
    session.call(first.name, {})
    return session.finish("done", "answer")


def noisy(session: Session, task: Task, noise: float, seed: int) -> Trajectory:
    """The oracle, of whose calls a share `noise` is left out, garbled, or sent to an unknown record."""
    rng = stream(seed, "noisy", task.id)
    for call in task.key.oracle:
        if rng.random() >= noise:
            session.call(call.tool, call.arguments)
            continue
        _spoil(session, call, rng.randrange(3))
    return session.finish("done", "answer")


def _spoil(session: Session, call: PlannedCall, way: int) -> None:
    arguments: dict[str, Any] = {**call.arguments, "id": "NONE-0000"}
    if way == 1:
        session.call(None, {"raw": f"{call.tool} {{"})
    elif way == 2:
        session.call(call.tool, arguments)
