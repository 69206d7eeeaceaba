"""What is clustered: texts with their tool sets, from a run or from any JSON-lines file."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from analysis.errors import DataError
from analysis.ledger import TaskRow, WorldRow
from analysis.run_directory import OpenRun
from planet.records.frozen import Frozen

_WORD = re.compile(r"\w\w")

LEAST = 10
"""Fewer items than this say nothing about clusters."""


class Item(Frozen):
    """One text with the tools that its task needs."""

    id: str
    text: str
    tools: tuple[str, ...]
    metadata: dict[str, Any] = Field(
        default_factory=dict
    )  # labels to compare with, e.g. {"industry": "retail"}


def items_of_run(run: OpenRun) -> list[Item]:
    """The tasks that the run trains on: instruction, and tools of the solving plan."""
    worlds = {row.world_id: row for row in run.ledger.rows(WorldRow, run.id)}
    tasks = [row for row in run.ledger.rows(TaskRow, run.id) if row.split in ("train", "grown")]
    return _enough([_item(task, worlds[task.world_id]) for task in tasks], str(run.path))


def _item(task: TaskRow, world: WorldRow) -> Item:
    labels = {
        "industry": world.industry,
        "role": task.role,
        "family": task.family,
        "template": task.template,
        "services": "+".join(world.offering),
        "world": world.world_id,
    }
    tools = tuple(sorted({str(call["tool"]) for call in task.oracle}))
    return Item(id=task.task_id, text=task.instruction, tools=tools, metadata=labels)


def items_of_file(path: str | Path) -> list[Item]:
    """Items of a JSON-lines file of {"id", "text", "tools", "metadata"}; DataError names a bad line."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}; give a JSON-lines file") from error
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    return _enough([_parsed(path, number, line) for number, line in numbered], str(path))


def _parsed(path: str | Path, number: int, line: str) -> Item:
    try:
        return Item(**json.loads(line))
    except (ValueError, TypeError) as error:
        problem = error.errors()[0] if isinstance(error, ValidationError) else None
        said = f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" if problem else error
        raise DataError(
            f'{path}, line {number}: {said}; each line is {{"id", "text", "tools", "metadata"}}'
        ) from error


def _enough(items: Sequence[Item], source: str) -> list[Item]:
    if len(items) < LEAST:
        raise DataError(f"{source} holds {len(items)} items; clusters need at least {LEAST}")
    if not any(item.tools for item in items) or not any(_WORD.search(item.text) for item in items):
        raise DataError(f"{source} has no tools, or no words, in any item; there is nothing to cluster by")
    return list(items)
