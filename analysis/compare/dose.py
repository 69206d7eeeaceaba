"""Dose and response: how much more gradient a cell got than the fixed pool would give, and what that removed.

The response is measured on test tasks, which no report reads: failures that a report found by bad luck would
shrink by themselves, and make any aim look good.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from analysis.briefs import goals
from analysis.compare.standing import GREEDY
from analysis.ledger import BriefRow, TaskRow
from analysis.run_directory import OpenRun

LEAST_EPISODES = 12
"""Test episodes that a cell needs on either side to be shown."""


class Dose(NamedTuple):
    """One cell of a run; shares in [0, 1]."""

    cell: str
    pool_share: float  # of the tasks of the starting pool that require it
    drawn_share: float  # of the prompts drawn for updates, refills included, whatever came of them
    gradient_share: float  # of the prompts with a gradient, over the run
    warm_failure: float  # on test, sampled
    final_failure: float
    episodes: int  # test episodes of the final policy

    @property
    def dose(self) -> float:
        return self.gradient_share - self.pool_share

    @property
    def response(self) -> float:
        return self.warm_failure - self.final_failure


def aimed_facets(runs: Iterable[OpenRun]) -> tuple[str, ...]:
    """The facets of the goals of all briefs of the runs, those that explore included; families without."""
    cells = {cell for run in runs for cell in goals(run.ledger.rows(BriefRow, run.id))}
    return tuple(sorted({cell.partition(":")[0] for cell in cells})) or ("family",)


def doses_of(run: OpenRun, facets: Sequence[str]) -> list[Dose]:
    """The cells of some facets with enough test episodes, by name; empty without updates or tests."""
    cells = {
        task_id: [cell for cell in required if cell.partition(":")[0] in facets]
        for task_id, required in run.ledger.columns(TaskRow, run.id, "task_id", "cells")
    }
    gradient = [row["task_id"] for row in run.ledger.query(_GRADIENT, run=run.id)]
    prompts = [row["task_id"] for row in run.ledger.query(_DRAWN, run=run.id)]
    pool = [row["task_id"] for row in run.ledger.query(_POOL, run=run.id)]
    tests = _tests(run, cells)
    if not gradient or not pool or len(tests) < 2:
        return []
    warm, final = tests[min(tests)], tests[max(tests)]
    drawn, touched, stood = _shares(prompts, cells), _shares(gradient, cells), _shares(pool, cells)
    return [
        Dose(
            cell,
            stood.get(cell, 0.0),
            drawn.get(cell, 0.0),
            touched.get(cell, 0.0),
            float(np.mean(warm[cell])),
            float(np.mean(final[cell])),
            len(final[cell]),
        )
        for cell in sorted(set(warm) & set(final))
        if min(len(warm[cell]), len(final[cell])) >= LEAST_EPISODES
    ]


_GRADIENT = "SELECT task_id FROM gradient_tasks WHERE run_id = :run AND iteration IS NOT NULL"
_DRAWN = """
SELECT DISTINCT e.step, e.task_id FROM episodes e JOIN steps s ON s.run_id = e.run_id AND s.step = e.step
WHERE e.run_id = :run AND e.purpose = 'train' AND s.iteration IS NOT NULL
"""
_POOL = "SELECT task_id FROM tasks WHERE run_id = :run AND split = 'train'"
_TESTS = """
SELECT policy_version, task_id, all_pass FROM episodes
WHERE run_id = :run AND purpose = 'test' AND variant <> :greedy AND policy_version <= (
    SELECT COUNT(*) FROM updates u JOIN steps s ON s.run_id = u.run_id AND s.step = u.step
    WHERE u.run_id = :run AND s.iteration IS NOT NULL
)
"""


def _shares(tasks: Sequence[str], cells: dict[str, list[str]]) -> dict[str, float]:
    counts = Counter(cell for task in tasks for cell in cells[task])
    return {cell: count / len(tasks) for cell, count in counts.items()}


def _tests(run: OpenRun, cells: dict[str, list[str]]) -> dict[int, dict[str, list[bool]]]:
    """Policy version -> cell -> failures of its sampled test episodes."""
    out: dict[int, dict[str, list[bool]]] = {}
    for row in run.ledger.query(_TESTS, run=run.id, greedy=GREEDY):
        for cell in cells[row["task_id"]]:
            out.setdefault(row["policy_version"], {}).setdefault(cell, []).append(not row["all_pass"])
    return out


def rank_correlation(doses: Sequence[Dose]) -> float | None:
    """Spearman's, of dose and response over cells; None below three cells or when either is constant."""
    from scipy.stats import spearmanr

    x, y = [d.dose for d in doses], [d.response for d in doses]
    if len(doses) < 3 or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    return float(spearmanr(x, y).statistic)
