"""A world with its slice, as it is counted. Worlds are read one by one, and without their rows."""

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
    for name, entry in tracked(known, "reading worlds", len(known)):
        try:
            world = json.loads(files.read(f"worlds/{name}.json"))
            keys = [json.loads(line) for line in files.lines(f"keys/{name}.tasks.jsonl")]
            size = files.path(f"worlds/{name}.sqlite").stat().st_size
            yield _environment(name, entry, world, keys, size)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StorageError(f"world {name} in {folder} cannot be read: {error}") from error


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
        refused=dict(entry["note"].get("refused") or {}),
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
