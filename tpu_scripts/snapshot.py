"""A run directory as one file, taken while the run goes on, from which the run can be resumed.

A run writes a checkpoint, then one ledger transaction, then its metric lines, and resumes at the newest step
that checkpoints and ledger both have. So a copy is sound if it takes them the other way round: metric lines
and other files at the top, then the ledger, by SQLite's own backup, then the folders, which may be ahead.
Checkpoints are taken before the ledger too: those that it goes with may have been dropped after it. One whose
removal had begun may come along without some of its files; it is older than the one to go on from.
"""

import errno
import os
import shutil
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tpu_scripts.errors import SliceError

LEDGER = "ledger.sqlite"
_IMMUTABLE = "checkpoints"  # files below it are never changed, so a link is as good as a copy
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP)  # another file system, or one without links
_PATIENCE = 100  # tries at a folder that is there and cannot be copied, 0.05 s apart


def write(run: Path, target: Path) -> None:
    """Put a snapshot of a run directory at `target`, whole or not at all."""
    if not (run / "config.json").is_file():
        raise SliceError(f"{run}: holds no run yet; wait until it has begun")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".snapshot-") as made:
            stage = Path(made) / "run"
            stage.mkdir()
            _copy_files(run, stage)
            _copy_folder(run / _IMMUTABLE, stage / _IMMUTABLE)
            _copy_ledger(run / LEDGER, stage / LEDGER)
            for folder in sorted(path for path in run.iterdir() if path.is_dir()):
                _copy_folder(folder, stage / folder.name)
            with tarfile.open(part, "w") as tar:
                tar.add(stage, arcname=".")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def unpack(snapshot: Path, run: Path) -> None:
    """Make a run directory from a snapshot, in place of an earlier one; whole or not at all."""
    if run.exists() and not (run / "config.json").is_file() and any(run.iterdir()):
        raise SliceError(f"{run}: holds files, but no run; move them away or give another place")
    run.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=run.parent, prefix=f".{run.name}-") as made:
        try:
            with tarfile.open(snapshot) as tar:
                tar.extractall(Path(made) / "new", filter="data")
        except tarfile.TarError as error:
            raise SliceError(f"{snapshot}: no snapshot of a run ({error}); copy it again") from None
        if run.exists():
            run.rename(Path(made) / "old")
        (Path(made) / "new").rename(run)


def _copy_files(run: Path, stage: Path) -> None:
    for path in sorted(run.iterdir()):
        if path.is_file() and path.name != "lock" and not path.name.startswith((LEDGER, ".")):
            shutil.copy2(path, stage)


def _copy_ledger(ledger: Path, target: Path) -> None:
    if not ledger.exists():  # before the first record, or on a database server
        return
    try:
        with closing(sqlite3.connect(ledger, timeout=60)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
    except sqlite3.Error as error:
        raise SliceError(f"{ledger}: cannot be copied ({error}); it will be tried again") from None


def _copy_folder(folder: Path, target: Path) -> None:
    """Add to a copy of a folder, whose sub-folders come and go as wholes meanwhile; halves are left out."""
    target.mkdir(exist_ok=True)
    for path in sorted(folder.iterdir()) if folder.exists() else []:
        place = target / path.name
        if path.name.startswith(".") or place.exists():
            continue
        _copy_whole(path, place, _link if folder.name == _IMMUTABLE else shutil.copy2)
        if path.is_dir() and not path.exists():  # it vanished behind the reader
            shutil.rmtree(place, ignore_errors=True)


def _link(source: str, target: str) -> None:
    """Link a file, or copy it where it cannot be linked: a shared folder is another file system."""
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        shutil.copy2(source, target)


def _copy_whole(path: Path, place: Path, copy: Callable[[str, str], object]) -> None:
    """Copy a file or a folder. One that is being taken away meanwhile is waited for, and leaves nothing."""
    for attempt in range(_PATIENCE):
        try:
            if path.is_dir():
                shutil.copytree(path, place, copy_function=copy)
            else:
                shutil.copy2(path, place)
            return
        except (FileNotFoundError, shutil.Error):
            shutil.rmtree(place, ignore_errors=True)
            if not path.exists():
                return
            if attempt == _PATIENCE - 1:
                raise
            time.sleep(0.05)
