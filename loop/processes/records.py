"""Who keeps the records of a run: process 0, in the run directory; the others have what they need in scratch.

The others go through the same steps, so each has a ledger and worlds of its own, which nobody reads later.
Checkpoints are written by all together, into the run directory, which all have to see.
"""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from analysis.ledger import Ledger, RunRow
from analysis.ledger.rows import ROW_TYPES
from loop.config import Config, Tracking
from loop.errors import ProcessesError
from loop.files import write_json
from loop.processes.crew import Crew, leading, leads, settled
from loop.run_directory import RunDirectory, stored_config

PATIENCE = 30.0
"""Seconds until a file that one machine wrote has to be seen by the others."""


def config_of(crew: Crew, config: Config) -> Config:
    """The configuration of this process: the same run, which only process 0 tracks, draws and records."""
    if leads(crew):
        return config
    return config.model_copy(
        update={"tracking": Tracking(mlflow=None, jsonl=False), "figures": False, "ledger": None}
    )


def directory_of(crew: Crew, config: Config, make: Callable[[], RunDirectory]) -> RunDirectory:
    """The run directory that process 0 makes, or what stands for it on another process.

    ProcessesError when a process does not see the run directory, or not the cache of process 0.
    """
    directory = settled(crew, make if leads(crew) else lambda: None)
    if crew.count == 1:
        assert directory is not None, "this process leads"
        return directory
    path = Path(leading(crew, str(directory.path) if directory is not None else None))
    mark = config.cache / f"{config.run_id}.processes.json"
    settled(crew, lambda: write_json(mark, crew.count) if leads(crew) else None)
    settled(crew, lambda: _require_seen(crew, config, path, mark))
    settled(crew, lambda: mark.unlink() if leads(crew) else None)
    if directory is not None:
        return directory
    assert crew.scratch is not None, "processes that do not lead have one"
    scratch = crew.scratch / "run"
    scratch.mkdir()
    return RunDirectory(scratch, shared=path)


def _require_seen(crew: Crew, config: Config, path: Path, mark: Path) -> None:
    for place, file, key in ((path, path / "config.json", "--run-dir"), (mark.parent, mark, "cache")):
        until = time.monotonic() + PATIENCE
        while not file.is_file() and time.monotonic() < until:
            time.sleep(0.2)
        if not file.is_file():
            raise ProcessesError(
                f"process {crew.index} does not see {place} of process 0; give a folder that all processes "
                f"share as {key}"
            )
    if stored_config(path).run_id != config.run_id:
        raise ProcessesError(
            f"process {crew.index} sees another run in {path} than process 0; give a folder that all "
            "processes share as --run-dir"
        )


def ledger_of(crew: Crew, config: Config, directory: RunDirectory) -> Ledger:
    """The ledger of the run, or on another process a copy of what is recorded so far."""
    own = Ledger(config.ledger or directory.ledger) if leads(crew) else None
    if crew.count == 1:
        assert own is not None, "this process leads"
        return own
    copy = (directory.shared or directory.path) / "handover.sqlite"
    settled(crew, lambda: _copy(own, copy, config.run_id) if own is not None else None)
    ledger = settled(crew, lambda: own or _copied(copy, directory.ledger))
    settled(crew, lambda: copy.unlink(missing_ok=True) if leads(crew) else None)
    return ledger


def _copied(copy: Path, place: Path) -> Ledger:
    """A ledger at a place, with what a handed-over file holds."""
    shutil.copyfile(copy, place)
    return Ledger(place)


def _copy(source: Ledger, place: Path, run_id: str) -> None:
    """Write the rows of a run into a ledger file of their own, which no process has open afterwards."""
    place.unlink(missing_ok=True)
    with Ledger(place) as target, target.transaction() as transaction:
        for row_type in ROW_TYPES:
            if row_type is RunRow:
                transaction.add(*(run for run in source.runs() if run.run_id == run_id))
            else:
                transaction.add(*source.rows(row_type, run_id))
