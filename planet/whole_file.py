"""A file that is whole or absent."""

import errno
import os
from contextlib import suppress
from pathlib import Path
from threading import get_ident


def write_whole(path: Path, content: str | bytes) -> None:
    """Write beside the place and move there: a reader sees the old file or the new one, never half of one.

    The folder has to exist. OSError when the disk refuses, or when a folder, a device or a pipe has the name;
    nothing is left behind then. A link to a plain file is replaced by the file.
    """
    _refuse_what_is_no_file(path)
    data = content.encode() if isinstance(content, str) else content
    part = path.with_name(
        f".{path.name}.{os.getpid()}.{get_ident()}.part"
    )  # a writer's own, thread or process
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error  # the part's name is nobody's
    finally:
        with suppress(OSError):  # never hides why the part could not be written
            part.unlink()


def check_place(path: Path) -> None:
    """Foresee, before long work, that `write_whole` would fail there: OSError, as it would raise it."""
    _refuse_what_is_no_file(path)
    if not path.parent.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not path.parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _refuse_what_is_no_file(path: Path) -> None:
    """OSError when something has the name that must not be replaced by a file."""
    if path.is_dir():
        raise OSError(f"{path}: is a folder; give the name of a file in it")
    if path.exists() and not path.is_file():
        raise OSError(f"{path}: is a device, a pipe or a socket; give the name of a plain file")
