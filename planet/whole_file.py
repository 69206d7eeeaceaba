"""A file that is whole or absent."""

import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write beside the place and move there: a reader sees the old file or the new one, never half of one.

    The folder has to exist. OSError when the disk refuses; nothing is left behind then.
    """
    data = content.encode() if isinstance(content, str) else content
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
