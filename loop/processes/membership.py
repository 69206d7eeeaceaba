"""Becoming one of several processes, and leaving them: in good order, or at once.

A run that ends well waits for the others at its end. One that ends otherwise leaves at once: to wait for
others that wait for it would take minutes.
"""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

from loop.errors import ProcessLostError
from loop.processes.crew import ALONE, Crew, Together, leads
from loop.processes.quiet import libraries_to
from loop.processes.sentinel import FAREWELL, PROGRAM, lost
from policy.config import ProcessesConfig

PATIENCE = 5.0
"""Seconds that process 0, on whom the others hang, lets them end by themselves before it leaves."""
SIGNS = ("gloo", "coordination service", "barrier", "connection closed by peer", "heartbeat", "socket closed")
"""In what libraries say when another process does not answer."""


class Membership:
    """The processes of a run, from joining to leaving. `with` gives the crew; `leave` comes last of all."""

    def __init__(self, processes: ProcessesConfig, again: str) -> None:
        """`again`: the command that continues the run."""
        self._processes = processes
        self._again = again
        self._crew: Crew = ALONE
        self._open = ExitStack()
        self._sentinel: subprocess.Popen[str] | None = None
        self._failed = False

    def __enter__(self) -> Crew:
        if self._processes.count > 1:
            scratch = Path(tempfile.mkdtemp(prefix="closed-loop-process-"))
            log = scratch / "libraries.log"
            self._sentinel = _sentinel(self._who, self._again, scratch, log)
            self._open.enter_context(libraries_to(log))
            self._failed = True  # until it is known that it did not
            from policy.mesh import join

            join(self._processes)
            self._crew = Together(scratch)
        return self._crew

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._processes.count == 1:
            return
        if error is None:
            self._part()
            self._say_farewell()
            self._open.close()
        elif isinstance(error, Exception) and is_loss(error):
            raise ProcessLostError(lost(self._who, self._again)) from error

    def _part(self) -> None:
        """Wait for the end of the others."""
        from policy.mesh import part

        try:
            part()
        except RuntimeError as error:
            raise ProcessLostError(lost(self._who, self._again)) from error
        self._failed = False

    def leave(self, code: int) -> None:
        """End this process with a code when the others cannot be waited for; nothing otherwise."""
        if not self._failed:
            return
        self._say_farewell()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        if self._crew.count > 1 and leads(self._crew):
            time.sleep(PATIENCE)
        os._exit(code)

    def _say_farewell(self) -> None:
        if self._sentinel is not None:
            with suppress(BrokenPipeError):  # it is gone already
                self._sentinel.communicate(FAREWELL)

    @property
    def _who(self) -> str:
        count, index = self._processes.count, self._processes.index
        return f"{'this process' if index is None else f'process {index}'} of {count}"


def _sentinel(who: str, again: str, scratch: Path, log: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, who, again, str(scratch), str(log)],
        stdin=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        start_new_session=True,  # Ctrl-C is for the run
    )


def is_loss(error: BaseException | None) -> bool:
    """Whether libraries say that another process does not answer, anywhere in a chain of causes."""
    while error is not None:
        foreign = type(error).__module__.split(".")[0] in ("builtins", "jax", "jaxlib", "orbax")
        if foreign and any(sign in str(error).lower() for sign in SIGNS):
            return True
        error = error.__cause__ or error.__context__
    return False
