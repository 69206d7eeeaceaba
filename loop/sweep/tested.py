"""The outcomes of a run's test, task by task."""

import json
from typing import Any

from analysis.compare.standing import GREEDY
from analysis.ledger import EpisodeRow
from analysis.run_result import Part, TestTask, Tries
from loop.config import Config
from loop.resuming.extension import EXTENDED
from loop.run_directory import RunDirectory
from loop.sweep.records import Records
from loop.worlds.splits import places


def parts_of_test(directory: RunDirectory, config: Config) -> dict[str, Part]:
    """World id -> part of the test split: worlds stand in the index in the order of their places."""
    index = json.loads((directory.worlds / "splits.json").read_text(encoding="utf-8"))
    worlds = [entry["world_id"] for entry in index["worlds"] if entry["origin"] == "test"]
    groups = [place.group for place in places(config) if place.origin == "test"]
    return dict(zip(worlds, groups, strict=True))  # type: ignore[arg-type]  # groups of test are parts


def tested_tasks(records: Records, parts: dict[str, Part]) -> tuple[TestTask, ...]:
    """Every test task with its outcomes, by id."""
    subjects = {step.step: step.detail["subject"] for step in records.of_kind("test")}
    tried: dict[tuple[str, str, bool], list[EpisodeRow]] = {}  # (task, subject, greedy) -> rollouts
    for e in records.episodes:
        if e.purpose == "test":
            tried.setdefault((e.task_id, subjects[e.step], e.variant == GREEDY), []).append(e)

    def tries(task: str, subject: str, greedy: bool) -> Any:
        found = tried.get((task, subject, greedy))
        return None if found is None else _tries(found)

    return tuple(
        TestTask(
            task_id=task.task_id,
            world_id=task.world_id,
            family=task.family,
            part=parts[task.world_id],
            cells=task.cells,
            warm_sampled=tries(task.task_id, "warm_start", False),
            warm_greedy=tries(task.task_id, "warm_start", True),
            final_sampled=tries(task.task_id, "final", False),
            final_greedy=tries(task.task_id, "final", True),
            extended_sampled=tries(task.task_id, EXTENDED, False),
            extended_greedy=tries(task.task_id, EXTENDED, True),
        )
        for task in records.tasks
    )


def _tries(episodes: list[EpisodeRow]) -> Tries:
    ordered = sorted(episodes, key=lambda e: int(e.episode_id.rsplit("/r", 1)[1]))
    return Tries(
        passed=tuple(e.all_pass for e in ordered), reward=sum(e.reward for e in ordered) / len(ordered)
    )
