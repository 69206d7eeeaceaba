"""How far a run is and when it will end: a live line in a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Sequence
from typing import IO, Any, Protocol

from loop.config import Config
from loop.reporting.pace import guesses
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
    """Seconds that are left: a guess per kind of step, until steps of that kind were measured.

    None where nothing can be guessed for the decoder and nothing was measured.
    """

    def __init__(self, config: Config) -> None:
        self._guess = guesses(config) or {}
        self._measured: dict[Kind, list[float]] = {}

    def took(self, kind: Kind, seconds: float) -> None:
        """A step of a kind ended."""
        self._measured.setdefault(kind, []).append(seconds)

    def seconds(self, kind: Kind) -> float | None:
        """What a step of a kind will take: the median of the measured ones, or the guess before the first."""
        times = sorted(self._measured.get(kind, []))
        return times[len(times) // 2] if times else self._guess.get(kind)

    def left(self, steps: Sequence[Step]) -> float | None:
        """What these steps will take together."""
        each = [self.seconds(step.kind) for step in steps]
        known = [seconds for seconds in each if seconds is not None]
        return sum(known) if len(known) == len(each) else None


def label(step: Step, config: Config) -> str:
    """What a step is called, with where it is in the run."""
    text = LABELS[step.kind]
    planned = config.planned_updates
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
            left = self._estimate.left(self._steps[step.index :])
            more = "" if left is None else f", about {span(left)} left"
            self.say(f"[{step.index + 1}/{len(self._steps)}{more}] {label(step, self._config)}")

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
        left = self._estimate.left(self._steps[step.index :])
        told = "?" if left is None else span(max(0.0, left - (time.monotonic() - self._began)))
        self._bar.update(self._task, description=label(step, self._config) + more, left=told)

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
