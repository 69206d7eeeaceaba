"""Warm starts by the hash of everything they follow from: made once per seed, shared by all arms."""

from collections.abc import Sequence
from pathlib import Path

from policy.checkpoint import CheckpointStore

from loop.config import Config
from loop.learner import Learner
from loop.sources import source_digest
from planet.identity import digest
from policy.demonstration import Demonstration


class WarmStartCache:
    """The place of one warm start."""

    def __init__(self, config: Config, learner: Learner, demonstrations: Sequence[Demonstration]) -> None:
        self._learner = learner
        self.key = cache_key(config, learner, demonstrations)
        self._directory: Path = config.cache / "warm_start" / self.key

    def read(self) -> dict[str, float] | None:
        """Give the learner the stored policy; the metrics of its making, or None when it is not stored."""
        if not self._directory.is_dir():
            return None
        store = CheckpointStore(self._directory)
        if 0 not in store.steps():
            return None
        state, metadata = store.load(0, self._learner.template())
        self._learner.take(state)
        return dict(metadata["metrics"])

    def write(self, metrics: dict[str, float]) -> None:
        """Store the learner's policy."""
        self._directory.mkdir(parents=True, exist_ok=True)
        metadata = self._learner.describe({"metrics": metrics})
        CheckpointStore(self._directory).save(0, self._learner.state, metadata)


def cache_key(config: Config, learner: Learner, demonstrations: Sequence[Demonstration]) -> str:
    """A digest of the demonstrations in their order, the settings, the vocabulary and the code that learns."""
    distinct = {d.view.task_id: d for d in demonstrations}
    return digest(
        {
            "seed": config.seed,
            "decoder": config.policy.decoder,
            "warm_start": config.policy.warm_start,
            "packing": config.policy.packing,
            "optimizer": config.policy.grpo.optimizer,
            "vocabulary": learner.vocabulary.digest(),
            "order": [d.view.task_id for d in demonstrations],
            "demonstrations": {
                task_id: [d.view, [c.model_dump(mode="json") for c in d.calls], d.answer]
                for task_id, d in distinct.items()
            },
            "code": source_digest("policy"),
        }
    )
