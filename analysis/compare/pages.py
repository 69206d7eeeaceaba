"""Tables and figures that show every run by itself: so many runs on one, and as many as it takes."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Shown = TypeVar("Shown")

RUNS = 8
"""Runs that one table or figure shows: as many as there are colours and marks to tell them apart."""


def on_pages(
    found: Mapping[Key, Shown], path: Path, draw: Callable[[dict[Key, Shown], Path], Path]
) -> list[Path]:
    """The figures that `draw` makes of the parts of `found`: NAME.png, then NAME_2.png and so on.

    Those of an earlier comparison of more runs are taken away.
    """
    for old in path.parent.glob(f"{path.stem}_*{path.suffix}"):
        if old.stem.removeprefix(f"{path.stem}_").isdecimal():
            old.unlink()
    return [
        draw(dict(part), path if number == 1 else path.with_stem(f"{path.stem}_{number}"))
        for number, part in enumerate(parts(list(found.items())), 1)
    ]


def parts(found: Sequence[Shown]) -> list[Sequence[Shown]]:
    """`found` in its order, at most `RUNS` at a time."""
    return [found[start : start + RUNS] for start in range(0, len(found), RUNS)]
