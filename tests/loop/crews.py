"""Crews of threads: they meet as processes do, in one process and without JAX."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any


class _Table:
    """Where members lay down what they say."""

    def __init__(self, count: int) -> None:
        self.said: list[bytes] = [b""] * count
        self.all_here = Barrier(count, timeout=30)


class Member:
    """One of several threads, in the place of a process."""

    def __init__(self, table: _Table, index: int, scratch: Path | None) -> None:
        self._table, self.index, self.scratch = table, index, scratch
        self.count = len(table.said)

    def gathered(self, said: bytes) -> list[bytes]:
        """What all said; nobody lays down the next word before everybody has heard this one."""
        self._table.said[self.index] = said
        self._table.all_here.wait()
        heard = list(self._table.said)
        self._table.all_here.wait()
        return heard


def each(count: int, work: Callable[[Member], Any], scratch: Path | None = None) -> list[Any]:
    """What work gave for every member, or the error that it raised there."""
    table = _Table(count)

    def outcome(index: int) -> Any:
        place = scratch / f"member-{index}" if scratch is not None else None
        if place is not None:
            place.mkdir()
        try:
            return work(Member(table, index, place))
        except Exception as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(outcome, range(count)))
