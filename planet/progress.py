"""How far a command is: a bar on the standard error stream where that is a terminal, and gone at the end.

Where it is none, as in a log, a line every half minute.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
EVERY_S = 30.0
"""Seconds between two lines."""


def tracked(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    """The items, counted as they go by. `what`: the work, e.g. "validating"."""
    if not sys.stderr.isatty():
        yield from _told(items, what, total)
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True), transient=True)


def _told(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    begun = told = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if now - told >= EVERY_S and done < total:
            told = now
            left = (now - begun) / done * (total - done)
            print(f"{what}: {done:,} of {total:,}, about {left:,.0f} s to go", file=sys.stderr, flush=True)
