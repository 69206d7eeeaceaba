"""What the stages of a run work on: everything that is carried from step to step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from loop.asynchronous.stream import Stream
from loop.config import Config
from loop.curricula.protocols import Gate, Grower, ReportTransform, Sampler
from loop.episodes.playing import Played, Wanted, open_sessions, play
from loop.episodes.practice import Practice
from loop.learning.learner import Learner
from loop.processes.crew import ALONE, Crew
from loop.reporting.stopwatch import Stopwatch
from loop.resuming.checkpoints import Checkpoints
from loop.run_directory import RunDirectory
from loop.worlds.pool import Environment, Origin, Pool
from loop.worlds.sessions import SessionPool
from loop.worlds.splits import Splits
from planet.catalog import Catalog


@dataclass
class Circle:
    """The parts of a run. Stages change splits, pool, learner, reports and curriculum, nothing else."""

    config: Config
    directory: RunDirectory
    catalog: Catalog
    author: Any  # implements planet's author protocol
    sampler: Sampler
    gate: Gate
    grower: Grower
    transform: ReportTransform
    learner: Learner
    checkpoints: Checkpoints
    sessions: SessionPool
    crew: Crew = ALONE  # the processes that go through the same steps
    stream: Stream | None = None  # of groups that are played while the policy learns; None: they take turns
    splits: Splits | None = None  # None: not built yet
    pool: Pool | None = None  # the worlds of train, and grown ones; None: not built yet
    report: Any = None  # the newest WeaknessReport; None: none yet
    enriched: Any = None  # the newest one of more probes, for a grower that is told of it; None: none yet
    practice: Practice = field(default_factory=Practice)  # of cells, since the last report
    stopwatch: Stopwatch = field(default_factory=Stopwatch)
    advance: Callable[[int], None] = lambda count: None  # tells the progress display what was done

    def worlds(self) -> Splits:
        """The splits; an error of the program when they have not been built."""
        assert self.splits is not None, "the worlds step comes first"
        return self.splits

    def training(self) -> Pool:
        """The pool; an error of the program when it has not been built."""
        assert self.pool is not None, "the worlds step comes first"
        return self.pool

    def play(self, wanted: Sequence[Wanted], temperature: float) -> list[Played]:
        """Play and grade episodes with the present policy."""
        with self.stopwatch.span("rollouts"):
            return play(
                self.learner,
                wanted,
                self.sessions,
                temperature=temperature,
                batch=open_sessions(self.config),
                after_batch=self.advance,
            )

    @property
    def variant(self) -> str:
        """How evaluations at the configured temperature are called, e.g. "t1"."""
        return self.config.evaluation.variant

    @property
    def train_variant(self) -> str:
        """How training rollouts are called, e.g. "t1"."""
        return f"t{self.config.policy.rollout.temperature:g}"

    def curriculum_state(self) -> dict[str, Any]:
        """The states of the parts of the curriculum, and what is in play, as a checkpoint keeps them."""
        state = {
            "sampler": self.sampler.state_dict(),
            "gate": self.gate.state_dict(),
            "grower": self.grower.state_dict(),
            "transform": self.transform.state_dict(),
            "practice": self.practice.state_dict(),
        }
        return state if self.stream is None else {**state, "stream": self.stream.state_dict()}

    def load_curriculum_state(self, state: dict[str, Any]) -> None:
        """Take up the states of a checkpoint."""
        self.sampler.load_state_dict(state["sampler"])
        self.gate.load_state_dict(state["gate"])
        self.grower.load_state_dict(state["grower"])
        self.transform.load_state_dict(state["transform"])
        self.practice.load_state_dict(state["practice"])
        if self.stream is not None:
            self.stream.load_state_dict(state["stream"], self.training())

    def split(self, origin: Origin) -> list[Environment]:
        """The environments of one split."""
        return self.worlds().of(origin)
