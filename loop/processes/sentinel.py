"""A small process beside one of several, which says how that one ended when it could not.

When another process dies, the library that joins them aborts this one from a thread of its own, with a page
of its own words. What is left is this sentinel: it says in one line what happened, and clears up. Its
standard input is a pipe that ends with the process that it watches; a byte before says that the process ends
by itself.
"""

import shutil
import sys
from pathlib import Path

PROGRAM = "import sys; from loop.processes.sentinel import main; sys.exit(main(sys.argv[1:]))"
"""For `python -c`: it is no command for people."""
FAREWELL = "."
ABORTED = "distributed service detected fatal errors"
"""What the log says when another process died."""
CHATTER = "[Gloo]"
"""How lines of the log begin that say nothing."""
KEPT = 20
"""Lines of a log that are told."""


def lost(who: str, again: str) -> str:
    """What is said when another process died."""
    return (
        f"{who} ends because another one ended or cannot be reached; the other one's last line says why. "
        f"When all have ended, continue with: {again}"
    )


def last_words(who: str, again: str, log: str) -> str:
    """What is told of a process that ended without a word, and what libraries wrote before, unless it is of
    another one's death."""
    if ABORTED in log:
        return lost(who, again)
    lines = [line for line in log.splitlines() if line.strip() and not line.startswith(CHATTER)]
    killed = f"{who} was ended from outside, or by a fault of a library; continue with: {again}"
    return "\n".join([*lines[-KEPT:], killed])


def main(arguments: list[str]) -> int:
    """Wait, then speak or be silent. The arguments: who is watched, the command that continues its run, its
    folder, which goes with it, and the log of its libraries."""
    who, again, scratch, log = arguments
    if not sys.stdin.read(1):
        text = Path(log).read_text(encoding="utf-8", errors="replace") if Path(log).exists() else ""
        print(last_words(who, again, text), file=sys.stderr, flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    return 0
