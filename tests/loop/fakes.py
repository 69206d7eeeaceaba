"""A scripted policy in the place of a decoder: it knows the oracle's plan and follows it with some skill.

It has a state that learns, checkpoints that are JSON files, and no JAX, so whole runs take a second or two.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from loop.learning.learner import Graded, Metrics, Request, Shown
from loop.tracking.protocol import Identity, StepRecord, TrackingError
from planet.identity import digest, stream
from planet.records.episode import Trajectory


class FakeTokens(NamedTuple):
    """As many sampled tokens as calls."""

    sampled: np.ndarray


class FakeRollout(NamedTuple):
    """A finished episode."""

    trajectory: Trajectory
    session: Any
    tokens: FakeTokens


class NoisyOracle:
    """Makes each planned call with a probability, its skill in the task's family, that practice raises."""

    def __init__(self, seed: int, step: float = 0.02) -> None:
        self.seed = seed
        self.step = step
        self.version = 0
        self.skill: dict[str, float] = {}

    def fingerprint(self) -> str:
        """All that it is."""
        return digest(["noisy oracle", self.seed, self.step])

    def warm_start(self, shown: Sequence[Shown], done: Callable[[int], None]) -> Metrics:
        """Skill 0.5 everywhere, and more for every demonstration of what it has seen."""
        self.version = 0
        self.skill = {"seen": min(0.8, 0.5 + 0.001 * len(shown))}
        done(1)
        return {"loss": 0.5, "token_accuracy": 0.5}

    def play(self, requests: Sequence[Request], temperature: float) -> list[FakeRollout]:
        """Follow the oracle; greedy play never slips below an even chance."""
        return [self._play(request, temperature) for request in requests]

    def _play(self, request: Request, temperature: float) -> FakeRollout:
        session = request.open()
        key = session.task.key
        rng = stream(self.seed, request.name, self.version)
        skill = self.skill.get(key.facets.family, self.skill["seen"])
        for planned in key.oracle:
            if rng.random() < skill or (temperature == 0 and skill > 0.5):
                session.call(planned.tool, planned.arguments)
        trajectory = session.finish("done", "answer")
        return FakeRollout(trajectory, session, FakeTokens(np.ones(len(trajectory.calls), bool)))

    def update(self, groups: Sequence[Sequence[Graded]]) -> Metrics:
        """Raise the skill of every world that was practised."""
        if not groups:
            return {}
        self.version += 1
        self.skill["seen"] = min(0.99, self.skill["seen"] + self.step * len(groups))
        return {"loss": 1.0 - self.skill["seen"], "groups": float(len(groups))}

    def store(self, directory: Path) -> "JsonStore":
        """JSON files."""
        return JsonStore(self, directory)


class OpenGate:
    """Admits every group, so that a policy that never succeeds is updated as well."""

    def admit(self, raw_rewards: Sequence[float]) -> bool:
        """Always."""
        return True

    def state_dict(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Nothing."""

    def metrics(self) -> dict[str, float]:
        """Nothing."""
        return {}


class DownTracker:
    """A tracker that nobody answers."""

    def begin(self, identity: Identity) -> int:
        """Nobody answers."""
        raise TrackingError("the tracker cannot be reached: nobody answers")

    def deliver(self, records: Sequence[StepRecord]) -> None:
        """Never comes to this."""

    def finish(self) -> None:
        """Nor to this."""


class JsonStore:
    """Checkpoints of a NoisyOracle."""

    def __init__(self, learner: NoisyOracle, directory: Path) -> None:
        self._learner, self._directory = learner, directory

    def steps(self) -> list[int]:
        """What is there."""
        return [int(path.stem) for path in self._directory.glob("*.json")]

    def save(self, step: int, metadata: dict[str, Any]) -> None:
        """One file, whole or absent."""
        self._directory.mkdir(parents=True, exist_ok=True)
        whole = {"skill": self._learner.skill, "version": self._learner.version, "metadata": metadata}
        part = self._directory / f"{step}.part"
        part.write_text(json.dumps(whole))
        part.replace(self._directory / f"{step}.json")

    def load(self, step: int) -> dict[str, Any]:
        """Back to what was."""
        whole = json.loads((self._directory / f"{step}.json").read_text())
        self._learner.skill, self._learner.version = whole["skill"], whole["version"]
        return dict(whole["metadata"])

    def drop(self, step: int) -> None:
        """Gone."""
        (self._directory / f"{step}.json").unlink()
