"""How far a command is: a bar on the standard error stream where that is a terminal, and gone at the end."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def tracked(items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
    """The items, counted as they go by. `what`: the work, e.g. "validating"."""
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total=total, console=Console(stderr=True), transient=True)
