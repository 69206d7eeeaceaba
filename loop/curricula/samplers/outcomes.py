"""What samplers by passes and fails share: counts that fade, because the policy that earned them changes."""

from collections.abc import Sequence

from loop.curricula.protocols import GroupOutcome, State


class FadingOutcomes:
    """Task id -> (passes, fails); every new group of a task multiplies its older counts by `memory`."""

    def __init__(self, memory: float) -> None:
        """`memory`: in (0, 1]; 1 forgets nothing. ValueError outside of it."""
        if not 0 < memory <= 1:
            raise ValueError(f"memory={memory} is outside (0, 1]")
        self._memory = memory
        self._counts: dict[str, tuple[float, float]] = {}

    def observe(self, outcomes: Sequence[GroupOutcome]) -> None:
        """Add groups of rollouts."""
        for outcome in outcomes:
            passes, fails = self.of(outcome.task_id)
            self._counts[outcome.task_id] = (
                self._memory * passes + outcome.passes,
                self._memory * fails + outcome.rollouts - outcome.passes,
            )

    def of(self, task_id: str) -> tuple[float, float]:
        """Passes and fails of a task; zeros for one that was never tried."""
        return self._counts.get(task_id, (0.0, 0.0))

    def all(self) -> list[tuple[float, float]]:
        """Passes and fails of every task that was tried."""
        return list(self._counts.values())

    def state_dict(self) -> State:
        """The counts per task."""
        return {"counts": {task: list(counts) for task, counts in sorted(self._counts.items())}}

    def load_state_dict(self, state: State) -> None:
        """Take up stored counts."""
        self._counts = {task: (passes, fails) for task, (passes, fails) in state["counts"].items()}
