"""Deliver a run's records to its trackers: `python -m loop.tracking.delivery RUN_DIR`.

A run does this by itself; the command is for records that could not be delivered then.
"""

import argparse
import fcntl
import sys
from pathlib import Path
from typing import Any

from analysis.ledger import Ledger
from loop.config import Config
from loop.errors import LoopError, RunDirectoryError
from loop.plugins import make
from loop.run_directory import RunDirectory, is_run
from loop.tracking.mlflow_store import MlflowTracker
from loop.tracking.protocol import TrackingError
from loop.tracking.records import identity_of, records_after


def deliver(directory: Path, uri: str | None, finish: bool) -> int:
    """Deliver what trackers lack; the number of steps delivered. TrackingError when one is down."""
    if not is_run(directory):
        raise RunDirectoryError(f"{directory}: not a run directory; give one, e.g. runs/closed_loop-...-s0")
    config = Config.model_validate_json((directory / "config.json").read_text(encoding="utf-8"))
    delivered = 0
    with (directory / "tracking.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with Ledger(config.ledger or RunDirectory(directory).ledger, create=False) as ledger:
            for tracker in trackers(config, uri):
                newest = tracker.begin(identity_of(config, directory))
                records = records_after(ledger, config.run_id, newest)
                tracker.deliver(records)
                delivered += len(records)
                if finish:
                    tracker.finish()
    return delivered


def trackers(config: Config, uri: str | None) -> list[Any]:
    """The trackers of a configuration, JSON lines apart; `uri` replaces the configured MLflow."""
    made: list[Any] = [
        make("tracker", plugin, f"tracking.extra.{index}")
        for index, plugin in enumerate(config.tracking.extra)
    ]
    where = uri or config.tracking.mlflow
    return made if where is None else [MlflowTracker(where), *made]


def main(argv: list[str] | None = None) -> int:
    """The command line; exit code 2 for wrong use, 1 when a tracker is down."""
    parser = argparse.ArgumentParser(prog="python -m loop.tracking.delivery", description=__doc__)
    parser.add_argument("run_dir", type=Path)
    parser.add_argument(
        "--mlflow", metavar="URI", help="deliver to this tracking URI instead of the configured one"
    )
    parser.add_argument("--finish", action="store_true", help="mark the run as finished")
    given = parser.parse_args(argv)
    try:
        count = deliver(given.run_dir, given.mlflow, given.finish or RunDirectory(given.run_dir).finished)
    except TrackingError as error:
        print(error, file=sys.stderr)
        return 1
    except LoopError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"{count} steps delivered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
