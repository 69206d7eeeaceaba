"""Deliver a run's records to its trackers: `python -m loop.tracking.delivery RUN_DIR`.

A run does this by itself; the command is for records that could not be delivered then.
"""

import fcntl
import sys
from argparse import Namespace
from pathlib import Path
from typing import IO, Any

from analysis.ledger import Ledger
from loop.command import FAILED, one_line_errors
from loop.config import Config
from loop.plugins import make
from loop.run_directory import RunDirectory, stored_config
from loop.tracking.mlflow_store import MlflowTracker
from loop.tracking.protocol import TrackingError
from loop.tracking.records import identity_of, records_after
from loop.tracking.traces import newest_diagnosis, read_batch
from planet.command import Parser, complain


def deliver(directory: Path, uri: str | None, finish: bool) -> int:
    """Deliver what trackers lack; the number of steps delivered. TrackingError when one is down, after the
    others were served."""
    config = stored_config(directory)
    delivered, down = 0, []
    with (directory / "tracking.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with Ledger(config.ledger or RunDirectory(directory).ledger, create=False) as ledger:
            for tracker in trackers(config, uri):
                try:
                    delivered += _deliver_to(tracker, ledger, config, directory, finish)
                except TrackingError as error:
                    down.append(str(error))
                except Exception as error:  # a fault of an own tracker
                    down.append(f"{type(tracker).__name__}: {error!r}")
    if down:
        raise TrackingError("; ".join(down))
    return delivered


def _deliver_to(tracker: Any, ledger: Ledger, config: Config, directory: Path, finish: bool) -> int:
    """Deliver what one tracker lacks; the number of steps."""
    newest = tracker.begin(identity_of(config, directory))
    records = records_after(ledger, config.run_id, newest)
    tracker.deliver(records)
    if isinstance(tracker, MlflowTracker):
        _deliver_traces(tracker, ledger, config.run_id, directory)
    if finish:
        tracker.finish()
    return len(records)


def _deliver_traces(tracker: MlflowTracker, ledger: Ledger, run_id: str, directory: Path) -> None:
    """Have the newest diagnosis traced, if it is not."""
    step = newest_diagnosis(ledger, run_id)
    if step is not None and step > tracker.traced:
        run = next(run for run in ledger.runs() if run.run_id == run_id)
        tracker.trace(read_batch(ledger, run, directory, step))


def trackers(config: Config, uri: str | None) -> list[Any]:
    """The trackers of a configuration, JSON lines apart; `uri` replaces the configured MLflow."""
    where = uri or config.tracking.mlflow
    return [*([MlflowTracker(where)] if where is not None else []), *own_trackers(config)]


def own_trackers(config: Config) -> list[Any]:
    """The trackers of `tracking.extra`; ConfigError for one that cannot be made."""
    return [
        make("tracker", plugin, f"tracking.extra.{index}")
        for index, plugin in enumerate(config.tracking.extra)
    ]


def follow(directory: Path, uri: str | None, asked: IO[str], complaints: IO[str]) -> bool:
    """Deliver for every line that is asked, and once more at the end; whether that last one succeeded.

    Beside a run: the run asks, and its end, however it came, closes the pipe.
    """
    for _ in asked:
        _attempt(directory, uri, complaints)
    return _attempt(directory, uri, complaints)


def _attempt(directory: Path, uri: str | None, complaints: IO[str]) -> bool:
    try:
        deliver(directory, uri, RunDirectory(directory).finished)
    except TrackingError as error:
        print(error, file=complaints, flush=True)
        return False
    return True


def main(argv: list[str] | None = None) -> int:
    """The command line; exit code 2 for wrong use, 1 when a tracker is down."""
    parser = Parser(prog="python -m loop.tracking.delivery", description=__doc__)
    parser.add_argument("run_dir", type=Path)
    parser.add_argument(
        "--mlflow", metavar="URI", help="deliver to this tracking URI instead of the configured one"
    )
    parser.add_argument("--finish", action="store_true", help="mark the run as finished")
    parser.add_argument(
        "--follow", action="store_true", help="deliver whenever a line is read, until the end"
    )
    given = parser.parse_args(argv)
    with one_line_errors() as outcome:
        try:
            outcome.code = _deliver(given)
        except TrackingError as error:
            outcome.code = FAILED
            complain(error)
    return outcome.code


def _deliver(given: Namespace) -> int:
    if given.follow:
        return 0 if follow(given.run_dir, given.mlflow, sys.stdin, sys.stdout) else FAILED
    count = deliver(given.run_dir, given.mlflow, given.finish or RunDirectory(given.run_dir).finished)
    print(f"{count} steps delivered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
