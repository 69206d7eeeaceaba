"""Metrics as JSON lines in the run directory: one line per controller step."""

import json
from collections.abc import Sequence
from pathlib import Path

from loop.files import write_atomically
from loop.tracking.protocol import Identity, StepRecord


class JsonLinesTracker:
    """Appends to `metrics.jsonl`. A line that a kill cut short is dropped and delivered again."""

    def __init__(self, name: str = "metrics.jsonl") -> None:
        self._name = name
        self._path: Path | None = None

    def begin(self, identity: Identity) -> int:
        """Keep the whole lines of the file; the step of the last one."""
        self._path = identity.directory / self._name
        if not self._path.exists():
            return -1
        text = self._path.read_text(encoding="utf-8")
        whole = [line for line in text.split("\n")[:-1] if line]
        kept = "".join(line + "\n" for line in whole)
        if kept != text:
            write_atomically(self._path, kept)
        return int(json.loads(whole[-1])["step"]) if whole else -1

    def deliver(self, records: Sequence[StepRecord]) -> None:
        """Append a line per record."""
        assert self._path is not None, "begin comes first"
        lines = [
            json.dumps(
                {
                    "step": r.step,
                    "kind": r.kind,
                    "iteration": r.iteration,
                    "updates": r.updates,
                    "metrics": r.metrics,
                },
                sort_keys=True,
            )
            for r in records
        ]
        with self._path.open("a", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))

    def finish(self) -> None:
        """Nothing to close."""
