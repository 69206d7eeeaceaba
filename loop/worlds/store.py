"""Environments on disk, in the run directory: enough to go on, and to look at every world later.

An index lists the worlds of the splits in their order; it is written last. Tasks that a known world grew
later stand apart from it, in one file per brief, so that the world's own files never change.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from loop.errors import RunError
from loop.files import write_atomically, write_json
from loop.worlds.generator import Reserved
from loop.worlds.pool import Environment
from loop.worlds.splits import Splits
from planet.records.task import Task
from planet.store import read_world, write_world

SPLITS = "splits.json"
"""The index."""


def write_environments(directory: Path, environments: Sequence[Environment]) -> None:
    """Write worlds, keys and tasks, each in a directory of its own, atomically."""
    for environment in environments:
        write_world(directory, environment.world, environment.key, environment.tasks)


def write_splits(directory: Path, splits: Splits) -> None:
    """Write all splits and their index."""
    write_environments(directory, splits.environments)
    write_json(
        directory / SPLITS,
        {
            "digest": splits.digest,
            "reserved_pairs": sorted(list(pair) for pair in splits.reserved.pairs),
            "unseen_industry": splits.reserved.industry,
            "audit_steps": splits.audit_steps,
            "worlds": [{"world_id": e.world.id, "origin": e.origin} for e in splits.environments],
        },
    )


def is_written(directory: Path) -> bool:
    """Whether a directory holds the splits of a run."""
    return (directory / SPLITS).is_file()


def read_splits(directory: Path) -> Splits:
    """The splits in a directory; RunError when they are not all there."""
    index = directory / SPLITS
    try:
        stored = json.loads(index.read_text(encoding="utf-8"))
        reserved = Reserved(
            pairs=frozenset((first, second) for first, second in stored["reserved_pairs"]),
            industry=stored["unseen_industry"],
        )
        listed = [(entry["world_id"], entry["origin"]) for entry in stored["worlds"]]
        audit_steps = stored["audit_steps"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise RunError(
            f"{index}: cannot be read ({error!r}); restore it: without it this run cannot go on"
        ) from error
    environments = []
    for world_id, origin in listed:
        world, key, tasks = read_world(directory, world_id)
        environments.append(Environment(world, key, tuple(tasks), origin))
    return Splits(reserved, environments, audit_steps)


def read_grown(directory: Path, world_id: str, iteration: int | None, brief_id: str | None) -> Environment:
    """A grown world as it was admitted."""
    world, key, tasks = read_world(directory, world_id)
    return Environment(world, key, tuple(tasks), "grown", iteration, brief_id)


def write_more_tasks(directory: Path, environments: Sequence[Environment]) -> None:
    """Write the tasks that known worlds grew, by the briefs that asked for them."""
    for environment in environments:
        lines = "".join(f"{task.model_dump_json()}\n" for task in environment.tasks)
        write_atomically(_more(directory, environment.brief_id or ""), lines)


def read_more_tasks(directory: Path, known: Environment, iteration: int | None, brief_id: str) -> Environment:
    """The tasks that a brief brought to a known world; RunError when they cannot be read."""
    path = _more(directory, brief_id)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        tasks = tuple(Task.model_validate_json(line) for line in lines)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise RunError(
            f"{path}: cannot be read ({reason}); this run cannot be resumed, start anew"
        ) from error
    return Environment(known.world, known.key, tasks, "grown", iteration, brief_id)


def _more(directory: Path, brief_id: str) -> Path:
    return directory / "more_tasks" / f"{brief_id.replace('/', '-')}.jsonl"
