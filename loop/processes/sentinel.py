"""`python -m loop.processes.sentinel LINE SCRATCH LOG`: a small process beside one of several.

When another process dies, the library that joins them aborts this one from a thread of its own, with a page
of its own words, and so may the kernel. What is left is this sentinel: it says in one line what happened, and
clears up. Its standard input is a pipe that ends with the process that it watches; a byte before says that
the process ends by itself.
"""

import shutil
import sys
from pathlib import Path

FAREWELL = "."
ABORTED = "distributed service detected fatal errors"
"""What the log says when another process died."""
KEPT = 2000
"""Characters of a log that are told of another death."""


def last_words(line: str, log: str) -> str:
    """What is told of a process that ended without a word."""
    if ABORTED in log:
        return line
    return f"{log[-KEPT:]}\n{line}" if log.strip() else line


def main(arguments: list[str]) -> int:
    """Wait, then speak or be silent."""
    line, scratch, log = arguments[0], Path(arguments[1]), Path(arguments[2])
    if not sys.stdin.read(1):
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        print(last_words(line, text), file=sys.stderr, flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
