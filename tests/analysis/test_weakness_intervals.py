"""Intervals of rates resample worlds."""

import pytest

from analysis.weakness import weakness_report
from analysis.weakness.comparison import Unit
from analysis.weakness.rate_intervals import rate_intervals
from tests.analysis.planted_probes import report_of
from tests.analysis.simulated_probes import simulate, skills


def unit(world, failures, cell="f:a", rollouts=10):
    return Unit(world, "t", cell, True, rollouts, failures)


def test_worlds_that_are_alike_give_an_interval_without_width():
    assert rate_intervals([unit(f"w{w}", 3.0) for w in range(5)]) == {"f:a": (0.3, 0.3)}


def test_two_worlds_give_the_interval_of_their_rates():
    # A quarter of the draws takes the first world twice, a quarter the second: both lie beyond 2.5 %.
    assert rate_intervals([unit("w0", 0.0), unit("w1", 10.0)]) == {"f:a": (0.0, 1.0)}


def test_a_cell_of_one_world_has_no_interval():
    found = rate_intervals([unit("w0", 5.0), unit("w0", 5.0, "f:b"), unit("w1", 5.0, "f:b")])
    assert set(found) == {"f:b"}
    assert report_of().cell("tool:update_a").rate_low is None


def test_worlds_weigh_as_many_episodes_as_they_have():
    # 20 worlds of 2 episodes that all fail, and one of 60 that never does: rate 40/100 = 0.4
    few = [unit(f"w{w:02d}", 2.0, rollouts=2) for w in range(20)]
    low, high = rate_intervals([*few, unit("big", 0.0, rollouts=60)])["f:a"]
    assert low < 0.4 < high == 1.0  # in a third of the draws the big world is not there


def test_the_interval_covers_the_rate_and_is_wider_where_worlds_differ():
    def width(report):
        cell = report.cell("family:update")
        assert cell.rate_low <= cell.rate <= cell.rate_high
        return cell.rate_high - cell.rate_low

    tools = ["update_a", "update_b", "update_c"]
    alike = simulate(skills(tools, set(), 0.8), tasks=100)
    hard = {f"w{w}" for w in range(5)}  # half of the worlds: nothing passes there
    differing = [e.replace(evidence=(), all_pass=e.world_id not in hard) for e in alike]
    failing = [
        e if e.all_pass else e.replace(evidence=tuple(x.replace(satisfied=False) for x in f.evidence))
        for e, f in zip(differing, alike, strict=True)
    ]
    assert width(weakness_report(failing)) > 2 * width(weakness_report(alike))


def test_the_same_seed_gives_the_same_interval():
    units = [unit(f"w{w}", float(w)) for w in range(10)]
    assert rate_intervals(units, seed=1) == rate_intervals(units, seed=1) != rate_intervals(units, seed=2)
    assert rate_intervals(units)["f:a"] == pytest.approx((0.27, 0.63), abs=0.04)  # 0.45 ± 1.96 · 0.287/√10
