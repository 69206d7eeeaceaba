"""The policy that comes with the framework: a decoder that plays over a KV cache and learns from rewards."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import jax

from loop.learning.compilation import keep_programs
from loop.learning.decoder_in_play import DecoderInPlay
from loop.learning.language import language_of
from loop.learning.learner import Graded, Metrics, Request, Shown
from loop.learning.sources import source_digest
from planet.identity import digest, seed_of
from policy.advantages import update_advantages
from policy.checkpoint import CheckpointStore, without_arrays
from policy.config import PolicyConfig
from policy.decoder import parameters
from policy.demonstration import Demonstration
from policy.device_memory import require_room
from policy.devices import rollout_devices as devices_that_play
from policy.episode import Rollout
from policy.errors import DemonstrationError
from policy.fleet import Fleet
from policy.mesh import use_mesh
from policy.rollout import RolloutEngine
from policy.sao_trainer import Rewarded, SaoTrainer
from policy.state import TrainState
from policy.trainer import Scored, Trainer
from policy.warm_start import examples_of, warm_start
from policy.weights.source import load as load_weights

LAST = 10
"""Steps of the warm start over which its final metrics are averaged."""


def _trainer(config: PolicyConfig) -> Trainer | SaoTrainer:
    """What turns graded episodes into new parameters."""
    rest = (config.packing, config.rollout.temperature)
    if config.algorithm == "sao":
        return SaoTrainer(config.decoder, config.sao, *rest)
    return Trainer(config.decoder, config.grpo, *rest)


class DecoderLearner:
    """A policy that plays and learns. `state` is everything that training changes."""

    def __init__(self, config: PolicyConfig, seed: int, cache: Path, rollout_devices: int = 0) -> None:
        """`rollout_devices`: how many play, after those that learn; 0: those that learn do."""
        keep_programs(Path(config.compilation_cache or cache / "xla"))
        use_mesh(config.mesh)
        require_room(config, play_elsewhere=rollout_devices > 0)
        self._devices = devices_that_play(config.mesh, rollout_devices)
        self.config = config
        self.language = language_of(config)
        self.codec = self.language.codec
        self.engine = RolloutEngine(self.codec, config.decoder, config.rollout)
        self.trainer = _trainer(config)
        self.seed = seed
        self._state: TrainState | None = None

    @property
    def state(self) -> TrainState:
        """Parameters, optimizer state and version."""
        assert self._state is not None, "the warm start or a checkpoint comes first"
        return self._state

    @property
    def version(self) -> int:
        """Updates since the warm start."""
        return self.state.version

    def fingerprint(self) -> str:
        """A digest of settings, vocabulary, seed, code, and of what computes."""
        return digest(
            {
                "seed": self.seed,
                "decoder": self.config.decoder,
                "warm_start": self.config.warm_start,
                "packing": self.config.packing,
                "optimizer": self.config.actor_optimizer,
                **self._beside_the_policy(),
                "vocabulary": self.language.digest(),
                "code": source_digest("policy"),
                # Where and by what it is computed: results agree to rounding alone.
                "mesh": self.config.mesh,
                "platform": jax.default_backend(),
                "jax": jax.__version__,
            }
        )

    def warm_start(self, shown: Sequence[Shown], done: Callable[[int], None]) -> Metrics:
        """Learn from demonstrations; metrics of the last steps, and how many demonstrations had no tokens."""
        if self.config.weights is not None:
            self._state = self.trainer.adopt(load_weights(self.config.weights).params)
            return {}
        written = [Demonstration(s.view, s.trajectory.calls, s.trajectory.answer or "") for s in shown]
        unheard = self.config.warm_start.unheard
        examples, refused = examples_of(self.codec, written, unheard, seed_of(self.seed, "unheard"))
        width = self.config.packing.width
        fitting = [example for example in examples if len(example.ids) <= width]
        if examples and not fitting:
            shortest = min(len(example.ids) for example in examples)
            raise DemonstrationError(
                f"policy.packing.width: {width} holds none of {len(examples)} demonstrations, of which the "
                f"shortest has {shortest} tokens; raise it"
            )
        params, history = warm_start(
            self.config.decoder,
            parameters(self.config.decoder, seed_of(self.seed, "init")),
            fitting,
            self.config.warm_start,
            self.config.packing,
            seed_of(self.seed, "warm start"),
            lambda number, metrics: done(1),
        )
        self._state = self.trainer.adopt(params)
        last = history[-LAST:]
        return {
            "unwritable": float(len(refused) + len(examples) - len(fitting)),
            "loss": sum(m["loss"] for m in last) / len(last),
            "token_accuracy": sum(m["token_accuracy"] for m in last) / len(last),
        }

    def play(self, requests: Sequence[Request], temperature: float) -> list[Rollout]:
        """Episodes over one KV cache, or one on each device that plays."""
        if self._devices != [None]:
            return self._fleet(temperature).run(requests)
        return self.engine.run(
            self.state.params,
            requests,
            temperature=temperature,
            seed=self.seed,
            version=self.version,
        )

    def in_play(self, temperature: float) -> DecoderInPlay:
        """Episodes that go on while the policy learns."""
        return DecoderInPlay(self._fleet(temperature), lambda: self.state)

    def begin_update(self, groups: Sequence[Sequence[Graded]]) -> Callable[[], Metrics]:
        """The update, in a thread of its own that decides nothing: what is played meanwhile, and how much,
        is up to the caller."""
        return self._learning.submit(self.update, groups).result

    @cached_property
    def _learning(self) -> ThreadPoolExecutor:
        """The thread of updates; the mesh of those that learn is in use there as it is here."""
        return ThreadPoolExecutor(1, "update", initializer=use_mesh, initargs=(self.config.mesh,))

    def _fleet(self, temperature: float) -> Fleet:
        return Fleet(
            self.engine,
            self._devices,
            self.state.params,
            seed=self.seed,
            version=self.version,
            temperature=temperature,
        )

    def update(self, groups: Sequence[Sequence[Graded]]) -> Metrics:
        """One update on the groups' own samples."""
        if not groups:
            return {}
        if isinstance(self.trainer, SaoTrainer):
            rewarded = [
                Rewarded(member.rollout.tokens, member.grade.reward)  # type: ignore[arg-type]  # its own
                for group in groups
                for member in group
            ]
            self._state, metrics = self.trainer.update(self.state, rewarded)
            return metrics
        grpo = self.config.grpo
        rewards = [[member.grade.reward for member in group] for group in groups]
        advantages = update_advantages(rewards, grpo.normalisation, grpo.negative_weight)
        scored = [
            Scored(member.rollout.tokens, float(advantage))  # type: ignore[arg-type]  # its own TokenTrace
            for group, found in zip(groups, advantages, strict=True)
            for member, advantage in zip(group, found, strict=True)
        ]
        self._state, metrics = self.trainer.update(self.state, scored)
        return metrics

    def store(self, directory: Path) -> "DecoderStore":
        """Orbax checkpoints in a directory."""
        return DecoderStore(self, directory)

    def describe(self) -> dict[str, Any]:
        """What reading a checkpoint back needs to know."""
        return {
            "decoder": self.config.decoder.model_dump(mode="json"),
            **self.language.described(),
            "version": self.version,
        }

    def template(self) -> TrainState:
        """A state of the right shapes, without its arrays, to read a checkpoint into."""
        return without_arrays(self.trainer.init(seed_of(self.seed, "init")))

    def take(self, state: TrainState | None) -> None:
        """Take up a stored state; None: let the present one go."""
        self._state = state

    def _beside_the_policy(self) -> dict[str, Any]:
        """What decides what a stored state holds beside the policy; nothing for GRPO without a penalty."""
        if self.config.algorithm == "sao":
            return {"critic": self.config.sao.critic.optimizer}
        return {"reference": True} if self.config.grpo.kl else {}


class DecoderStore:
    """The learner's state on disk."""

    def __init__(self, learner: DecoderLearner, directory: Path) -> None:
        self._learner = learner
        self._store = CheckpointStore(directory)

    def steps(self) -> list[int]:
        """Steps that are stored."""
        return list(self._store.steps())

    def save(self, step: int, metadata: dict[str, Any]) -> None:
        """Store the learner's state."""
        self._store.save(step, self._learner.state, {**metadata, **self._learner.describe()})

    def load(self, step: int) -> dict[str, Any]:
        """Bring the learner to a stored state, unless its vocabulary is not extended by the present one.

        The learner lets its state go first: a device that has room for one may have none for two.
        """
        self._learner.take(None)
        state, metadata = self._store.load(step, self._learner.template())
        self._learner.language.require_same(metadata)
        self._learner.take(state)
        return dict(metadata)

    def drop(self, step: int) -> None:
        """Remove one."""
        self._store.drop(step)
