"""What is clustered: texts with their tool sets, from a run or from any JSON-lines file."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from analysis.errors import DataError
from analysis.json_lines import Line, first_problem, read_lines
from analysis.ledger import TaskRow, WorldRow
from analysis.run_directory import OpenRun
from planet.identity import stream
from planet.records.frozen import Frozen

_WORD = re.compile(r"\w\w")
_PART = re.compile(r"[^\W_]+")
_RECORD = re.compile(r"#?\b[A-Z]{1,4}-?[0-9]{4,}\b")

LEAST = 10
"""Fewer items than this say nothing about clusters."""


class Item(Frozen):
    """One text with the tools that its task needs."""

    id: str
    text: str
    tools: tuple[str, ...]
    metadata: dict[str, Any] = Field(default_factory=dict)  # labels to compare with, {"industry": "retail"}


def items_of_run(run: OpenRun) -> list[Item]:
    """The tasks that the run trains on: instruction, and tools of the solving plan."""
    worlds = {row.world_id: row for row in run.ledger.rows(WorldRow, run.id)}
    tasks = [row for row in run.ledger.rows(TaskRow, run.id) if row.split in ("train", "grown")]
    return enough([_item(task, worlds[task.world_id]) for task in tasks], str(run.path))


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
    places: dict[str, int] = {}  # id -> its line
    items = []
    for line in read_lines(path):
        found = _parsed(line)
        if isinstance(found, Item) and places.setdefault(found.id, line.number) != line.number:
            found = f"id {found.id!r} stands on line {places[found.id]} already; give every task its own id"
        if isinstance(found, str):
            raise DataError(f"{path}, line {line.number}: {found}")
        items.append(found)
    return enough(items, str(path))


def _parsed(line: Line) -> Item | str:
    """The item of a line, or what is wrong with it."""
    problem = line.problem
    if problem is None and not isinstance(line.value, dict):
        problem = f"{type(line.value).__name__} instead of an object"
    if problem is None:
        try:
            return Item.model_validate(line.value)
        except ValidationError as error:
            problem = first_problem(error)
    return f'{problem}; each line is {{"id", "text", "tools", "metadata"}}'


def some(items: Sequence[Item], most: int, seed: int = 0) -> list[Item]:
    """`most` items drawn uniformly, or all of fewer, in their order."""
    if len(items) <= most:
        return list(items)
    return [items[place] for place in sorted(stream(seed, "clustering").sample(range(len(items)), most))]


def without_tool_words(items: Sequence[Item]) -> list[Item]:
    """The items, their texts without ids of records and without the words of which names of tools are made.

    Texts that name the tools' tables agree with the tools because of that; this asks what is left.
    """
    words = {word for item in items for tool in item.tools for word in _PART.findall(tool.lower())}
    return [item.replace(text=_bare(item.text, words)) for item in items]


def _bare(text: str, words: set[str]) -> str:
    kept = [
        token
        for token in _RECORD.sub(" ", text).split()
        if not {part for part in _PART.findall(token.lower())} & (words | {f"{word}s" for word in words})
    ]
    return " ".join(kept)


def enough(items: Sequence[Item], source: str) -> list[Item]:
    """The items; DataError when there are too few of them, or nothing to cluster by."""
    if len(items) < LEAST:
        raise DataError(f"{source} holds {len(items)} items; clusters need at least {LEAST}")
    if not any(item.tools for item in items) or not any(_WORD.search(item.text) for item in items):
        raise DataError(f"{source} has no tools, or no words, in any item; there is nothing to cluster by")
    return list(items)
