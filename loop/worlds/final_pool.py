"""The final pool of a finished run as the pool from which another run of the same seed starts.

Is it *when* a curriculum shows its worlds, or only *which* worlds it shows? The run that answers has all of
them from its first update, and grows none. It keeps copies: its directory is complete without the other one.
"""

from pathlib import Path
from typing import Any

from analysis.ledger import Ledger, StepRow
from loop.config import Config
from loop.errors import ConfigError, RunDirectoryError
from loop.run_directory import RunDirectory, stored_config
from loop.worlds.grown import add_grown
from loop.worlds.pool import Environment, Pool
from loop.worlds.splits import Splits

SOURCE = "final_pool"
"""In the detail of a run's first step: the run that it starts from."""


def source_of(config: Config) -> tuple[RunDirectory, Config]:
    """The finished run of the same seed that `final_pool` names, and its configuration.

    A configuration file stands for the default directory of its run at this seed. RunDirectoryError when
    there is no such run, it is not finished, or it is of another seed.
    """
    path = config.final_pool
    assert path is not None, "only for a run that starts from a final pool"
    if path.suffix in (".yaml", ".yml"):
        from loop.loading import load

        path = Path("runs") / load(path, (f"seed={config.seed}",)).run_id
    stored, directory = stored_config(path), RunDirectory(path)
    if stored.seed != config.seed:
        raise RunDirectoryError(
            f"final_pool: {path} is a run of seed {stored.seed}, this run has seed {config.seed}; "
            f"give a finished run of seed {config.seed}"
        )
    if not directory.finished:
        raise RunDirectoryError(
            f"final_pool: {path} is not finished, so its pool may still grow; finish it with --resume first"
        )
    return directory, stored


def require_same_source(config: Config, recorded: dict[str, Any]) -> None:
    """RunDirectoryError when a run that goes on would now start from another run than it did.

    recorded: the detail of its first step. A source that is gone is no hindrance: its worlds were copied.
    """
    began = recorded.get(SOURCE)
    if config.final_pool is None or began is None:
        return
    try:
        found = source_of(config)[1].run_id
    except (ConfigError, RunDirectoryError):
        return
    if found != began:
        raise RunDirectoryError(
            f"final_pool: {config.final_pool} holds run {found}, this run started from {began}; name that "
            "one, or give another --run-dir to start anew"
        )


def grown_of_source(config: Config, splits: Splits) -> list[Environment]:
    """The worlds that the pool of the other run holds beyond the train split, which both share; by id.

    RunDirectoryError when the splits of the two runs differ, or the other one grew no worlds but tasks.
    """
    directory, stored = source_of(config)
    with Ledger(stored.ledger or directory.ledger, create=False) as ledger:
        recorded = ledger.rows(StepRow, stored.run_id, step=0)[0].detail["splits_digest"]
        if recorded != splits.digest:
            raise RunDirectoryError(
                f"final_pool: {directory.path} has the splits {recorded}, this run {splits.digest}; "
                "give a run with the same splits, catalog and author"
            )
        pool = Pool()
        pool.add(splits.of("train"))
        add_grown(pool, ledger, stored.run_id, directory.worlds)
    train = {e.world.id: len(e.tasks) for e in splits.of("train")}
    if any(len(e.tasks) > train.get(e.world.id, len(e.tasks)) for e in pool):
        raise RunDirectoryError(
            f"final_pool: {directory.path} grew tasks in known worlds; give a run that grew worlds"
        )
    new = sorted((e for e in pool if e.world.id not in train), key=lambda e: e.world.id)
    return [Environment(e.world, e.key, e.tasks, "grown") for e in new]
