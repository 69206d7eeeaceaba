"""Worlds that came to nothing: `refused.jsonl` in a folder of worlds, a line each, with what refused it."""

import json
from pathlib import Path
from typing import NamedTuple

from planet.errors import StorageError
from planet.plain_files import read_bounded

FILE = "refused.jsonl"


class Refusal(NamedTuple):
    """An order of which no world was made."""

    origin: str  # what the world would have followed from
    causes: dict[str, int]  # validator, audit rule or reason -> count
    problem: str | None  # the last one, in words; None: none was told


class Refusals:
    """The refusals of a folder, added to one by one; one that is there already is not added again."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._known = {refusal.origin for refusal in read_refusals(folder)}
        self._new: list[str] = []
        if self._path.exists() and not self._path.read_bytes().endswith(b"\n"):
            self._new.append("")  # a line that a killed command cut off stays a line of its own

    def note(self, refusal: Refusal) -> None:
        """Remember one; `save` writes it."""
        if refusal.origin not in self._known:
            self._known.add(refusal.origin)
            self._new.append(json.dumps(refusal._asdict(), sort_keys=True))

    def save(self) -> None:
        """Write what is new to the folder, which has to exist."""
        if any(self._new):
            with self._path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in self._new))
            self._new = []


def read_refusals(folder: Path) -> list[Refusal]:
    """What is known of worlds that came to nothing; empty without a file. Lines cut off are skipped."""
    path = folder / FILE
    if not path.exists():
        return []
    try:
        lines = read_bounded(path).decode().splitlines()
    except (OSError, ValueError) as error:
        raise StorageError(f"{path} cannot be read ({error}); delete it, it holds only counts") from error
    return [refusal for line in lines if (refusal := _parsed(line)) is not None]


def _parsed(line: str) -> Refusal | None:
    try:
        refusal = Refusal(**json.loads(line))
        return refusal if all(type(count) is int for count in refusal.causes.values()) else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
