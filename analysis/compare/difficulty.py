"""Difficulty asked against success measured: is what a brief asks to be harder harder for the policy?

A brief's tasks are those of its world that require the cell it aims at; no brief asked for the tasks of the
starting pool. Success in training is that of all sampled groups, dropped ones included. It mixes the policies
of the run, so the mean number of updates stands beside it: what was asked for later met a better policy.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.compare.standing import GREEDY
from analysis.errors import DataError
from analysis.intervals import Interval, cluster_bootstrap, separate_difference
from analysis.ledger import BriefRow, TaskRow
from analysis.run_directory import OpenRun
from planet.records.world import Difficulty

ALL = "all cells"
START = "starting pool"


class Played(NamedTuple):
    """Sampled episodes of some tasks."""

    passed: tuple[float, ...]  # all-pass, 1 or 0
    worlds: tuple[str, ...]  # in which each was
    updates: tuple[int, ...]  # policy updates before each

    def success(self) -> Interval | None:
        """The all-pass share with its interval over worlds; None without episodes."""
        return cluster_bootstrap(self.passed, self.worlds) if self.passed else None


class Asked(NamedTuple):
    """The tasks that were asked for at one difficulty, for one cell or all."""

    cell: str  # "facet:value" that the briefs aim at first, or ALL
    difficulty: Difficulty | None  # None: the starting pool, which no brief asked for
    worlds: int
    tasks: int
    training: Played
    elsewhere: Played  # the same tasks where they are probed: any purpose but training

    @property
    def name(self) -> str:
        """The difficulty in words."""
        return START if self.difficulty is None else worded(self.difficulty)


def worded(difficulty: Difficulty) -> str:
    """A difficulty in a few words: every knob with its value."""
    knobs = difficulty.model_dump()
    said = [
        name if value is True else f"{name} {value}" for name, value in knobs.items() if value is not False
    ]
    return ", ".join(said)


def hardness(difficulty: Difficulty | None) -> tuple[Any, ...]:
    """The order of difficulties, easiest first; the starting pool comes before them all."""
    if difficulty is None:
        return ()
    return (difficulty.hops, difficulty.columns, difficulty.distractors, not difficulty.cited)


def asked_of(run: OpenRun) -> list[Asked]:
    """Every cell and difficulty that briefs asked for, ALL first, the easiest first; empty without briefs."""
    made = _made(run)
    if not any(difficulty is not None for _, difficulty in made):
        return []
    training, elsewhere = _episodes(run)
    out = [
        Asked(
            cell,
            difficulty,
            len({world for _, world in tasks}),
            len(tasks),
            _played(tasks, training),
            _played(tasks, elsewhere),
        )
        for (cell, difficulty), tasks in made.items()
    ]
    return sorted(out, key=lambda a: (a.cell != ALL, a.cell, hardness(a.difficulty)))


Tasks = list[tuple[str, str]]
"""(task id, world id)."""


def _made(run: OpenRun) -> dict[tuple[str, Difficulty | None], Tasks]:
    """(cell, difficulty) -> the tasks made for it."""
    out: dict[tuple[str, Difficulty | None], Tasks] = defaultdict(list)
    wanted: dict[tuple[int, str], tuple[str, Difficulty]] = {}
    for brief in run.ledger.rows(BriefRow, run.id):
        target = brief.brief.get("target")
        if target and brief.admitted_world_id is not None:
            difficulty = Difficulty.model_validate(target.get("difficulty") or {})
            wanted[brief.step, brief.admitted_world_id] = (target["cells"][0], difficulty)
    known = ("task_id", "world_id", "step", "split", "cells")
    for task_id, world_id, step, split, cells in run.ledger.columns(TaskRow, run.id, *known):
        if split == "train":
            out[ALL, None].append((task_id, world_id))
        asked = wanted.get((step, world_id))
        if asked is not None and asked[0] in cells:
            out[ALL, asked[1]].append((task_id, world_id))
            out[asked].append((task_id, world_id))
    return dict(out)


_EPISODES = """
SELECT task_id, purpose, all_pass, policy_version FROM episodes
WHERE run_id = :run AND variant <> :greedy ORDER BY step, episode_id
"""
OfTask = Mapping[str, Sequence[tuple[float, int]]]
"""Task id -> (all-pass, updates before it) of its episodes."""


def _episodes(run: OpenRun) -> tuple[OfTask, OfTask]:
    """Those of training, and all others."""
    training: dict[str, list[tuple[float, int]]] = defaultdict(list)
    elsewhere: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for row in run.ledger.query(_EPISODES, run=run.id, greedy=GREEDY):
        side = training if row["purpose"] == "train" else elsewhere
        side[row["task_id"]].append((float(row["all_pass"]), row["policy_version"]))
    return training, elsewhere


def _played(tasks: Tasks, episodes: OfTask) -> Played:
    rows = [(passed, world, at) for task, world in tasks for passed, at in episodes.get(task, ())]
    passed, worlds, updates = zip(*rows, strict=True) if rows else ((), (), ())
    return Played(passed, worlds, updates)


def lost(easier: Played, harder: Played) -> Interval | None:
    """Success of the easier minus that of the harder, worlds of each resampled; None without episodes."""
    try:
        return separate_difference(easier.passed, easier.worlds, harder.passed, harder.worlds)
    except DataError:  # one of them was never played
        return None
