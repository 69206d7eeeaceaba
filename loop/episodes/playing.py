"""Episodes: requests to the rollout engine, sessions to play in, grades of the end.

The engine returns rollouts whose sessions are still open; grading looks at their state and gives them back.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from loop.config import Config
from loop.learning.learner import Graded, Learner, Request, Rollout
from loop.worlds.pool import Environment, Pool
from loop.worlds.sessions import SessionPool
from planet.identity import stream
from planet.records.episode import Grade, Trajectory
from planet.records.task import Task
from planet.records.view import TaskView
from policy.names import unheard_names

OPEN_ROUNDS = 2
"""Sessions that may be open at a time, in rounds of the engine's slots: graded together, then reused."""


def open_sessions(config: Config) -> int:
    """Sessions that may be open at a time: rounds of the slots of every device that plays."""
    mode = config.asynchronous
    playing = max(1, mode.rollout_devices if mode is not None else 0)
    return OPEN_ROUNDS * playing * config.policy.rollout.slots


@dataclass(frozen=True)
class Wanted:
    """One episode to be played."""

    name: str  # of its random stream: equal names give equal samples, whatever is played beside
    episode_id: str  # in the ledger
    environment: Environment
    task: Task
    group_id: str | None = None
    unheard: frozenset[str] = frozenset()  # names that are strangers to the policy in this episode


@dataclass(frozen=True)
class Played:
    """One graded episode."""

    wanted: Wanted
    rollout: Rollout
    grade: Grade
    steps: int  # calls that the session executed, malformed included
    version: int  # of the policy

    @property
    def tokens(self) -> int:
        """Tokens that the policy sampled."""
        return int(self.rollout.tokens.sampled.sum())

    @property
    def task(self) -> Task:
        """The task that was played."""
        return self.wanted.task

    @property
    def graded(self) -> Graded:
        """It as a learner gets it."""
        return Graded(self.rollout, self.grade)

    @property
    def trajectory(self) -> Trajectory:
        """What was done."""
        return self.rollout.trajectory


def play(
    learner: Learner,
    wanted: Sequence[Wanted],
    sessions: SessionPool,
    *,
    temperature: float,
    batch: int,
    after_batch: Callable[[int], None] | None = None,
) -> list[Played]:
    """Play and grade episodes, at most `batch` sessions open at a time; in the order wanted."""
    played: list[Played] = []
    for start in range(0, len(wanted), batch):
        part = wanted[start : start + batch]
        requests = [request_for(w, sessions) for w in part]
        rollouts = learner.play(requests, temperature)
        played += [
            graded(w, rollout, sessions, learner.version) for w, rollout in zip(part, rollouts, strict=True)
        ]
        if after_batch is not None:
            after_batch(len(part))
    return played


def request_for(wanted: Wanted, sessions: SessionPool) -> Request:
    """What a learner is asked to play."""
    view: TaskView = wanted.task.view
    return Request(
        name=wanted.name,
        view=view,
        open=lambda: sessions.open(wanted.environment, wanted.task),
        unheard=wanted.unheard,
    )


def graded(wanted: Wanted, rollout: Rollout, sessions: SessionPool, version: int) -> Played:
    """A finished episode with its grade; its session is given back."""
    session = rollout.session
    played = Played(
        wanted=wanted, rollout=rollout, grade=session.grade(), steps=session.steps, version=version
    )
    sessions.give_back(session)
    return played


def repeated(pools: Sequence[Environment], rollouts: int, label: str, stream: str) -> list[Wanted]:
    """Every task of some environments, each `rollouts` times.

    `label` starts the episode ids; `stream` starts the names of the random streams, and is equal for all arms
    where they should be sampled alike.
    """
    return [
        Wanted(
            name=f"{stream}/{task.id}/r{r}",
            episode_id=f"{label}/{task.id}/r{r}",
            environment=environment,
            task=task,
        )
        for environment in pools
        for task in environment.tasks
        for r in range(rollouts)
    ]


def prompts(
    pool: Pool,
    task_ids: Sequence[str],
    group_size: int,
    step: int,
    first: int,
    unheard: float = 0.0,
    seed: int = 0,
) -> list[Wanted]:
    """One group per drawn task: prompt `first` and on, of controller step `step`.

    In a share `unheard` of the groups resources are unknown by name, so that the policy does not forget how
    to work with what it does not know.
    """
    wanted = []
    for offset, task_id in enumerate(task_ids):
        task = pool.task(task_id)
        group = f"s{step:04d}/p{first + offset:02d}"
        rng = stream(seed, "unheard names", group)
        strange = unheard_names(task.view, rng) if rng.random() < unheard else frozenset()
        wanted += [
            Wanted(
                name=f"train/{group}/g{member}/{seed}",
                episode_id=f"{group}/g{member}",
                environment=pool.environment(task.key.world_id),
                task=task,
                group_id=group,
                unheard=strange,
            )
            for member in range(group_size)
        ]
    return wanted
