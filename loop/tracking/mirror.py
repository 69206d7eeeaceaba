"""Mirrors the ledger while a run goes on, and never holds it up.

JSON lines are written in place. Everything else is delivered by a process of its own after every validation,
from the ledger, so a tracker that is slow, down or broken costs one warning and no record.
"""

import subprocess
import sys
from collections.abc import Callable

from analysis.ledger import Ledger
from loop.config import Config
from loop.run_directory import RunDirectory
from loop.steps import Step
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
        self._delivery: subprocess.Popen[str] | None = None
        self._warned = False
        self._lines = JsonLinesTracker() if config.tracking.jsonl else None
        self._delivered = -1
        if self._lines is not None:
            self._delivered = self._lines.begin(identity_of(config, directory.path))

    def deliver(self, ledger: Ledger, step: Step) -> None:
        """Mirror what was recorded: lines at once, the rest after a validation."""
        if self._lines is not None and step.index > self._delivered:
            self._lines.deliver(records_after(ledger, self._config.run_id, self._delivered))
            self._delivered = step.index
        if self._remote and step.kind in ("validate", "test"):
            self._start()

    def finish(self) -> str | None:
        """Deliver the rest and wait for it; a line that says what to do when it could not be delivered."""
        if not self._remote:
            return None
        self._wait()
        self._start("--finish")
        if self._wait():
            return None
        return f"to deliver the records later: python -m loop.tracking.delivery {self._directory.path}"

    def _start(self, *flags: str) -> None:
        if self._delivery is not None and self._delivery.poll() is None:
            return
        self._settle()
        command = [sys.executable, "-m", "loop.tracking.delivery", str(self._directory.path), *flags]
        self._delivery = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def _wait(self) -> bool:
        """Whether the delivery in hand succeeded; one that takes too long is ended."""
        if self._delivery is None:
            return True
        try:
            self._delivery.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._delivery.terminate()
            self._delivery.wait()
        return self._settle()

    def _settle(self) -> bool:
        """Look at the delivery that ended, and warn once when it failed."""
        if self._delivery is None:
            return True
        _, complaint = self._delivery.communicate()
        succeeded = self._delivery.returncode == 0
        self._delivery = None
        if not succeeded and not self._warned:
            self._warned = True
            lines = complaint.strip().splitlines() or ["the delivery ended early"]
            self._say(f"warning: {lines[-1]}; the run goes on, and the ledger keeps the records")
        return succeeded
