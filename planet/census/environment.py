"""A world with its slice, as it is counted. Worlds are read one by one, and without their rows.

A census reads and counts: files that hold something else than a world's are refused, but whether the world is
sound, and still the one that was written, is what `planet.validate` checks.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

from planet.errors import StorageError
from planet.plain_files import Files
from planet.progress import tracked
from planet.store import entries


class CountedTask(NamedTuple):
    """A task as the census counts it."""

    family: str
    role: str
    template: str  # id of the phrasing of its leading part
    services: int  # that its solution touches
    assertions: int
    calls: int  # of its solution
    stake: bool  # whether a rule is at stake


class Environment(NamedTuple):
    """A world as the census counts it."""

    id: str
    sizes: dict[str, float]  # services, tools, tables, hidden checks, rows, kilobytes, tools offered
    industry: str
    country: str
    description: str  # of the sub-industry
    combination: str  # kinds of service that the slice joins, "billing+crm"
    offered: tuple[str, ...]  # tools of the slice
    tools: tuple[str, ...]  # of the world
    tables: tuple[str, ...]  # likewise
    tasks: tuple[CountedTask, ...]
    refused: dict[str, int]  # validator, audit rule or "no_draft" -> refusals on the way to this world


def read_environments(folder: Path) -> Iterator[Environment]:
    """The worlds of a folder in the order of their ids; StorageError when one cannot be read."""
    files, known = Files(folder), sorted(entries(folder).items())
    if not known:
        raise StorageError(f"{folder} holds no worlds; make some with planet.synthesize")
    for name, entry in tracked(known, "reading worlds", len(known)):
        try:
            world = _read(files, name)
            size = files.path(f"worlds/{name}.sqlite").stat().st_size
            found = _environment(name, entry, *world, size)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise StorageError(f"world {name} in {folder} cannot be read: {_reason(error)}") from error
        yield found


def _read(files: Files, name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The world, and the keys of its tasks; ValueError when a file holds no JSON objects, or misses some."""
    world = _object(json.loads(files.read(f"worlds/{name}.json")), f"worlds/{name}.json")
    _object(json.loads(files.read(f"keys/{name}.json")), f"keys/{name}.json")
    views, keys = _objects(files, f"tasks/{name}.jsonl"), _objects(files, f"keys/{name}.tasks.jsonl")
    if [view["task_id"] for view in views] != [key["task_id"] for key in keys]:
        raise ValueError(f"its {len(views)} tasks are not those of its {len(keys)} keys")
    return world, keys


def _objects(files: Files, name: str) -> list[dict[str, Any]]:
    lines = enumerate(files.lines(name), 1)
    return [_object(json.loads(line), f"{name}: line {number}") for number, line in lines]


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: it is no JSON object")
    return value


def _counts(value: Any) -> dict[str, int]:
    """What refused drafts of a world on the way to it; ValueError when that is no count."""
    for cause, count in _object({} if value is None else value, "what refused it").items():
        if type(count) is not int or count < 0:
            raise ValueError(f"it was refused {str(count)[:40]!r} times by {cause[:40]!r}, which is no count")
    return dict(value or {})


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it lacks {error}"
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    return " ".join(str(error).split())


def _environment(
    name: str, entry: dict[str, Any], world: dict[str, Any], keys: list[dict[str, Any]], size: int
) -> Environment:
    kinds = {service["name"]: service["kind"] for service in world["graph"]["services"]}
    tools = world["layout"]["tools"]
    offered = [t for t in tools if t["resource"] is None or t["resource"] in world["slice"]]
    services = sorted({kinds[t["service"]] for t in offered if t["service"]})
    company = world["company"]
    return Environment(
        id=name,
        sizes={
            "services": len(kinds),
            "tools": len(tools),
            "tables": len(world["layout"]["resources"]),
            "hidden checks": entry["checks"],
            "rows": entry["rows"],
            "kilobytes": size / 1_000,
            "tools offered": len(offered),
        },
        industry=intern(company["industry"]),
        country=intern(company["country"]),
        description=intern(company["description"]),
        combination=intern("+".join(services)),
        offered=tuple(intern(t["name"]) for t in offered),
        tools=tuple(intern(t["name"]) for t in tools),
        tables=tuple(intern(resource["name"]) for resource in world["layout"]["resources"]),
        tasks=tuple(map(_counted, keys)),
        refused=_counts(entry["note"].get("refused")),
    )


def _counted(key: dict[str, Any]) -> CountedTask:
    facets = key["facets"]
    return CountedTask(
        family=intern(facets["family"]),
        role=intern(facets["role"]),
        template=intern(facets["template"]),
        services=len(set(facets["services"])),
        assertions=len(key["assertions"]),
        calls=len(key["oracle"]),
        stake=bool(key["at_stake"]),
    )
