"""Where the sampler's prompts went: old worlds or grown ones, which families, and over how many tasks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from analysis.compare.pages import on_pages
from analysis.csv_file import write_csv
from analysis.effective_number import effective_number
from analysis.footprint.shares import subsets
from analysis.run_directory import OpenRun
from analysis.style import colour, drawing, line

CAPTION = (
    "Prompts sampled per iteration, dropped groups included: by the iteration in which their world was "
    "grown, by family, and the effective number of tasks (exp of the entropy of what was drawn) beside as"
    " many uniform draws from the pool, none twice in an update; below the dashed line the sampler dwells "
    "on some."
)
DRAWS = 200  # simulated iterations of uniform draws
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo", "--")
HEADER = ("run", "iteration", "measure", "value", "amount")
START = "starting pool"


class Mass(NamedTuple):
    """One iteration of one run."""

    iteration: int
    prompts: int
    origins: dict[str, int]  # the starting pool, or the iteration that grew the world -> prompts
    families: dict[str, int]  # family -> prompts
    effective: float  # tasks, of the prompts drawn
    uniform: float  # the same of as many uniform draws per update, none twice in it, mean
    sampler: float | None  # tasks, of the sampler's distribution; None: not recorded
    pool: int  # tasks in the pool at the iteration's last update


def write_mass(runs: Mapping[str, OpenRun], out: Path) -> list[Path]:
    """sampling.csv and sampling.png; nothing when no run was updated within an iteration."""
    found = {label: masses for label, run in runs.items() if (masses := masses_of(run))}
    if not found:
        return []
    rows = [
        (label, mass.iteration, *row)
        for label, masses in found.items()
        for mass in masses
        for row in _rows(mass)
    ]
    names = {field: _names(found, field) for field in ("origins", "families")}
    table = write_csv(out / "sampling.csv", HEADER, rows)
    return [table, *on_pages(found, out / "sampling.png", partial(_draw, names))]


def masses_of(run: OpenRun) -> list[Mass]:
    """What each iteration of a run sampled, in order."""
    drawn: dict[int, list[dict[str, Any]]] = {}
    for row in run.ledger.query(_PROMPTS, run=run.id):
        drawn.setdefault(row["iteration"], []).append(row)
    added = [int(row["step"]) for row in run.ledger.query(_POOL, run=run.id)]
    sampler = {row["iteration"]: row["value"] for row in run.ledger.query(_SAMPLER, run=run.id)}
    return [
        _mass(iteration, prompts, added, sampler.get(iteration))
        for iteration, prompts in sorted(drawn.items())
    ]


_PROMPTS = """
SELECT s.iteration, e.step, COALESCE(e.group_id, e.episode_id) AS prompt, t.task_id, t.family, w.origin,
       w.iteration AS grown
FROM episodes e
JOIN steps s ON s.run_id = e.run_id AND s.step = e.step
JOIN tasks t ON t.run_id = e.run_id AND t.task_id = e.task_id
JOIN worlds w ON w.run_id = t.run_id AND w.world_id = t.world_id
WHERE e.run_id = :run AND e.purpose = 'train' AND s.iteration IS NOT NULL
GROUP BY s.iteration, e.step, COALESCE(e.group_id, e.episode_id), t.task_id, t.family, w.origin, w.iteration
ORDER BY e.step, prompt
"""
_POOL = "SELECT step FROM tasks WHERE run_id = :run AND split IN ('train', 'grown')"
_SAMPLER = """
SELECT s.iteration, AVG(m.value) AS value FROM metrics m
JOIN steps s ON s.run_id = m.run_id AND s.step = m.step
WHERE m.run_id = :run AND m.name = 'sampler/effective_tasks' AND s.iteration IS NOT NULL GROUP BY s.iteration
"""


def _mass(iteration: int, prompts: list[dict[str, Any]], added: list[int], sampler: float | None) -> Mass:
    updates = [
        (count, sum(since < step for since in added))
        for step, count in sorted(Counter(p["step"] for p in prompts).items())
    ]
    return Mass(
        iteration=iteration,
        prompts=len(prompts),
        origins=dict(sorted(Counter(_origin(p) for p in prompts).items(), key=lambda item: _order(item[0]))),
        families=dict(sorted(Counter(p["family"] for p in prompts).items())),
        effective=effective_number(list(Counter(p["task_id"] for p in prompts).values())),
        uniform=uniform_effective_number(updates),
        sampler=sampler,
        pool=updates[-1][1],
    )


def _origin(prompt: dict[str, Any]) -> str:
    return START if prompt["origin"] != "grown" else f"grown in {prompt['grown']}"


def _order(origin: str) -> tuple[bool, int, str]:
    return (origin != START, len(origin), origin)


def uniform_effective_number(updates: Sequence[tuple[int, int]]) -> float:
    """The mean effective number of tasks when every update draws uniformly, and no task twice in it.

    updates: prompts of each, and tasks in its pool, to which later ones only add. An update with more prompts
    than tasks takes all of them before any comes again.
    """
    generator = np.random.default_rng(0)
    counts: Any = np.zeros((DRAWS, max(pool for _, pool in updates)), dtype=int)
    for prompts, pool in updates:
        rounds, rest = divmod(prompts, pool)
        counts[:, :pool] += rounds
        np.add.at(counts, (np.arange(DRAWS)[:, None], subsets(generator, pool, rest, DRAWS)), 1)
    return float(np.mean([effective_number(row[row > 0].tolist()) for row in counts]))


def _rows(mass: Mass) -> list[tuple[Any, ...]]:
    return [
        *(("origin", name, count / mass.prompts) for name, count in mass.origins.items()),
        *(("family", name, count / mass.prompts) for name, count in mass.families.items()),
        ("tasks", "effective", mass.effective),
        ("tasks", "uniform", mass.uniform),
        ("tasks", "sampler", mass.sampler),
        ("tasks", "pool", mass.pool),
    ]


def _draw(names: Mapping[str, Sequence[str]], found: Mapping[str, list[Mass]], path: Path) -> Path:
    with drawing(path, CAPTION, len(found), 3, width=10, height=1.2 + 2.3 * len(found)) as axes:
        for row, (label, masses) in zip(axes, found.items(), strict=True):
            for axis, (field, of_field) in zip(row, names.items(), strict=False):
                _bars(axis, masses, field, of_field)
            _effective(row[2], masses)
            row[0].set_ylabel(f"{label}\nshare of prompts (%)", fontsize=8)
            row[2].set_ylim(0, 1.1 * max(max(m.effective, m.uniform, m.sampler or 0.0) for m in masses))
        for axis, title in zip(axes[0], ("world", "family", "effective number of tasks"), strict=True):
            axis.set_title(title)
        for axis in axes[-1]:
            axis.set_xlabel("iteration")
        for axis in axes[0]:
            axis.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return path


def _names(found: dict[str, list[Mass]], field: str) -> list[str]:
    names = {name for masses in found.values() for mass in masses for name in getattr(mass, field)}
    return sorted(names, key=_order) if field == "origins" else sorted(names)


def _bars(axis: Any, masses: Sequence[Mass], field: str, names: Sequence[str]) -> None:
    floor = np.zeros(len(masses))
    for index, name in enumerate(names):
        shares = np.array([100 * getattr(mass, field).get(name, 0) / mass.prompts for mass in masses])
        look = {
            "color": colour(index),
            "hatch": HATCHES[index % len(HATCHES)],
            "edgecolor": "white",
            "linewidth": 0.4,
        }
        axis.bar([m.iteration for m in masses], shares, bottom=floor, label=name, width=0.8, **look)
        floor += shares
    axis.set_xticks([mass.iteration for mass in masses])
    axis.set_ylim(0, 100)


def _effective(axis: Any, masses: Sequence[Mass]) -> None:
    x = [mass.iteration for mass in masses]
    axis.plot(x, [m.effective for m in masses], label="drawn", **line(0))
    axis.plot(x, [m.uniform for m in masses], label="drawn uniformly", **line(1))
    if all(mass.sampler is not None for mass in masses):
        axis.plot(x, [m.sampler for m in masses], label="sampler's weights", **line(2))
    axis.set_xticks(x)
