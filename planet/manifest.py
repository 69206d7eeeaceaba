"""The manifest of a folder of worlds: `manifest.json`, and a journal beside it while many are made.

Writing the whole manifest for every world would take longer with each. A journal holds a line per world until
it is closed; what a killed command left in it counts as entered, a line that was cut off as never written.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TextIO

from planet.errors import StorageError
from planet.plain_files import read_bounded
from planet.whole_file import write_whole

FORMAT = 1
Entries = dict[str, dict[str, Any]]
"""World id -> what the manifest says of it."""
_ID = re.compile(r"[0-9a-f]{16}")


def entries(folder: Path) -> Entries:
    """World id -> its entry, as `planet.store` made it; StorageError when there is no manifest."""
    path = folder / "manifest.json"
    stamps = tuple(map(_stamp, (path, _journal(folder))))
    if stamps == (None, None):
        raise StorageError(f"{folder} holds no worlds: {path} is missing; make some with planet.synthesize")
    try:
        return _read(folder, stamps)
    except (OSError, ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise StorageError(f"{path} cannot be read ({reason}); restore it or synthesize again") from error


def enter(folder: Path, new: Entries) -> None:
    """Add worlds to the manifest; what the journal holds goes with them, and the journal away."""
    known = entries(folder) if has_manifest(folder) else {}
    content = {"format": FORMAT, "worlds": {**known, **new}}
    write_whole(folder / "manifest.json", json.dumps(content, indent=1, sort_keys=True))
    _journal(folder).unlink(missing_ok=True)


def has_manifest(folder: Path) -> bool:
    """Whether any world was ever entered."""
    return (folder / "manifest.json").exists() or _journal(folder).exists()


class Journal:
    """Worlds entered one by one, in constant time."""

    def __init__(self, known: Entries, file: TextIO) -> None:
        self.entries = dict(known)
        self._file = file

    def enter(self, name: str, entry: dict[str, Any]) -> None:
        """Add one world; it is on disk when this returns."""
        self._file.write(json.dumps([name, entry], sort_keys=True) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.entries[name] = entry


@contextmanager
def journal(folder: Path) -> Iterator[Journal]:
    """A journal of the folder, which is made if it is missing; closed, it becomes part of the manifest."""
    known = entries(folder) if has_manifest(folder) else {}
    if _journal(folder).exists():
        enter(folder, {})
    book: Journal | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _journal(folder).open("w", encoding="utf-8") as file:
            book = Journal(known, file)
            yield book
    finally:
        if book is not None and book.entries != known:
            enter(folder, {})
        _journal(folder).unlink(missing_ok=True)
        if not known and (book is None or not book.entries) and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _journal(folder: Path) -> Path:
    return folder / "manifest.journal"


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino


@lru_cache(maxsize=8)
def _read(folder: Path, stamps: tuple[tuple[int, int, int] | None, ...]) -> Entries:
    worlds: Entries = {}
    if stamps[0] is not None:
        content = _object(json.loads(read_bounded(folder / "manifest.json")), "it")
        version = content.get("format")
        if type(version) is not int or version != FORMAT:
            raise ValueError(f"its format is {_kind(version)}, not {FORMAT}")
        worlds = dict(_object(content.get("worlds"), "what it has as worlds"))
    if stamps[1] is not None:
        whole = read_bounded(_journal(folder)).decode().rpartition("\n")[0]
        worlds |= dict(_pair(json.loads(line), n) for n, line in enumerate(whole.splitlines(), 1))
    odd = next((name for name in worlds if not _ID.fullmatch(name)), None)
    if odd is not None:
        raise ValueError(f"it names a world {odd[:40]!r}, which is no id")
    return {name: _entry(name, entry) for name, entry in worlds.items()}


def _entry(name: str, value: Any) -> dict[str, Any]:
    """An entry as `planet.store` makes it; ValueError when it is another."""
    entry = _object(value, f"its entry of world {name}")
    for count in ("tables", "rows", "tools", "checks", "tasks"):
        if type(entry.get(count)) is not int:
            raise ValueError(
                f"its entry of world {name} has {_kind(entry.get(count))} as {count}, not a whole number"
            )
    return {**entry, "note": _object(entry.get("note"), f"the note of world {name}")}


def _pair(value: Any, line: int) -> tuple[str, Any]:
    """A line of the journal: an id and an entry."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        raise ValueError(f"line {line} of its journal is no pair of an id and an entry")
    return value[0], value[1]


def _object(value: Any, what: str) -> dict[str, Any]:
    """A JSON object; ValueError says what is something else."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} is {_kind(value)}, not an object")
    return value


def _kind(value: Any) -> str:
    """A JSON value in words: a short one itself."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return "missing or null" if value is None else json.dumps(value)[:20]
