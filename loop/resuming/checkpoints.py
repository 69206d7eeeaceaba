"""Checkpoints of a run: policy and curriculum after every step that changed them, numbered by the step."""

from itertools import pairwise
from typing import Any

from loop.config import Config
from loop.errors import RunDirectoryError
from loop.learning.learner import Store
from loop.resuming.steps import Step, steps_of


class Checkpoints:
    """The newest few, the warm start, and the ends of iterations."""

    def __init__(self, store: Store, config: Config) -> None:
        self._store = store
        self._run_id = config.run_id
        self._keep = config.keep_checkpoints
        self._milestones = milestones(config)

    def steps(self) -> list[int]:
        """Controller steps with a whole checkpoint, rising."""
        return sorted(self._store.steps())

    def save(self, step: Step, curriculum: dict[str, Any]) -> None:
        """Write the state after a step, then drop what is no longer needed."""
        metadata = {"run_id": self._run_id, "step": step.index, "curriculum": curriculum}
        self._store.save(step.index, metadata)
        for old in self.steps()[: -self._keep]:
            if old not in self._milestones:
                self._store.drop(old)

    def load(self, step: int) -> dict[str, Any]:
        """Bring the learner to the state after a step; the state of the curriculum then."""
        return dict(loaded(self._store, step, self._run_id)["curriculum"])

    def drop_after(self, step: int) -> None:
        """Remove checkpoints of steps that are to be done again."""
        for later in self.steps():
            if later > step:
                self._store.drop(later)


def loaded(store: Store, step: int, run_id: str) -> dict[str, Any]:
    """Bring the learner to the state after a step; what was stored with it. RunDirectoryError when that is
    of another run."""
    metadata = store.load(step)
    if metadata["run_id"] != run_id:
        raise RunDirectoryError(
            f"checkpoint {step} of {run_id} is of another run, {metadata['run_id']}; restore the directory"
        )
    return metadata


def milestones(config: Config) -> frozenset[int]:
    """Steps whose checkpoints stay: the warm start, and the last update of every iteration."""
    steps = steps_of(config)
    kept = {step.index for step in steps if step.kind == "warm_start"}
    kept |= {
        before.index
        for before, after in pairwise(steps)
        if before.kind == "update" and after.kind == "validate"
    }
    return frozenset(kept)


def subject_step(config: Config, subject: str) -> int:
    """The step whose checkpoint is the warm start, or the final policy."""
    kind = "warm_start" if subject == "warm_start" else "update"
    found = [step.index for step in steps_of(config) if step.kind in (kind, "warm_start")]
    return found[0] if subject == "warm_start" else found[-1]
