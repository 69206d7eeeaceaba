"""Sessions are reused: a new episode rolls a private database back instead of making one."""

from collections import defaultdict

from loop.worlds.pool import Environment
from planet.records.task import Task
from planet.world.session import Session


class SessionPool:
    """Idle sessions by world, at most `limit` in all; the oldest are closed when there are more."""

    def __init__(self, turns: int, limit: int = 256) -> None:
        """`turns`: calls that an episode may make."""
        self._turns = turns
        self._limit = limit
        self._idle: dict[str, list[Session]] = defaultdict(list)
        self._order: list[str] = []  # world id of every idle session, oldest first
        self._alive: dict[int, Session] = {}  # idle and open ones, by identity
        self._closed = 0  # calls that closed sessions executed
        self._repeated = 0  # calls of episodes that a resumed run took up, executed before by another process

    @property
    def executed(self) -> int:
        """Calls that all sessions ever opened here executed, by their own counters, repeated ones apart."""
        return self._closed + sum(session.executed for session in self._alive.values()) - self._repeated

    def repeated(self, calls: int) -> None:
        """So many calls were executed to bring sessions to where they had been."""
        self._repeated += calls

    def open(self, environment: Environment, task: Task) -> Session:
        """A session in which the task has begun."""
        world_id = environment.world.id
        if self._idle[world_id]:
            self._order.remove(world_id)
            session = self._idle[world_id].pop()
        else:
            session = Session(environment.world, environment.key, turns=self._turns)
            self._alive[id(session)] = session
        session.begin(task)
        return session

    def give_back(self, session: Session) -> None:
        """Take a session whose episode has been graded."""
        world_id = session.image.world.id
        self._idle[world_id].append(session)
        self._order.append(world_id)
        while len(self._order) > self._limit:
            oldest = self._idle[self._order.pop(0)].pop(0)
            self._closed += self._alive.pop(id(oldest)).executed
            oldest.close()
