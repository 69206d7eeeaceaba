"""Ctrl-C and SIGTERM end a run after the step in hand; a second Ctrl-C ends it at once."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from loop.processes.crew import ALONE, Crew, anyone


class Interruption:
    """Whether the user asked for the end, of any process of the run."""

    def __init__(self, crew: Crew = ALONE) -> None:
        self._crew = crew
        self._asked = False

    def asked(self) -> bool:
        """Whether any process was asked; all have to look, each before the same step."""
        return anyone(self._crew, self._asked)

    @contextmanager
    def listening(self, say: Callable[[str], None]) -> Iterator[None]:
        """Listen to the two signals while the block runs."""
        before = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}

        def ask(number: int, frame: FrameType | None) -> None:
            self._asked = True
            say("stopping after this step; press Ctrl-C again to stop at once (recorded steps are kept)")
            for known, handler in before.items():
                signal.signal(known, handler)

        for known in before:
            signal.signal(known, ask)
        try:
            yield
        finally:
            for known, handler in before.items():
                signal.signal(known, handler)
