"""Graded episodes as the lines that `python -m analysis.weakness --episodes` reads."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loop.episodes.playing import Played
from planet.cells import cells_of, owned
from planet.records.episode import Call, Evidence
from planet.records.task import Task, TaskKey
from planet.whole_file import write_whole

LONGEST_NAME = 200
"""Characters of a tool's name; a longer one is told as output that could not be read."""


def write_lines(path: Path, episodes: Iterable[Played]) -> Path:
    """One line per episode; the file is whole or absent. Makes the folder; returns the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(line_of(episode), ensure_ascii=False) for episode in episodes)
    write_whole(path, "".join(f"{line}\n" for line in lines))
    return path


def line_of(played: Played) -> dict[str, Any]:
    """One episode: what was asked, done and checked, with the plan and the cells of its task."""
    task, key = played.task, played.task.key
    return {
        "task": task.id,
        "episode": played.wanted.episode_id,
        "world": key.world_id,
        "instruction": task.view.instruction,
        "tools": [tool.name for tool in task.view.tools],
        "calls": [_call(call) for call in played.trajectory.calls],
        "assertions": [_assertion(evidence, key) for evidence in played.grade.evidence],
        "success": played.grade.all_pass,
        "plan": [{"tool": p.tool, "arguments": p.arguments, "required": p.required} for p in key.oracle],
        "tags": _tags(task),
        "reward": played.grade.raw_reward,  # before penalties, as the report means it
        "ended": played.trajectory.ended,
    }


def _call(call: Call) -> dict[str, Any]:
    name = call.tool if call.tool and call.tool.strip() and len(call.tool) <= LONGEST_NAME else None
    made: dict[str, Any] = {"tool": name, "arguments": call.arguments}
    return made | ({"ok": True, "result": call.payload} if call.error is None else {"error": call.error})


def _assertion(evidence: Evidence, key: TaskKey) -> dict[str, Any]:
    """What was checked, with the tools that own it in a weakness report."""
    cells = sorted(owned(key, evidence.name))
    return {
        "name": evidence.name,
        "satisfied": evidence.satisfied,
        "kind": evidence.kind,
        "table": evidence.table,
        "column": evidence.column,
        "tools": [cell.removeprefix("tool:") for cell in cells if cell.startswith("tool:")],
    }


def _tags(task: Task) -> dict[str, list[str]]:
    """Facet -> values that the task requires; tools follow from the plan."""
    tags: dict[str, list[str]] = {}
    for cell in sorted(cells_of(task.key)):
        facet, _, value = cell.partition(":")
        if facet != "tool":
            tags.setdefault(facet, []).append(value)
    return tags
