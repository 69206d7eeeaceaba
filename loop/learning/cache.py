"""Warm starts by the hash of everything they follow from: made once per seed, shared by all arms."""

import fcntl
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from loop.config import Config
from loop.learning.learner import Learner, Shown
from planet.identity import digest


class WarmStartCache:
    """The place of one warm start."""

    def __init__(self, config: Config, learner: Learner, shown: Sequence[Shown]) -> None:
        self.key = cache_key(learner, shown)
        self._directory: Path = config.cache / "warm_start" / self.key
        self._lock: Path = config.cache / "warm_start.lock"  # of all warm starts: a write is short
        self._learner = learner

    def read(self) -> dict[str, float] | None:
        """Bring the learner to the stored policy; the metrics of its making, or None without one."""
        self._directory.mkdir(parents=True, exist_ok=True)  # made by none or by all processes of a run
        store = self._learner.store(self._directory)
        return dict(store.load(0)["metrics"]) if 0 in store.steps() else None

    def write(self, metrics: dict[str, float], alone: bool = True) -> None:
        """Store the learner's policy, unless another run has stored it meanwhile.

        alone: this process is the whole run, so it may wait for others; the processes of one run write
        together.
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        with self._lock.open("w") if alone else nullcontext() as lock:
            if lock is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            store = self._learner.store(self._directory)
            if 0 not in store.steps():
                store.save(0, {"metrics": metrics})


def cache_key(learner: Learner, shown: Sequence[Shown]) -> str:
    """A digest of the demonstrations in their order, and of what the learner makes of them."""
    distinct = {s.view.task_id: s for s in shown}
    return digest(
        {
            "learner": learner.fingerprint(),
            "order": [s.view.task_id for s in shown],
            "shown": {task_id: [s.view, s.trajectory] for task_id, s in distinct.items()},
        }
    )
