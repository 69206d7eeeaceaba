"""`python -m tests.loop.killed_run POINT NTH ARGUMENTS...`: `loop.run`, killed by SIGKILL at a chosen point.

POINT is `update` (learned, nothing stored), `checkpoint` (stored, not recorded), `synthesis` (inside growth),
or `ledger` (inside the transaction, some rows written); NTH counts its occurrences from 1.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any


def killing(function: Callable[..., Any], nth: int, after: bool) -> Callable[..., Any]:
    """The function, killing the process at its nth call, before or after its work."""
    count = 0

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        nonlocal count
        count += 1
        if count == nth and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*args, **kwargs)
        if count == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return wrapped


def plant(point: str, nth: int) -> None:
    """Put the kill in its place."""
    if point == "update":
        from loop import controller

        controller.STAGES["update"] = killing(controller.STAGES["update"], nth, after=True)
    elif point == "checkpoint":
        from loop.resuming.checkpoints import Checkpoints

        Checkpoints.save = killing(Checkpoints.save, nth, after=True)
    elif point == "synthesis":
        from loop.stages import grow

        grow.synthesized = killing(grow.synthesized, nth, after=False)
    elif point == "ledger":
        from sqlalchemy import Engine, event

        count = 0

        @event.listens_for(Engine, "after_cursor_execute")
        def kill(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
            nonlocal count
            count += statement.startswith("INSERT INTO episodes")
            if count == nth:
                os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    plant(sys.argv[1], int(sys.argv[2]))
    from loop.run import main

    sys.exit(main(sys.argv[3:]))
