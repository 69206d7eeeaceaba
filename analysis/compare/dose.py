"""Dose and response: how much more gradient a cell got than the fixed pool would give, and what that removed.

The response is measured on test tasks, which no report reads: failures that a report found by bad luck would
shrink by themselves, and make any aim look good.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analysis.compare.standing import GREEDY
from analysis.csv_file import write_csv
from analysis.ledger import BriefRow, TaskRow
from analysis.run_directory import OpenRun
from analysis.style import colour, drawing, line
from planet.text_table import align

CAPTION = (
    "Each mark is a cell: its share of the prompts with a gradient minus its share of the starting pool "
    "(dose), against the failure rate removed on test from warm start to end (response); larger marks "
    "have more test episodes. A rising cloud in the closed loop and a flat one under a placebo say that "
    "aiming works."
)
LEAST_EPISODES = 12
"""Test episodes that a cell needs on either side to be shown."""


class Dose(NamedTuple):
    """One cell of a run; shares in [0, 1]."""

    cell: str
    pool_share: float  # of the tasks of the starting pool that require it
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


HEADER = ("run", *Dose._fields, "dose", "response")


def write_doses(runs: Mapping[str, OpenRun], out: Path) -> tuple[str, list[Path]]:
    """Rank correlations, dose_response.csv and .png; nothing unless a run was updated and tested."""
    facets = _facets(runs.values())
    found = {label: doses for label, run in runs.items() if (doses := doses_of(run, facets))}
    if not found:
        return "", []
    rows = [(label, *d, d.dose, d.response) for label, doses in found.items() for d in doses]
    table = write_csv(out / "dose_response.csv", HEADER, rows)
    lines = [(label, str(len(doses)), _rho_text(rank_correlation(doses))) for label, doses in found.items()]
    text = "\n".join(align(("dose and response", "cells", "rank correlation"), lines))
    return text, [table, _draw(found, facets, out / "dose_response.png")]


def _facets(runs: Iterable[OpenRun]) -> tuple[str, ...]:
    """The facets that briefs aim at first, in any of the runs; families when none was aimed."""
    aimed = [
        cells[0].partition(":")[0]
        for run in runs
        for brief in run.ledger.rows(BriefRow, run.id)
        if (cells := (brief.brief.get("target") or {}).get("cells"))
    ]
    return tuple(sorted(set(aimed))) or ("family",)


def doses_of(run: OpenRun, facets: Sequence[str]) -> list[Dose]:
    """The cells of some facets with enough test episodes, by name; empty without updates or tests."""
    cells = {
        task.task_id: [c for c in task.cells if c.partition(":")[0] in facets]
        for task in run.ledger.rows(TaskRow, run.id)
    }
    gradient = [row["task_id"] for row in run.ledger.query(_GRADIENT, run=run.id)]
    pool = [row["task_id"] for row in run.ledger.query(_POOL, run=run.id)]
    tests = _tests(run, cells)
    if not gradient or not pool or len(tests) < 2:
        return []
    warm, final = tests[min(tests)], tests[max(tests)]
    touched, stood = _shares(gradient, cells), _shares(pool, cells)
    return [
        Dose(
            cell,
            stood.get(cell, 0.0),
            touched.get(cell, 0.0),
            float(np.mean(warm[cell])),
            float(np.mean(final[cell])),
            len(final[cell]),
        )
        for cell in sorted(set(warm) & set(final))
        if min(len(warm[cell]), len(final[cell])) >= LEAST_EPISODES
    ]


_GRADIENT = "SELECT task_id FROM gradient_tasks WHERE run_id = :run AND iteration IS NOT NULL"
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


def _rho_text(rho: float | None) -> str:
    return "-" if rho is None else f"{rho:+.2f}"


def _draw(found: dict[str, list[Dose]], facets: Sequence[str], path: Path) -> Path:
    with drawing(path, CAPTION, 1, len(found), width=2.2 + 2.9 * len(found), height=3.9) as axes:
        for index, (label, doses) in enumerate(found.items()):
            axis = axes[0][index]
            for number, d in enumerate(sorted(doses, key=lambda d: d.dose)):
                shade = facets.index(d.cell.partition(":")[0])
                size = 12 + 0.6 * d.episodes
                axis.scatter(
                    100 * d.dose, 100 * d.response, s=size, color=colour(shade), marker=line(shade)["marker"]
                )
                place = (100 * d.dose, 100 * d.response)
                name = d.cell.partition(":")[2]
                axis.annotate(
                    name, place, xytext=(5, -9 if number % 2 else 4), textcoords="offset points", fontsize=6
                )
            axis.axhline(0, color="black", linewidth=0.6)
            axis.axvline(0, color="black", linewidth=0.6)
            axis.margins(0.18)
            axis.set_title(f"{label}: rank correlation {_rho_text(rank_correlation(doses))}", fontsize=8)
            axis.set_xlabel("gradient share gained (points)")
        axes[0][0].set_ylabel("failure removed on test (points)")
        _share_range(list(axes[0]))
    return path


def _share_range(axes: list[Any]) -> None:
    """The same axes in every panel, so that clouds compare."""
    for get, put in (("get_xlim", "set_xlim"), ("get_ylim", "set_ylim")):
        edges = [getattr(axis, get)() for axis in axes]
        for axis in axes:
            getattr(axis, put)(min(e[0] for e in edges), max(e[1] for e in edges))
