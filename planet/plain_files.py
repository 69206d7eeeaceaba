"""Files that may come from anyone: they lie where they are looked for, are plain, and are not too large."""

import errno
import os
from pathlib import Path

LARGEST_FILE = 64 << 20
"""Bytes; the files of a library world have less than a hundredth of it."""


class Files:
    """The files of a folder, by their names in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def path(self, name: str) -> Path:
        """Where a file really lies; ValueError when that is outside the folder."""
        path = (self.folder / name).resolve(strict=True)
        if not path.is_relative_to(self.folder):
            raise ValueError(f"{name} leads out of the folder")
        return _checked(path)

    def read(self, name: str) -> bytes:
        """All of a file."""
        return read_bounded(self.path(name))

    def lines(self, name: str) -> list[str]:
        """The lines of a file that are not empty."""
        return [line for line in self.read(name).decode().splitlines() if line]


def read_bounded(path: Path) -> bytes:
    """The bytes of a file that may come from anyone; ValueError when it is no plain file, or too large.

    OSError as for any file: it is missing, a folder, or may not be read.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    with _checked(path).open("rb") as file:
        data = file.read(LARGEST_FILE + 1)  # of some files the system states no size
    if len(data) > LARGEST_FILE:
        raise ValueError(f"{path.name} has more than {LARGEST_FILE:,} bytes, which are read at most")
    return data


def _checked(path: Path) -> Path:
    size = path.stat().st_size
    if not path.is_file():
        raise ValueError(f"{path.name} is no plain file")
    if size > LARGEST_FILE:
        raise ValueError(f"{path.name} has {size:,} bytes; at most {LARGEST_FILE:,} are read")
    return path
