"""What the time of a run is spent on: rollouts, updates, worlds, imports and compilation, the rest."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from analysis.ledger import ClockRow

STARTING = "imports and compilation"
REST = "the rest"
PARTS = ("rollouts", "updates", "worlds", STARTING, REST)
"""In the order in which they are told. Tools and grading belong to rollouts, the warm start to updates."""
LONGEST = 120
"""Seconds of a run before which its minutes are told."""


class Stopwatch:
    """Seconds by part. A span within another is counted once, and compiling apart from both.

    `compiling` gives the seconds that this process has spent on compilation so far; `began` is when the
    process began, by `time.perf_counter`; None: just now.
    """

    def __init__(self, compiling: Callable[[], float] = lambda: 0.0, began: float | None = None) -> None:
        now = time.perf_counter()
        self._compiling = compiling
        self._inner = [0.0]  # of every open span, seconds that are counted elsewhere
        self._spent: dict[str, float] = {STARTING: now - began if began is not None else 0.0}

    @contextmanager
    def span(self, part: str) -> Iterator[None]:
        """Count what happens inside as a part."""
        began, compiled = time.perf_counter(), self._compiling()
        before = self._spent.get(STARTING, 0.0)
        self._inner.append(0.0)
        try:
            yield
        finally:
            whole = time.perf_counter() - began
            counted_inside = self._spent.get(STARTING, 0.0) - before
            compiling = min(max(self._compiling() - compiled - counted_inside, 0.0), whole)
            elsewhere = self._inner.pop()
            self._add(STARTING, compiling)
            self._add(part, max(whole - elsewhere - compiling, 0.0))
            self._inner[-1] += whole

    def take(self) -> dict[str, float]:
        """What was spent since the last call."""
        spent, self._spent = self._spent, {}
        self._inner = [0.0]
        return {part: round(seconds, 3) for part, seconds in spent.items() if seconds}

    def _add(self, part: str, seconds: float) -> None:
        self._spent[part] = self._spent.get(part, 0.0) + seconds


def time_line(clocks: Sequence[ClockRow]) -> str | None:
    """One line that says where the time went; None when that was not recorded."""
    spent = {
        part: sum(float(clock.detail.get("spent", {}).get(part, 0.0)) for clock in clocks) for part in PARTS
    }
    whole = sum(spent.values())
    if not whole:
        return None
    shares = ", ".join(f"{part} {seconds / whole:.0%}" for part, seconds in spent.items())
    length = f"{whole:.0f} s" if whole < LONGEST else f"{whole // 60:.0f} min {whole % 60:.0f} s"
    return f"time       {length}: {shares}"
