"""Gradient shares are those of the groups that had a gradient since the last report."""

import json
from pathlib import Path

from analysis.ledger import Ledger, ReportRow
from analysis.weakness import WeaknessReport
from analysis.weakness.gradients import shares_between
from loop.episodes.practice import Practice
from loop.launch import launch
from loop.loading import load
from tests.loop.reports import group

MICRO = Path(__file__).resolve().parents[2] / "experiments" / "micro.yaml"


def test_shares_count_groups_with_a_gradient_alone() -> None:
    practice = Practice()
    assert practice.shares() is None
    practice.observe(0, [group("family:a", "hops:1", passes=4), group("family:b", "hops:1", passes=2)])
    practice.observe(0, [group("family:a", passes=3), group("family:c", passes=8)])
    # Three of four groups had a gradient: two of a, one of b, two with a hop, none of c.
    assert practice.shares() == {"family:a": 2 / 3, "family:b": 1 / 3, "hops:1": 2 / 3}


def test_every_iteration_counts_anew_also_after_a_resume() -> None:
    practice = Practice()
    practice.observe(0, [group("family:a", passes=4)])
    resumed = Practice()
    resumed.load_state_dict(json.loads(json.dumps(practice.state_dict())))
    for each in (practice, resumed):
        each.observe(0, [group("family:b", passes=4)])
        assert each.shares() == {"family:a": 0.5, "family:b": 0.5}
        each.observe(1, [group("family:c", passes=4)])
        assert each.shares() == {"family:c": 1.0}


def test_the_report_holds_the_shares_that_the_ledger_gives(tmp_path: Path) -> None:
    scripted = ("learner=tests.loop.fakes:NoisyOracle", f"cache={tmp_path}/cache", "iterations=2")
    config = load(MICRO, scripted)
    directory = launch(config, tmp_path / "run")
    with Ledger(directory.ledger, create=False) as ledger:
        first, second, last = (
            (row.step, WeaknessReport.model_validate(row.report))
            for row in sorted(ledger.rows(ReportRow, config.run_id), key=lambda row: row.step)
        )
        shares = [
            shares_between(ledger, config.run_id, after=before[0], before=after[0])
            for before, after in ((first, second), (second, last))
        ]
    assert all(cell.gradient_share is None for cell in first[1].cells)
    for expected, (_, report) in zip(shares, (second, last), strict=True):
        assert expected
        assert {c.name: c.gradient_share for c in report.cells} == {
            c.name: expected.get(c.name, 0.0) for c in report.cells
        }
