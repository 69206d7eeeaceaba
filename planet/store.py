"""Worlds and tasks on disk: what a policy may read apart from the keys.

    DIR/manifest.json          of every world its sizes, and a digest of its brief, key and tasks
    DIR/worlds/<id>.json       the world without its rows
    DIR/worlds/<id>.sqlite     its tables and documents, readable with any SQLite tool
    DIR/tasks/<id>.jsonl       task views
    DIR/keys/<id>.json         the world's key
    DIR/keys/<id>.tasks.jsonl  task keys

Every file is written beside its place and moved there, the manifest last: a world is in the manifest, whole,
or absent. One process at a time may write to a folder; any number may read.

A folder may come from anyone. What is read is bounded, lies in the folder, and runs nothing: names are ids,
files are plain, and of a database only plain tables are read.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from planet.errors import StorageError
from planet.first_misfit import first_misfit
from planet.identity import digest
from planet.manifest import enter, entries
from planet.plain_files import Files
from planet.plain_tables import read_rows
from planet.records.task import Task, TaskKey
from planet.records.view import TaskView
from planet.records.world import SeedState, World, WorldKey
from planet.whole_file import write_whole
from planet.world.database import build

_Record = TypeVar("_Record", bound=BaseModel)


class StoredWorld(NamedTuple):
    """A world as read back."""

    world: World
    key: WorldKey
    tasks: tuple[Task, ...]


def write_world(
    folder: Path, world: World, key: WorldKey, tasks: tuple[Task, ...], note: dict[str, Any] | None = None
) -> None:
    """Write one world and enter it in the manifest; writing it again changes nothing. OSError: disk full.

    `note`: JSON that the manifest keeps for whoever made the world, e.g. what it was made from.
    """
    enter(folder, {world.id: write_files(folder, world, key, tasks, note)})


def write_files(
    folder: Path, world: World, key: WorldKey, tasks: tuple[Task, ...], note: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Write a world's files and return the entry that the manifest lacks; processes may do so at once."""
    for part in ("worlds", "tasks", "keys"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    write_whole(folder / "worlds" / f"{world.id}.json", _without_rows(world).model_dump_json())
    _write_database(folder / "worlds" / f"{world.id}.sqlite", world)
    write_whole(folder / "tasks" / f"{world.id}.jsonl", _lines(t.view.model_dump_json() for t in tasks))
    write_whole(folder / "keys" / f"{world.id}.json", key.model_dump_json())
    write_whole(folder / "keys" / f"{world.id}.tasks.jsonl", _lines(t.key.model_dump_json() for t in tasks))
    return {
        "digest": _digest(StoredWorld(world, key, tasks)),
        "industry": world.company.industry,
        "country": world.company.country,
        "tables": len(world.layout.resources),
        "rows": sum(map(len, world.seed.rows.values())),
        "tools": len(world.layout.tools),
        "checks": len(key.invariants),
        "tasks": len(tasks),
        "note": note or {},
    }


def world_ids(folder: Path) -> tuple[str, ...]:
    """Ids of the worlds in a folder, sorted; StorageError when it is no world folder, or holds none."""
    names = tuple(sorted(entries(folder)))
    if not names:
        raise StorageError(f"{folder} holds no worlds; make some with planet.synthesize")
    return names


def world_named(folder: Path, start: str) -> str:
    """The id of the one world whose id begins with `start`; StorageError when there is none, or several."""
    names = world_ids(folder)
    found = [name for name in names if name.startswith(start)]
    if len(found) == 1:
        return found[0]
    if found:
        raise StorageError(f"{len(found)} worlds begin with {start!r}: {_first(found)}; write more of it")
    raise StorageError(f"{folder} holds no world {start!r}; there {_are(names)}")


def _first(names: Sequence[str]) -> str:
    """The first three; dots when there are more."""
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def _are(names: Sequence[str]) -> str:
    return f"{'is' if len(names) == 1 else 'are'} {_first(names)}"


def task_named(stored: StoredWorld, start: str) -> Task:
    """The one task of the world whose id begins with `start`; StorageError when there is none, or several."""
    found = [task for task in stored.tasks if task.id.startswith(start)]
    if len(found) == 1:
        return found[0]
    ids = ", ".join(task.id for task in stored.tasks)
    raise StorageError(f"{len(found)} tasks begin with {start!r}; tasks of world {stored.world.id} are {ids}")


def read_world(folder: Path, world_id: str) -> StoredWorld:
    """A world, its key and its tasks; StorageError when a file is missing, unreadable or was changed."""
    entry = entries(folder).get(world_id)
    if entry is None:
        raise StorageError(
            f"{folder} holds no world {world_id!r}; its worlds are in {folder / 'manifest.json'}"
        )
    try:
        files = Files(folder)
        bare = _record(World, files, f"worlds/{world_id}.json")
        key = _record(WorldKey, files, f"keys/{world_id}.json")
        views = _records(TaskView, files, f"tasks/{world_id}.jsonl")
        keys = _records(TaskKey, files, f"keys/{world_id}.tasks.jsonl")
        if len(views) != len(keys):
            raise ValueError(f"it has {len(views)} tasks but keys of {len(keys)}")
        world = bare.replace(seed=read_rows(files.path(f"worlds/{world_id}.sqlite"), bare))
        tasks = tuple(Task(view=v, key=k) for v, k in zip(views, keys, strict=True))
        stored = StoredWorld(world, key, tasks)
        found, digest_found = world.id, _digest(stored)
    except (OSError, ValueError, TypeError, sqlite3.Error) as error:
        reason = str(error).splitlines()[0]
        raise StorageError(f"world {world_id} in {folder} cannot be read: {reason}") from error
    if found != world_id:
        raise StorageError(f"world {world_id} in {folder} was changed: its content hashes to {found}")
    if digest_found != entry.get("digest"):
        raise StorageError(f"world {world_id} in {folder} was changed: its brief, key or tasks do not match")
    return stored


def _record(kind: type[_Record], files: Files, name: str) -> _Record:
    """The record of a file; ValueError says what is wrong with it first."""
    return _parsed(kind, files.read(name), name)


def _records(kind: type[_Record], files: Files, name: str) -> list[_Record]:
    """Likewise one a line."""
    return [_parsed(kind, line, f"{name}: line {n}") for n, line in enumerate(files.lines(name), 1)]


def _parsed(kind: type[_Record], content: str | bytes, place: str) -> _Record:
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        raise ValueError(f"{place}: {first_misfit(error)}") from error


def _digest(stored: StoredWorld) -> str:
    """Of what the world's id does not cover, and of the id."""
    return digest([stored.world.id, stored.world.brief, stored.key, stored.tasks])


def _without_rows(world: World) -> World:
    return world.replace(seed=SeedState(rows={}))


def _write_database(path: Path, world: World) -> None:
    connection = build(world)
    data = connection.serialize()
    connection.close()
    write_whole(path, data)


def _lines(items: Iterable[str]) -> str:
    return "".join(f"{item}\n" for item in items)
