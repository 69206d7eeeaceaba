"""Which runs a folder holds."""

from pathlib import Path
from typing import NamedTuple

from analysis.errors import AnalysisError, RunDirectoryError
from analysis.run_directory import OpenRun, open_run

DEPTH = 2
"""Folders between a sweep and its runs, at most."""


class Found(NamedTuple):
    """The runs of a folder."""

    runs: tuple[OpenRun, ...]  # by arm, then seed
    unread: tuple[str, ...]  # a line for each run that cannot be read, e.g. one that has not begun


def find_runs(path: Path) -> Found | None:
    """The runs below a folder; None when it is itself a run directory, or no folder.

    RunDirectoryError when a folder holds no run that can be read.
    """
    if not path.is_dir() or _is_run(path):
        return None
    places = [place for depth in range(1, DEPTH + 1) for place in sorted(path.glob("/".join("*" * depth)))]
    runs, unread = [], []
    for place in places:
        if place.is_dir() and _is_run(place):
            try:
                runs.append(open_run(place))
            except AnalysisError as error:
                unread.append(str(error))
    if not runs:
        why = (
            unread[0] if unread else f"{path} holds no run; give a run directory, or a folder that holds some"
        )
        raise RunDirectoryError(why)
    return Found(
        tuple(sorted(runs, key=lambda run: (run.run.arm, run.run.seed, str(run.path)))), tuple(unread)
    )


def _is_run(path: Path) -> bool:
    return (path / "config.json").is_file() or (path / "ledger.sqlite").is_file()
