"""What libraries write past Python goes to a file: a run's own lines stay readable.

The libraries that join processes write to the file descriptors of output and errors themselves. While the
block runs those lead to a log, and Python's own streams go where they went before.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def libraries_to(log: Path) -> Iterator[None]:
    """Python's streams as they were; everything else into the log."""
    before = sys.stdout, sys.stderr
    kept = os.dup(1), os.dup(2)
    for stream in before:
        stream.flush()
    sys.stdout, sys.stderr = (_again(stream, fd) for stream, fd in zip(before, kept, strict=True))
    with log.open("ab") as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdout, sys.stderr = before
        for number, fd in zip((1, 2), kept, strict=True):
            os.dup2(fd, number)
            os.close(fd)


def _again(stream: TextIO, fd: int) -> TextIO:
    """The same stream on another descriptor; closing it leaves the descriptor open."""
    return open(  # it is closed with the process
        fd, "w", buffering=1, encoding=stream.encoding, errors=stream.errors, closefd=False
    )
