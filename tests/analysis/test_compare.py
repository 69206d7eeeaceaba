"""Runs side by side: final beside warm start, paired by world, on both budgets."""

import csv
import shutil

import pytest

from analysis.compare.standing import Point, Sample, Standing, standing
from analysis.compare.write import against, render_comparison, write_comparison
from analysis.errors import DataError
from analysis.intervals import Interval
from analysis.ledger import Ledger
from analysis.run_directory import open_run
from tests.analysis.simulated_run import SimulatedRun


def point(updates, **families):
    return Point(updates, updates * 10, Interval(0.5, 0.4, 0.6), 0.5, families)


def stood(curve=(), warm=None, final=None):
    return Standing("a", warm or {}, final or {}, tuple(curve), 3, {"train": 30, "audit": 5}, 4)


def sample(passed, families=None):
    worlds = [f"w{index}" for index in range(len(passed))]
    return Sample([float(p) for p in passed], list(passed), worlds, families or ["update"] * len(passed))


def test_forgetting_is_the_best_validation_minus_the_last():
    s = stood([point(0, update=0.5), point(1, update=0.8), point(2, update=0.6)])
    assert s.forgotten("update") == pytest.approx(0.2)  # 0.8 − 0.6
    assert s.forgotten("create") is None


def test_a_family_that_ends_at_its_best_forgot_nothing():
    assert stood([point(0, update=0.5), point(1, update=0.8)]).forgotten("update") == 0.0


def test_gains_are_paired_and_by_family():
    warm = sample([0, 0, 1, 1], ["update", "update", "create", "create"])
    final = sample([1, 1, 1, 1], ["update", "update", "create", "create"])
    s = stood(warm={"t1": warm}, final={"t1": final})
    assert s.gain("t1").mean == 0.5  # from 2 of 4 to 4 of 4
    assert s.family_gain("update") == (1.0, 1.0, 1.0)
    assert s.family_gain("create") == (0.0, 0.0, 0.0)
    assert s.family_gain("two_hop") is None
    assert s.gain("greedy") is None


def test_a_run_is_measured_from_its_ledger(run):
    s = standing(run)
    assert s.sampled == "t1" and set(s.final) == {"t1", "greedy"}
    assert len(s.final["t1"].passed) == 36  # three worlds of three tasks, four rollouts
    assert s.updates == 6 and s.worlds == 6
    # Three diagnoses of 36 steps, six updates of three groups of four; tests are not charged.
    assert s.charged == {"diagnose": 108, "train": 72}
    assert [p.updates for p in s.curve] == [0, 3, 6]
    assert [p.charged for p in s.curve] == [0, 36 + 36, 2 * (36 + 36)]
    assert s.gain("t1").low > 0


def test_without_updates_warm_start_and_final_policy_are_still_two_tests(tmp_path):
    s = standing(open_run(SimulatedRun(tmp_path / "run", iterations=0).write()))
    # Both tests have policy version 0: three worlds of three tasks, four rollouts each.
    assert len(s.warm["t1"].passed) == len(s.final["t1"].passed) == 36
    assert s.warm["t1"].passed != s.final["t1"].passed


def test_a_run_whose_warm_start_alone_was_tested_has_no_gain(run_path, tmp_path):
    shutil.copytree(run_path, tmp_path / "run")
    with Ledger(tmp_path / "run" / "ledger.sqlite") as ledger:
        ledger.truncate_after("sim-closed_loop-s0", 16)  # the test of the final policy is step 17
    s = standing(open_run(tmp_path / "run"))
    assert set(s.warm) == {"t1", "greedy"} and s.final == {} and s.sampled == "t1"
    assert s.gain("t1") is None
    gains = [line.split() for line in render_comparison([s]).splitlines() if line.strip().startswith("gain")]
    assert gains == [["gain", "-"], ["gain", "-"]]


def test_the_learner_stands_above_the_one_that_learns_nothing(run, other_path):
    learner, idle = standing(run), standing(open_run(other_path))
    assert against(learner, idle).low > 0
    assert against(learner, learner) is None


def test_the_text_shows_warm_start_final_gain_and_families(run, other_path):
    text = render_comparison([standing(run), standing(open_run(other_path))])
    lines = {line.strip().split("  ")[0]: line for line in text.splitlines()}
    assert text.splitlines()[0].split() == ["closed_loop,", "seed", "0", "static,", "seed", "0"]
    assert "test all-pass, sampled: warm start" in lines and "test all-pass, greedy: final" in lines
    assert lines["charged steps"].split()[-2:] == ["180", "180"]
    assert {"create", "two_hop", "update"} <= set(lines)


def test_tables_and_curves_are_written(run, tmp_path):
    result = write_comparison([run], tmp_path)
    one = next(csv.DictReader((tmp_path / "comparison.csv").open()))
    assert one["run"] == "closed_loop, seed 0" and one["updates"] == "6" and one["charged_steps"] == "180"
    curve = list(csv.DictReader((tmp_path / "learning_curves.csv").open()))
    assert [row["updates"] for row in curve] == ["0", "3", "6"]
    families = list(csv.DictReader((tmp_path / "comparison_families.csv").open()))
    assert [row["family"] for row in families] == ["create", "two_hop", "update"]
    assert all(file.is_file() for file in result.files)


def test_a_run_given_twice_is_refused(run, run_path, tmp_path):
    with pytest.raises(DataError, match="given twice; give each run directory once"):
        write_comparison([run, open_run(run_path)], tmp_path)
