"""The policy as the loop sees it: an engine that plays, a trainer that learns, and the state between them."""

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from loop.config import Config
from loop.playing import Played
from planet.identity import seed_of
from policy.advantages import group_advantages
from policy.codec import WorldCodec
from policy.config import PolicyConfig
from policy.decoder import parameters
from policy.demonstration import Demonstration
from policy.rollout import RolloutEngine
from policy.trainer import Metrics, Scored, Trainer, TrainState
from policy.vocabulary import Vocabulary
from policy.warm_start import examples_of, warm_start


class Learner:
    """A policy that plays and learns. `state` is everything that training changes."""

    def __init__(self, config: PolicyConfig, vocabulary: Vocabulary, seed: int) -> None:
        self.config = config
        self.vocabulary = vocabulary
        self.codec = WorldCodec(vocabulary)
        self.engine = RolloutEngine(self.codec, config.decoder, config.rollout)
        self.trainer = Trainer(config.decoder, config.grpo, config.packing, config.rollout.temperature)
        self._seed = seed
        self._state: TrainState | None = None

    @property
    def state(self) -> TrainState:
        """Parameters, optimizer state and version."""
        assert self._state is not None, "the warm start or a checkpoint comes first"
        return self._state

    @property
    def params(self) -> Any:
        """The present parameters."""
        return self.state.params

    @property
    def version(self) -> int:
        """Updates applied since the warm start."""
        return self.state.version

    def template(self) -> TrainState:
        """A state of the right shapes, to read a checkpoint into."""
        return self.trainer.init(seed_of(self._seed, "init"))

    def take(self, state: TrainState) -> None:
        """Take up a stored state."""
        self._state = state

    def take_params(self, params: Any) -> None:
        """Take up parameters alone, with a fresh optimizer state and version 0."""
        self._state = self.trainer.adopt(params)

    def describe(self, more: dict[str, Any]) -> dict[str, Any]:
        """Metadata of a checkpoint: what reading it back needs, and `more`."""
        return {
            **more,
            "decoder": self.config.decoder.model_dump(mode="json"),
            "vocabulary": self.vocabulary.digest(),
            "vocabulary_words": len(self.vocabulary.words),
            "version": self.version,
        }

    def check(self, metadata: dict[str, Any]) -> None:
        """Refuse a checkpoint whose vocabulary this one does not extend."""
        self.vocabulary.require_extension_of(metadata["vocabulary"], metadata["vocabulary_words"])

    def warm_start(
        self, demonstrations: Sequence[Demonstration], progressed: Callable[[int, Metrics], None]
    ) -> tuple[list[Metrics], list[str]]:
        """Learn from demonstrations; metrics per step, and why some demonstrations could not be written in tokens."""
        examples, refused = examples_of(self.codec, demonstrations)
        params, history = warm_start(
            self.config.decoder,
            parameters(self.config.decoder, seed_of(self._seed, "init")),
            examples,
            self.config.warm_start,
            self.config.packing,
            seed_of(self._seed, "warm start"),
            progressed,
        )
        self.take_params(params)
        return history, refused

    def update(self, groups: Sequence[Sequence[Played]]) -> Metrics:
        """One policy update from groups of graded rollouts; no groups, no update, and no metrics."""
        if not groups:
            return {}
        scored = [
            Scored(played.rollout.tokens, float(advantage))
            for group in groups
            for played, advantage in zip(group, self._advantages(group), strict=True)
        ]
        self._state, metrics = self.trainer.update(self.state, scored)
        return metrics

    def _advantages(self, group: Sequence[Played]) -> np.ndarray:
        rewards = jnp.asarray([played.grade.reward for played in group], jnp.float32)
        return np.asarray(group_advantages(rewards, self.config.grpo.normalisation))


def learner_for(config: Config, vocabulary: Vocabulary) -> Learner:
    """The learner of a run."""
    return Learner(config.policy, vocabulary, config.seed)
