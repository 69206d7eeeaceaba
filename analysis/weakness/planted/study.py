"""The tables of `python -m analysis.weakness.planted`."""

from collections.abc import Sequence
from pathlib import Path

from analysis.csv_file import write_csv
from analysis.weakness.claims import Rules
from analysis.weakness.planted.agent import ScriptedAgent
from analysis.weakness.planted.precision import Precision, planted_precision
from analysis.weakness.planted.rankers import RANKERS
from analysis.weakness.planted.tasks import balanced, common_tools, make_places
from analysis.weakness.planted.uniform import Setting, task_units, uniform_shares
from planet.text_table import align

TOOLS, WEAK = 40, 5
DESIGNS = ((300, 4), (60, 4))
"""Tasks and rollouts of each."""
POOL = 60
"""Worlds from which the tasks are taken."""
SAMPLES = ((12, 2), (30, 4))
"""Worlds of ten tasks, and rollouts of each, of uniform agents."""
SETTINGS = (
    Setting(),
    Setting(worlds=0.7),
    Setting(rate=0.1, worlds=1.0),
    Setting(worlds=0.7, tasks=0.7),
    Setting(rate=0.6, worlds=0.7, tasks=1.5),
    Setting(worlds=0.7, tasks=0.7, cell="family:two_hop", odds=1.5),
    Setting(worlds=0.7, tasks=0.7, cell="family:two_hop", odds=4.0),
)
UNIFORM_RULES = Rules(permutations=199)
"""Fewer permutations than a report makes: their p-values are as valid, only coarser."""


_UNIFORM_HEADER = (
    "worlds x tasks x rollouts",
    "fails",
    "sd of worlds",
    "sd of tasks",
    "weak at",
    "odds",
    "claim",
    "abstain",
    "claim it",
)


def study(repeats: int, reports: int, seed: int, out: Path | None) -> None:
    """Print both tables; write them as CSV into `out`."""
    agent = ScriptedAgent()
    try:
        _show(
            f"{WEAK} of {TOOLS} tools are weak: share of them among the first {WEAK} ({repeats} repeats)",
            ("ranked by", *(f"{tasks} x {rollouts}" for tasks, rollouts in DESIGNS)),
            _precision_rows(repeats, seed, agent),
            out and out / "planted.csv",
        )
        _show(
            f"\nagents that are weak at nothing, or at one family: shares of {reports} reports",
            _UNIFORM_HEADER,
            _uniform_rows(reports, seed, agent),
            out and out / "uniform.csv",
        )
    finally:
        agent.close()


def _show(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], path: Path | None) -> None:
    print("\n".join([title, *align(header, rows)]))
    if path:
        print(f"written: {write_csv(path, header, rows)}")


def _precision_rows(repeats: int, seed: int, agent: ScriptedAgent) -> list[tuple[str, ...]]:
    places = make_places(POOL, seed)
    tools = common_tools(places, TOOLS)
    found: list[Precision] = [
        planted_precision(
            balanced(places, tools, tasks, seed), tools, agent,
            weak=WEAK, rollouts=rollouts, repeats=repeats, seed=seed,
        )
        for tasks, rollouts in DESIGNS
    ]  # fmt: skip
    return [
        *((name, *(f"{p.at_k[name]:.2f}" for p in found)) for name in RANKERS),
        ("share of the weak tools claimed", *(f"{p.claimed_weak:.2f}" for p in found)),
        ("other tools claimed", *(f"{p.claimed_strong:.2f}" for p in found)),
    ]


def _uniform_rows(reports: int, seed: int, agent: ScriptedAgent) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for worlds, rollouts in SAMPLES:
        units = task_units(make_places(worlds, seed), agent)
        for setting in SETTINGS:
            share = uniform_shares(units, setting, rollouts, reports, UNIFORM_RULES, seed)
            rows.append(
                (
                    f"{worlds} x 10 x {rollouts}",
                    f"{setting.rate:.0%}",
                    f"{setting.worlds:g}",
                    f"{setting.tasks:g}",
                    setting.cell or "-",
                    f"{setting.odds:g}",
                    f"{share.claiming:.1%}",
                    f"{share.abstaining:.1%}",
                    f"{share.naming:.1%}" if setting.cell else "-",
                )
            )
    return rows
