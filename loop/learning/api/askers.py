"""Threads that wait for a model, so that episodes need not wait for each other.

Only requests run in them: a session's database belongs to the thread that opened it. They are daemons, so
that Ctrl-C ends a command at once and not when the slowest endpoint has answered.
"""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Heard = TypeVar("Heard")


class Askers(Generic[Asked, Heard]):
    """At most `count` calls of `work` at a time; what it raises is handed over like what it returns."""

    def __init__(self, work: Callable[[Asked], Heard], count: int) -> None:
        self._work, self._count = work, count
        self._waiting: SimpleQueue[tuple[int, Asked] | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[int, Heard | Exception]] = SimpleQueue()
        self._threads: list[Thread] = []

    def ask(self, name: int, asked: Asked) -> None:
        """Hand a request over; its outcome comes under its name."""
        self._waiting.put((name, asked))
        if len(self._threads) < self._count:
            thread = Thread(target=self._serve, daemon=True, name=f"asker-{len(self._threads)}")
            self._threads.append(thread)
            thread.start()

    def hear(self) -> tuple[int, Heard | Exception]:
        """The next outcome, whichever comes first; only while one is to come."""
        return self._done.get()

    def close(self) -> None:
        """Let the threads end, each after what it has in hand."""
        for _ in self._threads:
            self._waiting.put(None)

    def _serve(self) -> None:
        while (item := self._waiting.get()) is not None:
            name, asked = item
            try:
                heard: Heard | Exception = self._work(asked)
            except Exception as error:  # the boundary of the thread: the one that waits decides
                heard = error
            self._done.put((name, heard))
