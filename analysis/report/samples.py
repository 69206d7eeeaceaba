"""Which episodes a page shows. The same ledger always gives the same choice."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from analysis.compare.standing import GREEDY, tested_subjects
from analysis.ledger import EpisodeRow
from analysis.report.record import Diagnosis, Iteration, RunRecord
from analysis.weakness import Cell


class Limits(NamedTuple):
    """How much a page shows of a run."""

    cells: int = 10  # of facets that no brief aims at, per report
    exemplars: int = 30  # failed episodes per report
    passed: int = 8  # passed episodes per report
    trained: int = 6  # training episodes per iteration
    tested: int = 16  # test episodes of the last policy


FULL = Limits()


def shared_limits(runs: int) -> Limits:
    """The limits of one of several runs on a page, so that the page stays small."""
    if runs <= 1:
        return FULL
    fewer = {name: max(2, limit // runs) for name, limit in FULL._asdict().items() if name != "cells"}
    return FULL._replace(**fewer)


def shown_cells(record: RunRecord, report_cells: Sequence[Cell], limits: Limits) -> list[Cell]:
    """Every cell that briefs may aim at, then the weakest of the others; each part weakest first."""
    aimable = [cell for cell in report_cells if cell.facet in record.facets]
    others = [cell for cell in report_cells if cell.facet not in record.facets and cell.failures > 0]
    return [*aimable, *others[: limits.cells]]


def diagnosed(record: RunRecord, diagnosis: Diagnosis, limits: Limits) -> list[str]:
    """Episodes to show of a diagnosis: exemplars of the shown cells by turns, then passes of each family."""
    cells = shown_cells(record, diagnosis.report.cells, limits)
    failed = _by_turns([cell.exemplars for cell in cells])[: limits.exemplars]
    passes: dict[str, str] = {}
    for probe in diagnosis.probes:
        if probe.all_pass:
            passes.setdefault(record.tasks[probe.task_id].family, probe.episode_id)
    return [*failed, *[passes[family] for family in sorted(passes)][: limits.passed]]


def trained(record: RunRecord, iteration: Iteration, limits: Limits) -> list[str]:
    """Training episodes kept whole, as many passes as failures if there are; those of new worlds first."""
    kept = record.run.ledger.query(_KEPT, run=record.run.id, iteration=iteration.number)
    rows = [row for row in kept if row["step"] <= record.newest]
    new = {brief.admitted_world_id for brief in iteration.briefs} - {None}
    ranked = sorted(rows, key=lambda row: (row["world_id"] not in new, row["step"], row["episode_id"]))
    passed = [row["episode_id"] for row in ranked if row["all_pass"]]
    failed = [row["episode_id"] for row in ranked if not row["all_pass"]]
    return _by_turns([failed, passed])[: limits.trained]


def last_test(record: RunRecord, limits: Limits) -> list[str]:
    """Greedy test episodes of the final policy: the first pass and the first failure of each family.

    They are of the policy whose scores stand above them; of another one only where it was not tested.
    """
    episodes = [e for e in _test_episodes(record) if e.variant == GREEDY]
    first: dict[tuple[str, bool], str] = {}
    for episode in episodes:
        first.setdefault((record.tasks[episode.task_id].family, episode.all_pass), episode.episode_id)
    return [first[key] for key in sorted(first)][: limits.tested]


_KEPT = """
SELECT o.episode_id, o.step, o.world_id, o.all_pass FROM episode_outcomes o
JOIN trajectories t ON t.run_id = o.run_id AND t.episode_id = o.episode_id
WHERE o.run_id = :run AND o.iteration = :iteration AND o.purpose = 'train'
"""


def _test_episodes(record: RunRecord) -> Iterable[EpisodeRow]:
    tests = tested_subjects(record.steps)
    chosen = [step for step, subject in tests.items() if subject == "final"] or list(tests)
    return record.run.ledger.rows(EpisodeRow, record.run.id, step=chosen[-1]) if chosen else []


def _by_turns(lists: Sequence[Sequence[str]]) -> list[str]:
    """The first of each list, then the second of each, without repetition."""
    longest = max((len(one) for one in lists), default=0)
    return list(dict.fromkeys(one[i] for i in range(longest) for one in lists if i < len(one)))
