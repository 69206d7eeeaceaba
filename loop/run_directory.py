"""One directory holds a run entirely, from configuration to figures; one process uses it."""

import fcntl
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from loop.config import Config
from loop.errors import RunDirectoryError
from loop.files import disk_guard, write_json


@dataclass
class RunDirectory:
    """Paths of a run, and the lock on them."""

    path: Path
    shared: Path | None = None  # of a process that keeps no records: the directory of the one that does
    _lock: IO[str] | None = field(default=None, repr=False)

    @property
    def config(self) -> Path:
        """The configuration as it ran, JSON."""
        return self.path / "config.json"

    @property
    def ledger(self) -> Path:
        """The SQLite ledger, unless the configuration gives a URL."""
        return self.path / "ledger.sqlite"

    @property
    def worlds(self) -> Path:
        """One directory per world."""
        return self.path / "worlds"

    @property
    def checkpoints(self) -> Path:
        """Checkpoints by controller step; all processes of a run write them together."""
        return (self.shared or self.path) / "checkpoints"

    @property
    def recorded_worlds(self) -> Path:
        """Where a run that goes on finds its worlds."""
        return (self.shared or self.path) / "worlds"

    @property
    def figures(self) -> Path:
        """Figures and the tables behind them."""
        return self.path / "figures"

    @property
    def finished(self) -> bool:
        """Whether the run in it came to its end."""
        return (self.path / "finished").exists()

    def mark_finished(self) -> None:
        """Say that the run came to its end."""
        write_json(self.path / "finished", True)

    def record(self, config: Config) -> None:
        """Write the configuration; of a resumed run, whose trackers may have changed, once it goes on."""
        write_json(self.config, config.model_dump(mode="json"))

    def lock(self) -> None:
        """Keep every other process out until this one ends; RunDirectoryError when one is already in."""
        file = (self.path / "lock").open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            owner = file.read().strip() or "unknown"
            file.close()
            raise RunDirectoryError(
                f"{self.path}: in use by process {owner}; wait for it, stop it, or give another --run-dir"
            ) from None
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        self._lock = file

    def unlock(self) -> None:
        """Let other processes in."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def create(path: Path, config: Config) -> RunDirectory:
    """A new, locked run directory; RunDirectoryError when there is something in its place."""
    if path.exists() and (not path.is_dir() or _contents(path)):
        state = "a finished run" if RunDirectory(path).finished else "files"
        if is_run(path):
            remedy = "add --resume to continue it, or give another --run-dir"
        else:
            remedy = "it is not a run directory; give another --run-dir"
        raise RunDirectoryError(f"{path}: already exists and holds {state}; {remedy}")
    directory = RunDirectory(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunDirectoryError(
            f"{path}: cannot be made ({error.strerror}); give another --run-dir"
        ) from error
    with disk_guard(path):
        directory.lock()
        directory.record(config)
    return directory


def reopen(path: Path, config: Config) -> RunDirectory:
    """The locked directory of a run to be resumed; RunDirectoryError when it is no such run."""
    if not is_run(path):
        raise RunDirectoryError(f"{path}: holds no run to resume; leave out --resume to start one")
    require_same(path, config)
    directory = RunDirectory(path)
    directory.lock()
    return directory


def require_same(path: Path, config: Config) -> None:
    """RunDirectoryError unless the run in a directory is the one of a configuration, under the same plan."""
    stored = stored_config(path)
    if stored.run_id != config.run_id:
        raise RunDirectoryError(
            f"{path}: holds run {stored.run_id}, not {config.run_id}; use its configuration and overrides, "
            "or give another --run-dir"
        )
    if stored.plan != config.plan:
        raise RunDirectoryError(
            f"{path}: its run began {_under(stored.plan)}, not {_under(config.plan)}; go on with it as it "
            "began, or move it away"
        )


def _under(plan: str | None) -> str:
    return "without a plan" if plan is None else f"under plan {plan}"


def stored_config(path: Path) -> Config:
    """The configuration of the run in a directory; RunDirectoryError when this version reads none there."""
    if not is_run(path):
        raise RunDirectoryError(f"{path}: not a run directory; give one, e.g. runs/closed_loop-1a2b3c4d-s0")
    try:
        return Config.model_validate_json((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunDirectoryError(
            f"{path}/config.json: not a configuration that this version reads; use the version that wrote it"
        ) from error


def _contents(path: Path) -> list[str]:
    """What a directory holds, but for what a start killed before its first record leaves behind."""
    return [
        entry.name for entry in path.iterdir() if entry.name != "lock" and not entry.name.endswith(".part")
    ]


def is_run(path: Path) -> bool:
    """Whether a directory holds a run, finished or not."""
    return (path / "config.json").is_file()


def resume_or_start(path: Path, config: Config) -> tuple[RunDirectory, bool]:
    """The unfinished run at `path` (True), or a new one there or beside a finished one (False)."""
    place = unfinished_or_free(path)
    return (reopen(place, config), True) if is_run(place) else (create(place, config), False)


def unfinished_or_free(path: Path) -> Path:
    """`path`, or the first place beside it that holds no finished run."""
    for attempt in range(1, 1000):
        place = path if attempt == 1 else path.with_name(f"{path.name}-{attempt}")
        if not (is_run(place) and RunDirectory(place).finished):
            return place
    raise RunDirectoryError(f"{path}: a thousand finished runs stand beside it; remove some")
