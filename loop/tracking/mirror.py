"""Mirrors the ledger while a run goes on, and never holds it up.

JSON lines are written in place. Everything else is delivered by one process beside the run, from the ledger,
so a tracker that is slow, down or broken costs one warning and no record, and its library no memory of the
run.
"""

import subprocess
import sys
from collections.abc import Callable
from threading import Thread
from typing import IO

from analysis.ledger import Ledger
from loop.config import Config
from loop.resuming.steps import Step
from loop.run_directory import RunDirectory
from loop.tracking.jsonl import JsonLinesTracker
from loop.tracking.records import identity_of, records_after

PATIENCE = 120.0
"""Seconds that the end of a run waits for the last delivery."""


class Mirror:
    """The trackers of a run."""

    def __init__(self, config: Config, directory: RunDirectory, say: Callable[[str], None]) -> None:
        self._config = config
        self._directory = directory
        self._say = say
        self._remote = config.tracking.mlflow is not None or bool(config.tracking.extra)
        self._follower: subprocess.Popen[str] | None = None
        self._warned = False
        self._lines = JsonLinesTracker() if config.tracking.jsonl else None
        self._delivered = -1
        if self._lines is not None:
            self._delivered = self._lines.begin(identity_of(config, directory.path))

    def deliver(self, ledger: Ledger, step: Step) -> None:
        """Mirror what was recorded: lines at once, the rest is asked for after a validation or test."""
        if self._lines is not None and step.index > self._delivered:
            self._lines.deliver(records_after(ledger, self._config.run_id, self._delivered))
            self._delivered = step.index
        if self._remote and step.kind in ("validate", "test"):
            self._ask()

    def finish(self) -> str | None:
        """Have the rest delivered; a line that says what to do when that failed."""
        if not self._remote:
            return None
        follower = self._ask()
        follower.stdin.close()  # type: ignore[union-attr]  # it is a pipe: the end of it asks for the rest
        try:
            delivered = follower.wait(PATIENCE) == 0
        except subprocess.TimeoutExpired:
            follower.terminate()
            delivered = False
        if delivered:
            return None
        return f"to deliver the records later: python -m loop.tracking.delivery {self._directory.path}"

    def _ask(self) -> "subprocess.Popen[str]":
        """Have everything that is recorded delivered, by a new follower if there is none."""
        if self._follower is None or self._follower.poll() is not None:
            command = [sys.executable, "-m", "loop.tracking.delivery", str(self._directory.path), "--follow"]
            self._follower = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl-C is for the run; the follower ends by itself
            )
            Thread(target=self._listen, args=(self._follower.stdout,), daemon=True).start()
        try:
            self._follower.stdin.write("\n")  # type: ignore[union-attr]
            self._follower.stdin.flush()  # type: ignore[union-attr]
        except BrokenPipeError:
            pass  # it ended just now; the next question, or the end of the run, starts another one
        return self._follower

    def _listen(self, complaints: IO[str]) -> None:
        """Pass the follower's first complaint on."""
        for line in complaints:
            if not self._warned:
                self._warned = True
                self._say(f"warning: {line.strip()}; the run goes on, and the ledger keeps the records")
