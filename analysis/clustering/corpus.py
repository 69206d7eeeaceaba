"""Items of a folder of worlds: the tasks of its RL corpus, of which some are drawn before any is read."""

import json
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from analysis.clustering.items import Item, enough
from analysis.errors import DataError
from planet.census.design import TASKS_EACH
from planet.identity import stream
from planet.plain_files import Files
from planet.store import entries

ToolSets = Literal["called", "offered"]


def items_of_corpus(folder: Path, most: int, seed: int = 0, tools: ToolSets = "called") -> list[Item]:
    """`most` tasks drawn uniformly from the worlds with ten tasks, or all of fewer, in the worlds' order.

    tools: those that the solution calls, or those that the environment offers. DataError: unreadable.
    """
    counts = {name: entry["tasks"] for name, entry in entries(folder).items() if entry["tasks"] >= TASKS_EACH}
    names = sorted(counts)
    ends = list(accumulate(counts[name] for name in names))
    total = ends[-1] if ends else 0
    drawn = range(total) if most >= total else sorted(stream(seed, "clustering").sample(range(total), most))
    wanted: dict[str, list[int]] = {}
    for number in drawn:
        place = bisect_right(ends, number)
        wanted.setdefault(names[place], []).append(number - (ends[place - 1] if place else 0))
    return enough(
        [item for name in wanted for item in _items(folder, name, wanted[name], tools)], str(folder)
    )


def _items(folder: Path, name: str, places: list[int], tools: ToolSets) -> Iterator[Item]:
    files = Files(folder)
    try:
        views, keys = files.lines(f"tasks/{name}.jsonl"), files.lines(f"keys/{name}.tasks.jsonl")
        for place in places:
            yield _item(json.loads(views[place]), json.loads(keys[place])["facets"], tools)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise DataError(
            f"tasks of world {name} in {folder} cannot be read: {error}; make it again"
        ) from error


def _item(view: dict[str, Any], facets: dict[str, Any], tools: ToolSets) -> Item:
    offered = {tool["name"]: tool["service"] for tool in view["tools"]}
    labels = {
        "industry": facets["industry"],
        "role": facets["role"],
        "family": facets["family"],
        "template": facets["template"],
        "services": "+".join(sorted({service for service in offered.values() if service})),
        "world": view["world_id"],
    }
    names = tuple(sorted(facets["tools"] if tools == "called" else offered))
    return Item(id=view["task_id"], text=view["instruction"], tools=names, metadata=labels)
