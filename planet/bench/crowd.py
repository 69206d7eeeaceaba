"""Many sessions open at once in one process: what a call takes among them, and what memory each one takes.

Every session plays its task by the oracle's plan, turn by turn: each call meets another session than the one
before, as it does when many agents play side by side. A few sessions are tried first, and stay open: what
they take says whether all of them fit, and what a call takes without the crowd.
"""

import gc
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from planet.bench.machine import UNIT, free_files, free_memory, open_files, resident
from planet.bench.row import Row
from planet.bench.spread import spent, spread
from planet.bench.stage import made_world
from planet.errors import SessionError
from planet.records.frozen import Frozen
from planet.records.task import Task
from planet.records.world import World, WorldKey
from planet.world.session import Session

TRIED = 100
"""Sessions of the trial; fewer where fewer are asked for."""
_KEPT_FREE = 0.1
"""Share of the free memory that is left to everybody else."""


class Place(NamedTuple):
    """A task with its world."""

    world: World
    key: WorldKey
    task: Task


class Memory(Frozen):
    """Bytes of resident memory per session, over all that were opened."""

    begun: float  # open, and its task begun
    played: float  # its plan carried out and graded


class Crowd(Frozen):
    """What was measured."""

    sessions: int
    worlds: int
    memory: Memory
    rows: tuple[Row, ...]


def crowd(sessions: int, worlds: int) -> Crowd:
    """Open, play, grade and close; SessionError, before anything is taken, when so many do not fit."""
    places = library_places(worlds)
    few = _Gathering(places, min(TRIED, sessions))
    calm = few.play()
    check_room(sessions, few.size, few.memory, few.files)
    many = _Gathering(places, sessions)
    busy = many.play()
    closed = many.close()
    few.close()
    rows = (
        Row(what="open a session", ours=spread(many.opened), raw=None, raw_is=""),
        Row(what="its first episode begun", ours=spread(many.begun), raw=None, raw_is=""),
        Row(what="a call, all open", ours=spread(busy), raw=None, raw_is=""),
        Row(what=f"a call, {few.size} open", ours=spread(calm), raw=None, raw_is=""),
        Row(what="grade, all open", ours=spread(many.graded), raw=None, raw_is=""),
        Row(what="close a session", ours=spread(closed), raw=None, raw_is=""),
    )
    return Crowd(sessions=sessions, worlds=len({p.world.id for p in places}), memory=many.memory, rows=rows)


def library_places(worlds: int) -> list[Place]:
    """The tasks of so many library worlds, world by world."""
    places: list[Place] = []
    number = found = 0
    while found < worlds:
        made = made_world(number, "library")
        number += 1
        if made.world is not None and made.key is not None:
            found += 1
            Session(made.world, made.key).close()  # compiled once for all that follow
            places += [Place(made.world, made.key, task) for task in made.tasks]
    return places


def check_room(sessions: int, tried: int, each: Memory, files: int) -> None:
    """SessionError that names the limit when `sessions` like those tried do not fit.

    `files`: descriptors that the tried ones hold together.
    """
    left = free_memory()
    if left is not None:
        most = int((1 - _KEPT_FREE) * left[0] / max(each.played, 1.0))
        if sessions > most:
            raise SessionError(
                f"{sessions:,} sessions take about {sessions * each.played / UNIT:,.0f} MB, and {left[1]} is "
                f"{left[0] / UNIT:,.0f} MB; free some, or try --sessions {most}"
            )
    descriptors, wanted = free_files(), sessions * files // tried
    if descriptors is not None and wanted > descriptors:
        raise SessionError(
            f"{sessions:,} sessions hold {wanted:,} file descriptors, and {descriptors:,} are left "
            f"(ulimit -n); raise it, or try --sessions {descriptors * tried // files}"
        )


class _Gathering:
    """Sessions that are open together."""

    def __init__(self, places: Sequence[Place], size: int) -> None:
        self.size = size
        self.places = [places[number % len(places)] for number in range(size)]
        self.opened: list[float] = []
        self.begun: list[float] = []
        self.graded: list[float] = []
        gc.collect()
        self._start, files = resident(), open_files() or 0
        self.sessions: list[Session] = []
        for place in self.places:
            self._open(place)
        self.files = (open_files() or 0) - files
        self.memory = Memory(begun=self._taken(), played=0.0)

    def _open(self, place: Place) -> None:
        """MemoryError becomes a SessionError that says how many there were."""
        try:
            took, session = spent(lambda: Session(place.world, place.key))
            self.sessions.append(session)
            self.begun.append(spent(lambda: session.begin(place.task))[0])
            self.opened.append(took)
        except (MemoryError, OSError) as error:
            reached = len(self.sessions)
            self.close()
            raise SessionError(
                f"no more sessions open after {reached:,}: {str(error) or 'out of memory'}; "
                f"try --sessions {max(1, reached * 9 // 10)}"
            ) from error

    def play(self) -> list[float]:
        """CPU microseconds of every call; then all sessions are graded."""
        times = [took for turn in self._turns() for took in turn]
        for session in self.sessions:
            took, grade = spent(session.grade)
            self.graded.append(took)
            if not grade.all_pass:
                raise SessionError(f"the oracle's plan of task {grade.task_id} fails; run planet.audit on it")
        self.memory = self.memory.replace(played=self._taken())
        return times

    def _turns(self) -> Iterator[list[float]]:
        """Turn by turn, the times of the calls, over the sessions in an order of its own."""
        rng = Random(0)
        order = list(range(self.size))
        longest = max(len(place.task.key.oracle) for place in self.places)
        for turn in range(longest):
            rng.shuffle(order)
            yield [took for number in order for took in self._call(number, turn)]

    def _call(self, number: int, turn: int) -> Iterator[float]:
        plan = self.places[number].task.key.oracle
        if turn < len(plan):
            session, call = self.sessions[number], plan[turn]
            yield spent(lambda: session.call(call.tool, call.arguments))[0]

    def close(self) -> list[float]:
        """CPU microseconds of every closing."""
        times = [spent(session.close)[0] for session in self.sessions]
        self.sessions.clear()
        return times

    def _taken(self) -> float:
        gc.collect()
        return (resident() - self._start) / self.size
