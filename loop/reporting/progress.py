"""How far a run is and when it will end: a live line in a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Sequence
from typing import IO, Any, Protocol

from loop.config import Config
from loop.resuming.steps import Kind, Step

LABELS: dict[Kind, str] = {
    "worlds": "building the worlds",
    "warm_start": "warm start on demonstrations",
    "diagnose": "diagnosing",
    "grow": "making new worlds",
    "update": "policy update",
    "validate": "validating",
    "test": "testing",
}
"""What each kind of step is called."""

PLAIN_EVERY = 10.0
"""Seconds between two plain progress lines at least."""


class Progress(Protocol):
    """What the controller tells of its progress."""

    def start(self, steps: Sequence[Step], first: int) -> None:
        """The steps of the run, and the first that is still to be done."""

    def begin(self, step: Step) -> None:
        """A step begins."""

    def advance(self, count: int) -> None:
        """Parts of the step are done: episodes, worlds or optimizer steps."""

    def end(self, step: Step, lines: Sequence[str]) -> None:
        """A step is recorded; lines to keep on the screen."""

    def say(self, line: str) -> None:
        """A line to keep on the screen."""

    def stop(self) -> None:
        """No more progress."""


class Estimate:
    """Seconds that are left: a guess per kind of step, until steps of that kind were measured."""

    def __init__(self, config: Config) -> None:
        self._guess = guesses(config)
        self._measured: dict[Kind, list[float]] = {}

    def took(self, kind: Kind, seconds: float) -> None:
        """A step of a kind ended."""
        self._measured.setdefault(kind, []).append(seconds)

    def seconds(self, kind: Kind) -> float:
        """What a step of a kind will take: the median of the measured ones, or the guess before the first."""
        times = sorted(self._measured.get(kind, []))
        return times[len(times) // 2] if times else self._guess[kind]

    def left(self, steps: Sequence[Step]) -> float:
        """What these steps will take together."""
        return sum(self.seconds(step.kind) for step in steps)


def guesses(config: Config) -> dict[Kind, float]:
    """Seconds of each kind of step on two CPU cores, before anything was measured."""
    sizes, settings = config.splits, config.evaluation
    worlds = sizes.foundation + sizes.train + sizes.diagnose + sizes.validation + sizes.test
    worlds += sizes.test_reserved + sizes.test_unseen
    episode = 0.03  # of play and grading
    test_tasks = (sizes.test + sizes.test_reserved + sizes.test_unseen) * config.tasks_per_world
    return {
        "worlds": 0.05 * worlds,
        "warm_start": 5.0 + 0.5 * config.policy.warm_start.steps,
        "diagnose": episode
        * sizes.diagnose
        * config.tasks_per_world
        * settings.diagnose_rollouts
        * (1 + config.curriculum.further_probes),
        "grow": 0.1 * config.growth.quota,
        "update": 0.045 * config.prompts_per_update * config.group_size,
        "validate": episode * sizes.validation * config.tasks_per_world * settings.validate_rollouts,
        "test": episode * test_tasks * (settings.test_rollouts + 1),
    }


def label(step: Step, config: Config) -> str:
    """What a step is called, with where it is in the run."""
    text = LABELS[step.kind]
    planned = config.iterations * config.updates_per_iteration
    if step.update is not None and step.update < planned:
        text += f" {step.update + 1}/{planned}"
    elif step.update is not None:
        text += f" {step.update + 1 - planned} beyond the planned {planned}"
    if step.iteration is not None:
        text = f"iteration {step.iteration + 1}/{config.iterations}: {text}"
    return f"{text} ({step.subject.replace('_', ' ')})" if step.subject else text


def span(seconds: float) -> str:
    """Seconds as minutes and seconds, e.g. "3 min 05 s"."""
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60:02d} s" if whole >= 60 else f"{whole} s"


class PlainProgress:
    """Plain lines, for logs and pipes."""

    def __init__(self, config: Config, stream: IO[str] | None = None) -> None:
        self._config = config
        self._stream = stream if stream is not None else sys.stdout
        self._estimate = Estimate(config)
        self._steps: Sequence[Step] = ()
        self._began = 0.0
        self._last = -PLAIN_EVERY

    def start(self, steps: Sequence[Step], first: int) -> None:
        """Say where the run is, if it is resumed."""
        self._steps = steps
        if first:
            self.say(f"resuming at step {first + 1} of {len(steps)}")

    def begin(self, step: Step) -> None:
        """A line, unless there was one just before."""
        self._began = time.monotonic()
        if self._began - self._last >= PLAIN_EVERY or step.kind in ("worlds", "warm_start", "grow", "test"):
            self._last = self._began
            left = span(self._estimate.left(self._steps[step.index :]))
            self.say(f"[{step.index + 1}/{len(self._steps)}, about {left} left] {label(step, self._config)}")

    def advance(self, count: int) -> None:
        """Nothing: plain lines tell of whole steps."""

    def end(self, step: Step, lines: Sequence[str]) -> None:
        """The lines of the step."""
        self._estimate.took(step.kind, time.monotonic() - self._began)
        for line in lines:
            self.say(line)

    def say(self, line: str) -> None:
        """One line, at once."""
        print(line, file=self._stream, flush=True)

    def stop(self) -> None:
        """Nothing to take down."""


class LiveProgress:
    """A bar over the steps with the time left, in a terminal."""

    def __init__(self, config: Config) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

        self._config = config
        self._estimate = Estimate(config)
        self._steps: Sequence[Step] = ()
        self._began = 0.0
        self._parts = 0
        self._bar = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TextColumn("[dim]about {task.fields[left]} left"),
        )
        self._task: Any = None

    def start(self, steps: Sequence[Step], first: int) -> None:
        """Show the bar."""
        self._steps = steps
        self._task = self._bar.add_task("", total=len(steps), completed=first, left="?")
        self._bar.start()
        if first:
            self.say(f"resuming at step {first + 1} of {len(steps)}")

    def begin(self, step: Step) -> None:
        """Name the step and the time left."""
        self._began, self._parts = time.monotonic(), 0
        self._bar.update(self._task, total=len(self._steps))  # a charged budget adds steps as it goes on
        self._show(step)

    def advance(self, count: int) -> None:
        """Count parts of the step."""
        self._parts += count
        step = self._steps[int(self._bar.tasks[0].completed)]
        self._show(step, f", {self._parts} done")

    def _show(self, step: Step, more: str = "") -> None:
        left = self._estimate.left(self._steps[step.index :]) - (time.monotonic() - self._began)
        self._bar.update(self._task, description=label(step, self._config) + more, left=span(max(0.0, left)))

    def end(self, step: Step, lines: Sequence[str]) -> None:
        """Move on, and print the lines above the bar."""
        self._estimate.took(step.kind, time.monotonic() - self._began)
        self._bar.update(self._task, completed=step.index + 1)
        for line in lines:
            self.say(line)

    def say(self, line: str) -> None:
        """A line above the bar."""
        self._bar.console.print(line, markup=False, highlight=False)

    def stop(self) -> None:
        """Take the bar down."""
        self._bar.stop()


class NoProgress:
    """Silence, for processes beside the one that tells."""

    def start(self, steps: Sequence[Step], first: int) -> None:
        """Nothing."""

    def begin(self, step: Step) -> None:
        """Nothing."""

    def advance(self, count: int) -> None:
        """Nothing."""

    def end(self, step: Step, lines: Sequence[str]) -> None:
        """Nothing."""

    def say(self, line: str) -> None:
        """Nothing."""

    def stop(self) -> None:
        """Nothing."""


def progress_for(config: Config) -> Progress:
    """The live bar in a terminal, plain lines elsewhere."""
    return LiveProgress(config) if sys.stdout.isatty() else PlainProgress(config)
