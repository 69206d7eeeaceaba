"""Rehearsals: carrying out plans in a world, in the same world with its rows reversed, and in its twins."""

from planet.records.task import PlannedCall, Task
from planet.records.world import SeedState, World, WorldKey
from planet.tasks.twin import Twin, known_as, twin_of
from planet.world.session import Session


class Rehearsal:
    """The stage on which the plans of a world's tasks are carried out.

    `turns` is the turn limit under which agents will work; plans are not held to it.
    """

    def __init__(self, world: World, key: WorldKey, turns: int) -> None:
        self.world, self.key, self.turns = world, key, turns
        self.session = Session(world, key, turns=None)
        self._reversed: Session | None = None
        self._twins: dict[str, tuple[Twin, Session]] = {}
        self.steps = 0
        self.changed = 0  # rows that the calls of the last plan inserted, updated or deleted
        self.harmless: set[str] = set()  # tools with which all there is has been read, and no row changed

    def reward_of(
        self, plan: tuple[PlannedCall, ...], task: Task, session: Session | None = None
    ) -> tuple[float, bool]:
        """(raw reward, all-pass) of a plan carried out from the start of the task."""
        session = session or self.session
        session.begin(task)
        before = session.connection.total_changes
        for call in plan:
            session.call(call.tool, call.arguments)
        self.changed = session.connection.total_changes - before
        self.steps += session.steps
        graded = session.grade()
        return graded.raw_reward, graded.all_pass

    def reversed_rows(self) -> Session:
        """A session on the same world with every table inserted backwards."""
        if self._reversed is None:
            rows = {name: tuple(reversed(rows)) for name, rows in self.world.seed.rows.items()}
            world = known_as(self.world.replace(seed=SeedState(rows=rows)), self.world, "reversed")
            self._reversed = Session(
                world, WorldKey(world_id=world.id, invariants=self.key.invariants), turns=None
            )
        return self._reversed

    def twin(self, rule: str) -> tuple[Twin, Session]:
        """The twin of the world in which `rule` has another effect, and a session on it."""
        if rule not in self._twins:
            twin = twin_of(self.world, self.key, rule)
            self._twins[rule] = twin, Session(twin.world, twin.key, turns=None)
        return self._twins[rule]

    def close(self) -> None:
        """Free the databases."""
        for session in (self.session, self._reversed, *(s for _, s in self._twins.values())):
            if session is not None:
                session.close()
