"""The learner that cannot learn: a model behind an interface in the place of the policy.

It is evaluated in the same worlds, by the same graders, into the same ledger. `loop.config` refuses updates
of it; its solved episodes can be another learner's demonstrations (`loop.learning.api.demonstrator`).
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from loop.errors import ConfigError, RunError
from loop.learning.api.episode import ApiRollout
from loop.learning.api.player import Player, Unplayed
from loop.learning.api.settings import ANSWERS, api_settings
from loop.learning.learner import Graded, Metrics, Request, Shown
from planet.identity import digest
from planet.language_model.address import addresses
from planet.whole_file import write_whole
from policy.config import PolicyConfig

WHAT_IT_MAY = (
    "it may be evaluated (iterations: 0, or python -m loop.evaluate --model NAME DIR), "
    "or name it under demonstrations: {type: api, model: NAME}"
)


class ApiLearner:
    """Plays by function calling. Its warm start and its checkpoints hold nothing: the model is as it is."""

    version = 0  # updates since the warm start: there are none

    def __init__(
        self,
        model: str,
        config: PolicyConfig,
        seed: int,
        max_tokens: int = 4_096,
        timeout: float = 120.0,
        retries: int = 4,
        first_wait: float = 1.0,
        api_base: str | None = None,
        api_key_env: str | None = None,
        answers: str | None = ANSWERS,
        budget: dict[str, float] | None = None,
        dollars_per_million: tuple[float, float] | None = None,
        concurrency: int = 8,
    ) -> None:
        """The parameters are those of `loop.learning.api.settings`."""
        fields = {k: v for k, v in locals().items() if k not in ("self", "config", "seed")}
        self.settings = api_settings("learner", {**fields, "budget": budget or {}})
        self.player = Player(self.settings, seed, config.rollout.max_unreadable)

    def fingerprint(self) -> str:
        """A digest of the model's name and address, wherever that is given."""
        given = addresses(self.settings)
        return digest(["api", self.settings.model, self.settings.api_base, *([given] if given else [])])

    def warm_start(self, shown: Sequence[Shown], done: Callable[[int], None]) -> Metrics:
        """Nothing is learned from demonstrations, and nothing was measured."""
        return {}

    def play(self, requests: Sequence[Request], temperature: float) -> list[ApiRollout]:
        """One rollout per request; RunError when not all were played: no answers, or the budget is spent.

        What was answered is kept, so the same run resumed goes on from there.
        """
        done: dict[int, ApiRollout] = {}
        reason = ""
        for index, outcome in self.player.play(requests, temperature):
            if isinstance(outcome, Unplayed):
                reason = reason or outcome.reason
            else:
                done[index] = outcome
        if reason:
            raise RunError(
                f"{len(requests) - len(done)} of {len(requests)} episodes were not played: {reason}"
            )
        return [done[index] for index in range(len(requests))]

    def update(self, groups: Sequence[Sequence[Graded]]) -> Metrics:
        """ConfigError: there is nothing to update."""
        raise ConfigError(f"learner: {self.settings.model} cannot learn; {WHAT_IT_MAY}")

    def store(self, directory: Path) -> "ApiStore":
        """Checkpoints that hold what was stored with them, and no weights."""
        return ApiStore(directory)


class ApiStore:
    """The metadata of each checkpoint, as a JSON file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def steps(self) -> list[int]:
        """Steps that are stored."""
        return sorted(int(path.stem) for path in self._directory.glob("*.json"))

    def save(self, step: int, metadata: dict[str, Any]) -> None:
        """One file, whole or absent."""
        self._directory.mkdir(parents=True, exist_ok=True)
        write_whole(self._path(step), json.dumps(metadata))

    def load(self, step: int) -> dict[str, Any]:
        """The metadata that was stored."""
        return dict(json.loads(self._path(step).read_text(encoding="utf-8")))

    def drop(self, step: int) -> None:
        """Remove one."""
        self._path(step).unlink()

    def _path(self, step: int) -> Path:
        return self._directory / f"{step}.json"
