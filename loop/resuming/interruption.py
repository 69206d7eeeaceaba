"""Ctrl-C and SIGTERM end a run after the step in hand; a second Ctrl-C ends it at once."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interruption:
    """Whether the user asked for the end."""

    def __init__(self) -> None:
        self.asked = False

    @contextmanager
    def listening(self, say: Callable[[str], None]) -> Iterator[None]:
        """Listen to the two signals while the block runs."""
        before = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}

        def ask(number: int, frame: FrameType | None) -> None:
            self.asked = True
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
