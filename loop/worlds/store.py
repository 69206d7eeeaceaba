"""Environments on disk, in the run directory: enough to go on, and to look at every world later.

An index lists the worlds of the splits in their order; it is written last.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from loop.errors import RunError
from loop.files import write_json
from loop.worlds.generator import Reserved
from loop.worlds.pool import Environment
from loop.worlds.splits import Splits
from planet.store import read_world, write_world


def write_environments(directory: Path, environments: Sequence[Environment]) -> None:
    """Write worlds, keys and tasks, each in a directory of its own, atomically."""
    for environment in environments:
        write_world(directory, environment.world, environment.key, environment.tasks)


def write_splits(directory: Path, splits: Splits) -> None:
    """Write all splits and their index."""
    write_environments(directory, splits.environments)
    write_json(
        directory / "splits.json",
        {
            "digest": splits.digest,
            "reserved_pairs": sorted(list(pair) for pair in splits.reserved.pairs),
            "unseen_industry": splits.reserved.industry,
            "audit_steps": splits.audit_steps,
            "worlds": [{"world_id": e.world.id, "origin": e.origin} for e in splits.environments],
        },
    )


def read_splits(directory: Path) -> Splits:
    """The splits in a directory; RunError when they are not all there."""
    index = directory / "splits.json"
    try:
        stored = json.loads(index.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(
            f"{index}: cannot be read ({error}); this run cannot be resumed, start anew"
        ) from error
    reserved = Reserved(
        pairs=frozenset((first, second) for first, second in stored["reserved_pairs"]),
        industry=stored["unseen_industry"],
    )
    environments = []
    for entry in stored["worlds"]:
        world, key, tasks = read_world(directory, entry["world_id"])
        environments.append(Environment(world, key, tuple(tasks), entry["origin"]))
    return Splits(reserved, environments, stored["audit_steps"])


def read_grown(directory: Path, world_id: str, iteration: int | None, brief_id: str | None) -> Environment:
    """A grown world as it was admitted."""
    world, key, tasks = read_world(directory, world_id)
    return Environment(world, key, tuple(tasks), "grown", iteration, brief_id)
