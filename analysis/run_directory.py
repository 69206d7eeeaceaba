"""A run directory as analysis sees it: the ledger, the one run in it, and where figures go."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import RunDirectoryError
from analysis.ledger import Ledger, RunRow


@dataclass(frozen=True)
class OpenRun:
    """A run that can be read."""

    path: Path
    ledger: Ledger
    run: RunRow

    @property
    def id(self) -> str:
        return self.run.run_id

    @property
    def figures(self) -> Path:
        """Where figures and their tables go by default."""
        return self.path / "figures"

    @property
    def label(self) -> str:
        """How the run is called in a legend."""
        return f"{self.run.arm}, seed {self.run.seed}"


def open_run(path: str | Path) -> OpenRun:
    """The run in a run directory. RunDirectoryError when the folder is none, or its ledger holds no such run.

    The ledger is the URL in config.json, or ledger.sqlite in the folder.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise RunDirectoryError(f"{path} is not a folder; give the directory of a run, e.g. runs/NAME")
    config = _config(folder)
    url = config.get("ledger") or folder / "ledger.sqlite"
    if isinstance(url, Path) and not url.is_file():
        raise RunDirectoryError(f"{path} is not a run directory: it has no ledger.sqlite; give runs/NAME")
    ledger = Ledger(url, create=False)
    return OpenRun(folder, ledger, _only_run(ledger, config, path))


def _config(folder: Path) -> dict[str, Any]:
    file = folder / "config.json"
    if not file.is_file():
        return {}
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RunDirectoryError(f"{file} cannot be read as JSON: {error}; restore it from the run") from error
    return config if isinstance(config, dict) else {}


def _only_run(ledger: Ledger, config: dict[str, Any], path: str | Path) -> RunRow:
    runs = ledger.runs()
    if not runs:
        raise RunDirectoryError(f"the ledger of {path} is empty; wait for the run to record its first step")
    if config.get("ledger") or len(runs) > 1:  # a database that several runs share, or will
        runs = [run for run in runs if run.seed == config.get("seed") and _holds(config, run.config)]
    if not runs:
        raise RunDirectoryError(
            f"the ledger {ledger.url} holds no run of {path}/config.json; wait for the run to record its "
            "first step, or give the directory of another one"
        )
    if len(runs) > 1:
        raise RunDirectoryError(
            f"{len(runs)} runs in the ledger {ledger.url} fit {path}/config.json; give a directory of one run"
        )
    return runs[0]


def _holds(whole: Any, part: Any) -> bool:
    """Whether `part` is `whole` with some keys left out."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and _holds(whole[key], value) for key, value in part.items())
    return bool(whole == part)
