"""A family that the warm start withheld: found in the first report, and the steps until it stands level."""

import csv

import pytest

from analysis.compare.withheld import Evaluation, Withheld, withheld_of
from analysis.compare.withheld_table import render_withheld, write_withheld
from analysis.compare.write import write_comparison
from analysis.run_directory import open_run
from tests.analysis.withheld_run import NEVER, WithheldRun


def written(tmp_path, name="run", **how):
    return open_run(WithheldRun(tmp_path / name, **how).write())


def test_a_withheld_family_is_ranked_first_by_the_first_report(tmp_path):
    (one,) = withheld_of(written(tmp_path))
    assert (one.family, one.found.rank, one.found.of, one.found.rate) == ("two_hop", 1, 3, 1.0)


def test_a_family_that_others_fail_more_often_than_is_not_ranked_first(tmp_path):
    # two_hop is learned from the start; create never passes.
    (one,) = withheld_of(written(tmp_path, learned=0, create=0.0))
    assert one.found.rank > 1 and one.found.rate == 0.0


def test_an_evaluation_joins_validation_and_diagnosis_of_a_policy(tmp_path):
    (one,) = withheld_of(written(tmp_path))
    # Three validation worlds x two rollouts and three diagnosed worlds x four: 18 episodes of two_hop.
    assert [(e.updates, e.episodes) for e in one.curve] == [(0, 18), (3, 18), (6, 18)]
    # Before version 3: a diagnosis of 36 steps and three updates of three groups of four. And so on.
    assert [e.charged for e in one.curve] == [0, 36 + 36, 2 * (36 + 36)]


def test_the_level_is_reached_at_the_first_of_two_evaluations_that_hold_it(tmp_path):
    (one,) = withheld_of(written(tmp_path, learned=1))
    assert [e.success for e in one.curve] == [0.0, 1.0, 1.0] and {e.level for e in one.curve} == {1.0}
    assert (one.updates, one.charged) == (3, 72)


@pytest.mark.parametrize("how", [{"learned": NEVER}, {"learned": 3, "forgotten": 6}, {"learned": 6}])
def test_a_level_that_is_never_held_twice_in_a_row_is_not_reached(tmp_path, how):
    (one,) = withheld_of(written(tmp_path, **how))
    assert one.updates is None and one.charged is None


def test_the_level_is_the_mean_of_the_families_that_were_not_withheld(tmp_path):
    run = written(tmp_path, without=("create", "two_hop"), create=0.0, learned=NEVER)
    create, two_hop = withheld_of(run)
    assert (create.family, two_hop.family) == ("create", "two_hop")
    assert {e.level for one in (create, two_hop) for e in one.curve} == {1.0}  # update alone
    (lone,) = withheld_of(written(tmp_path, "lone", create=0.0, learned=NEVER))
    assert {e.level for e in lone.curve} == {0.5}  # update passes, create does not: (1 + 0) / 2


def test_equal_shares_are_level_whatever_their_sum_rounds_to():
    # (0.1 + 0.2 + 0.3) / 3 is 0.2 and a bit in floating point.
    assert Evaluation(0, 0, 10, 0.2, (0.1 + 0.2 + 0.3) / 3).gap == 0.0


def test_a_run_whose_warm_start_showed_all_has_nothing_withheld(run, tmp_path):
    assert withheld_of(run) == []
    assert write_withheld({"a": run}, tmp_path) == ("", [])


def test_arms_of_a_seed_stand_side_by_side():
    def of(arm, reached):
        curve = [Evaluation(u, 1000 * u, 9, float(reached <= u), 0.5) for u in (0, 11, 22)]
        return arm, Withheld(arm, 1, "two_hop", None, tuple(curve))

    lines = render_withheld([of("closed_loop", 11), of("random_worlds", 22)]).splitlines()
    assert lines[1].split()[-4:] == ["100.0%", "50.0%", "11", "11,000"]
    assert lines[2].split()[-4:] == ["not", "reached", "not", "reached"]
    assert lines[-2].split() == ["charged", "steps", "until", "level", "closed_loop", "random_worlds"]
    assert lines[-1].split() == ["two_hop,", "seed", "1", "11,000", "not", "reached"]


def test_two_runs_of_an_arm_and_seed_both_stand_side_by_side():
    def of(label, reached):
        curve = [Evaluation(u, 1000 * u, 9, float(reached <= u), 0.5) for u in (0, 11, 22)]
        return label, Withheld("closed_loop", 1, "two_hop", None, tuple(curve))

    lines = render_withheld([of("runs/a", 11), of("runs/b", 0)]).splitlines()
    assert lines[-2].split()[-2:] == ["runs/a", "runs/b"]
    assert lines[-1].split() == ["two_hop,", "seed", "1", "11,000", "0"]


def test_a_comparison_tells_of_withheld_families_first_and_draws_them(tmp_path):
    runs = [written(tmp_path, arm, arm=arm, learned=at) for arm, at in (("closed_loop", 1), ("static", 6))]
    result = write_comparison(runs, tmp_path / "out")
    told = result.text.split("\n\n")
    assert told[1].startswith("withheld from the warm start") and "1 of 3" in told[1]
    assert told[2].splitlines()[1].split()[-3:] == ["72", "not", "reached"]
    rows = list(csv.DictReader((tmp_path / "out" / "withheld_found.csv").open()))
    assert [(r["arm"], r["rank"], r["charged_steps"]) for r in rows] == [
        ("closed_loop", "1", "72"),
        ("static", "1", ""),
    ]
    assert len(list(csv.DictReader((tmp_path / "out" / "withheld.csv").open()))) == 2 * 3
    assert b"stands level" in (tmp_path / "out" / "withheld.png").read_bytes()
