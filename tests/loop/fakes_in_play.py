"""A scripted policy that plays while it learns: one planned call of every episode per decoding call."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from loop.learning.learner import Graded, Metrics, Request, Shown
from planet.identity import seed_of, stream
from planet.records.episode import Trajectory
from tests.loop.fakes import NoisyOracle

SLOTS = 6


class Versions(NamedTuple):
    """One sampled token per planned call, with the version that sampled it."""

    sampled: np.ndarray
    version: np.ndarray


class Ended(NamedTuple):
    """A finished episode."""

    trajectory: Trajectory
    session: Any
    tokens: Versions


@dataclass
class Episode:
    """One in progress."""

    number: int
    request: Request
    session: Any
    idle: int  # decoding calls that it spends before its next planned call
    made: list[bool] = field(default_factory=list)  # which planned calls were made
    versions: list[int] = field(default_factory=list)


class InPlayOracle(NoisyOracle):
    """Follows the oracle under the skill of the moment; every `slow`th episode idles after its first call."""

    def __init__(self, seed: int, slow: int = 0) -> None:
        super().__init__(seed, step=0.002)
        self.slow = slow

    def warm_start(self, shown: Sequence[Shown], done: Callable[[int], None]) -> Metrics:
        """Good enough for some groups to be right in all members, which the gate drops."""
        metrics = super().warm_start(shown, done)
        self.skill = {"seen": 0.9}
        return metrics

    def play(self, requests: Sequence[Request], temperature: float) -> list[Ended]:
        """The same episodes, to their end."""
        playing, done = OracleInPlay(self), {}
        playing.submit(requests)
        while playing.busy:
            done |= dict(playing.advance())
        return [done[number] for number in range(len(requests))]

    def in_play(self, temperature: float) -> "OracleInPlay":
        """Nothing yet."""
        return OracleInPlay(self)

    def begin_update(self, groups: Sequence[Sequence[Graded]]) -> Callable[[], Metrics]:
        """It is made when it is waited for."""
        return lambda: self.update(groups)


class OracleInPlay:
    """Episodes in progress, `SLOTS` of them at a time."""

    def __init__(self, learner: InPlayOracle) -> None:
        self.learner = learner
        self.queue: list[tuple[int, Request]] = []
        self.episodes: list[Episode] = []
        self.submitted = 0
        self.renew()

    @property
    def busy(self) -> bool:
        """Something is to be played."""
        return bool(self.queue or self.episodes)

    def renew(self) -> None:
        """The skill of now."""
        self.skill, self.version = dict(self.learner.skill), self.learner.version

    def submit(self, requests: Sequence[Request]) -> list[int]:
        """Queued."""
        numbers = list(range(self.submitted, self.submitted + len(requests)))
        self.queue += zip(numbers, requests, strict=True)
        self.submitted += len(requests)
        return numbers

    def advance(self) -> list[tuple[int, Ended]]:
        """One planned call of every episode that has a slot."""
        while self.queue and len(self.episodes) < SLOTS:
            self.episodes.append(self._begun(*self.queue.pop(0)))
        ended = [(e.number, self._ended(e)) for e in self.episodes if self._over(e)]
        self.episodes = [e for e in self.episodes if e.number not in dict(ended)]
        return ended

    def _begun(self, number: int, request: Request) -> Episode:
        slow = self.learner.slow and seed_of(0, request.name) % self.learner.slow == 0
        return Episode(number, request, request.open(), 60 if slow else 0)

    def _over(self, e: Episode) -> bool:
        plan = e.session.task.key.oracle
        if e.versions and e.idle:
            e.idle -= 1
            return False
        rng = stream(self.learner.seed, e.request.name, len(e.made), self.version)
        self._make(e, rng.random() < self.skill["seen"])
        e.versions.append(self.version)
        return len(e.made) == len(plan)

    def _make(self, e: Episode, yes: bool) -> None:
        planned = e.session.task.key.oracle[len(e.made)]
        e.made.append(yes)
        if yes:
            e.session.call(planned.tool, planned.arguments)

    def _ended(self, e: Episode) -> Ended:
        tokens = Versions(np.ones(len(e.versions), bool), np.asarray(e.versions))
        return Ended(e.session.finish("done", "answer"), e.session, tokens)

    def age(self, rollout: Ended) -> tuple[int, int]:
        """(oldest, first)."""
        return int(rollout.tokens.version.min()), int(rollout.tokens.version[0])

    def keep(self, rollout: Ended) -> dict[str, Any]:
        """JSON values, by way of JSON."""
        kept = {
            "trajectory": rollout.trajectory.model_dump(mode="json"),
            "version": rollout.tokens.version.tolist(),
        }
        return dict(json.loads(json.dumps(kept)))

    def kept(self, state: Mapping[str, Any]) -> Ended:
        """From them."""
        version = np.asarray(state["version"])
        return Ended(
            Trajectory.model_validate(state["trajectory"]),
            None,
            Versions(np.ones(len(version), bool), version),
        )

    def state_dict(self) -> dict[str, Any]:
        """What was made of every episode."""
        return {
            "submitted": self.submitted,
            "queue": [number for number, _ in self.queue],
            "episodes": [[e.number, e.idle, e.made, e.versions] for e in self.episodes],
        }

    def load_state_dict(self, state: Mapping[str, Any], requests: Mapping[int, Request]) -> None:
        """The same calls again."""
        self.submitted = state["submitted"]
        self.queue = [(number, requests[number]) for number in state["queue"]]
        for number, idle, made, versions in state["episodes"]:
            episode = Episode(number, requests[number], requests[number].open(), idle)
            for yes in made:
                self._make(episode, yes)
            episode.versions = list(versions)
            self.episodes.append(episode)
