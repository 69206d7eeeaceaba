"""Files that are whole or absent, and a full disk as one line."""

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loop.errors import DiskError
from planet.whole_file import write_whole


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file whole, and the folders that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)


def write_json(path: Path, value: Any) -> None:
    """A value as indented JSON with sorted keys, atomically."""
    write_atomically(path, json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


@contextmanager
def disk_guard(place: Path) -> Iterator[None]:
    """Translate a full disk, whoever reports it, into one DiskError that names the place.

    The checkpoint library and the database wrap the operating system's error in errors of their own, so this
    one boundary looks at the chain of causes and at their text.
    """
    try:
        yield
    except Exception as error:
        if not _is_full_disk(error):
            raise
        raise DiskError(
            f"{place}: the disk is full; free some space and run the same command with --resume "
            "(the last complete step is kept)"
        ) from error


_FULL = ("no space left on device", "disk is full", "enospc", "disk quota exceeded")


def _is_full_disk(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if any(sign in str(error).lower() for sign in _FULL):
            return True
        error = error.__cause__ or error.__context__
    return False
