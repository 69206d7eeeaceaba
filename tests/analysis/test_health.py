"""Training health, by hand on two episodes, and from a whole run."""

import csv

import pytest

from analysis.errors import DataError
from analysis.health.updates import health, health_of
from analysis.health.write import render_health, write_health
from analysis.ledger import EpisodeRow, Ledger, UpdateRow

UPDATE = UpdateRow(
    run_id="r",
    step=1,
    update_index=0,
    groups=4,
    admitted=1,
    dropped=3,
    refill_shortfall=2,
    metrics={"entropy": 0.7, "note": "text"},
)


def episode(index, **changes):
    row = EpisodeRow(
        run_id="r",
        step=1,
        episode_id=str(index),
        purpose="train",
        variant="t1",
        task_id="t",
        group_id="g",
        admitted=True,
        reward=0.25,
        raw_reward=0.5,
        score=0.5,
        all_pass=False,
        calls=6,
        malformed=3,
        tokens=100,
        ended="turn_limit",
        policy_version=0,
        penalties={"repetition": 0.5},
    )
    return row.replace(**changes)


def test_health_of_two_episodes_by_hand():
    good = {"reward": 1.0, "raw_reward": 1.0, "all_pass": True, "calls": 2, "malformed": 0, "tokens": 60}
    row = health_of(
        UPDATE, [episode(0), episode(1, ended="answer", penalties={}, collateral=("t/1",), **good)]
    )
    assert (row.reward, row.raw_reward, row.all_pass) == (0.625, 0.75, 0.5)
    assert (row.tokens, row.calls) == (80.0, 4.0)
    assert row.malformed == 3 / 8  # of eight calls in all
    assert (row.truncated, row.penalised, row.collateral) == (0.5, 0.5, 0.5)
    assert (row.dropped, row.shortfall) == (0.75, 2)
    assert row.trainer == {"entropy": 0.7}


def test_an_update_without_episodes_is_inconsistent():
    with pytest.raises(DataError, match="update 0 has no episodes in the ledger; it is inconsistent"):
        health_of(UPDATE, [])


def test_a_run_without_updates_has_no_health(tmp_path):
    with Ledger(tmp_path / "l.sqlite") as ledger, pytest.raises(DataError, match="no updates yet"):
        health(ledger, "r")


def test_every_update_of_a_run_has_a_row(run, tmp_path):
    result = write_health(run, tmp_path)
    rows = list(csv.DictReader(result.files[0].open()))
    assert [row["update"] for row in rows] == ["0", "1", "2", "3", "4", "5"]
    assert {row["episodes"] for row in rows} == {"12"}  # three groups of four
    assert {(row["entropy"], row["gradient_norm"]) for row in rows} == {("0.5", "1.25")}
    assert result.files[1].read_bytes().startswith(b"\x89PNG")


def test_what_the_trainer_did_not_measure_is_a_dash(run):
    rows = [row._replace(trainer={}) for row in health(run.ledger, run.id)]
    assert render_health(rows).splitlines()[1].split()[-2:] == ["-", "-"]
