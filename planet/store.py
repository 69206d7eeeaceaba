"""Worlds and tasks on disk: what a policy may read apart from the keys.

    DIR/manifest.json          digests and sizes of every world
    DIR/worlds/<id>.json       the world without its rows
    DIR/worlds/<id>.sqlite     its tables and documents, readable with any SQLite tool
    DIR/tasks/<id>.jsonl       task views
    DIR/keys/<id>.json         the world's key
    DIR/keys/<id>.tasks.jsonl  task keys

Every file is written beside its place and moved there, the manifest last: a world is in the manifest, whole,
or absent.
"""

import json
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from planet.errors import StorageError
from planet.records.task import Task, TaskKey
from planet.records.view import TaskView
from planet.records.world import SeedState, World, WorldKey
from planet.world.database import build, quote


class StoredWorld(NamedTuple):
    """A world as read back."""

    world: World
    key: WorldKey
    tasks: tuple[Task, ...]


def write_world(folder: Path, world: World, key: WorldKey, tasks: tuple[Task, ...]) -> None:
    """Write one world and enter it in the manifest; writing it again changes nothing. OSError: disk full."""
    for part in ("worlds", "tasks", "keys"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    _write_text(folder / "worlds" / f"{world.id}.json", _without_rows(world).model_dump_json())
    _write_database(folder / "worlds" / f"{world.id}.sqlite", world)
    _write_text(folder / "tasks" / f"{world.id}.jsonl", _lines(t.view.model_dump_json() for t in tasks))
    _write_text(folder / "keys" / f"{world.id}.json", key.model_dump_json())
    _write_text(folder / "keys" / f"{world.id}.tasks.jsonl", _lines(t.key.model_dump_json() for t in tasks))
    worlds = _manifest(folder) if (folder / "manifest.json").exists() else {}
    worlds[world.id] = {
        "industry": world.company.industry,
        "country": world.company.country,
        "tables": len(world.layout.resources),
        "rows": sum(map(len, world.seed.rows.values())),
        "tools": len(world.layout.tools),
        "checks": len(key.invariants),
        "tasks": len(tasks),
    }
    _write_text(
        folder / "manifest.json", json.dumps({"format": 1, "worlds": worlds}, indent=1, sort_keys=True)
    )


def world_ids(folder: Path) -> tuple[str, ...]:
    """Ids of the worlds in a folder, sorted; StorageError when it is no world folder."""
    return tuple(sorted(_manifest(folder)))


def read_world(folder: Path, world_id: str) -> StoredWorld:
    """A world, its key and its tasks; StorageError when a file is missing, unreadable or was changed."""
    if not world_id.isalnum():
        raise StorageError(f"{world_id!r} is no world id; see {folder / 'manifest.json'}")
    try:
        bare = World.model_validate_json((folder / "worlds" / f"{world_id}.json").read_bytes())
        key = WorldKey.model_validate_json((folder / "keys" / f"{world_id}.json").read_bytes())
        views = [TaskView.model_validate_json(x) for x in _read_lines(folder / "tasks" / f"{world_id}.jsonl")]
        keys = [
            TaskKey.model_validate_json(x) for x in _read_lines(folder / "keys" / f"{world_id}.tasks.jsonl")
        ]
        world = bare.replace(seed=_read_rows(folder / "worlds" / f"{world_id}.sqlite", bare))
    except (OSError, ValidationError, sqlite3.Error) as error:
        reason = str(error).splitlines()[0]
        raise StorageError(f"world {world_id} in {folder} cannot be read: {reason}") from error
    if world.id != world_id:
        raise StorageError(f"world {world_id} in {folder} was changed: its content hashes to {world.id}")
    if [v.task_id for v in views] != [k.task_id for k in keys]:
        raise StorageError(f"world {world_id} in {folder}: views and keys of its tasks do not match")
    return StoredWorld(world, key, tuple(Task(view=v, key=k) for v, k in zip(views, keys, strict=True)))


def _without_rows(world: World) -> World:
    return world.replace(seed=SeedState(rows={}))


def _manifest(folder: Path) -> dict[str, dict]:
    path = folder / "manifest.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))["worlds"]
    except FileNotFoundError as error:
        raise StorageError(
            f"{folder} holds no worlds: {path} is missing; make some with planet.synthesize"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"{path} cannot be read ({error}); restore it or synthesize again") from error


def _write_database(path: Path, world: World) -> None:
    connection = build(world)
    data = connection.serialize()
    connection.close()
    _write_bytes(path, data)


def _read_rows(path: Path, world: World) -> SeedState:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        rows = {}
        for resource in world.layout.resources:
            names = ", ".join(quote(c.name) for c in resource.columns)
            sql = f"SELECT {names} FROM {quote(resource.name)} ORDER BY rowid"
            rows[resource.name] = tuple(connection.execute(sql).fetchall())
        return SeedState(rows=rows)
    finally:
        connection.close()


def _lines(items: Iterable[str]) -> str:
    return "".join(f"{item}\n" for item in items)


def _read_lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line]


def _write_text(path: Path, text: str) -> None:
    _write_bytes(path, text.encode())


def _write_bytes(path: Path, data: bytes) -> None:
    """Write beside the place and move there, so that a reader never sees half a file."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
