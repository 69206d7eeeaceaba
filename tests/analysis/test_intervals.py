"""Literal intervals, and what resampling worlds must and must not do."""

import pytest

from analysis.errors import DataError
from analysis.intervals import cluster_bootstrap, difference_bootstrap


def test_two_equal_worlds_have_an_interval_without_width():
    assert cluster_bootstrap([0, 1, 0, 1], ["a", "a", "b", "b"]) == (0.5, 0.5, 0.5)


def test_two_opposite_worlds_span_everything():
    # Both draws hit the same world with probability 1/2: means 0 and 1 lie in both 2.5 % tails.
    assert cluster_bootstrap([0, 0, 1, 1], ["a", "a", "b", "b"]) == (0.5, 0.0, 1.0)


def test_more_rollouts_of_the_same_worlds_do_not_narrow_the_interval():
    worlds = [f"w{index}" for index in range(20)]
    values = [index % 2 for index in range(20)]
    once, often = cluster_bootstrap(values, worlds), cluster_bootstrap(values * 50, worlds * 50)
    assert once == often
    # Rollouts taken as independent: standard error √(0.25/20) = 0.112, a width of 3.92 · 0.112 = 0.438.
    assert once.high - once.low == pytest.approx(0.438, abs=0.06)


def test_the_same_seed_gives_the_same_interval():
    values, worlds = [0.0, 0.3, 1.0, 0.7], ["a", "b", "c", "d"]
    assert cluster_bootstrap(values, worlds, seed=3) == cluster_bootstrap(values, worlds, seed=3)
    assert cluster_bootstrap(values, worlds, seed=3) != cluster_bootstrap(values, worlds, seed=4)


def test_a_constant_gain_in_every_world_is_sure_though_worlds_differ():
    before, worlds = [0.0, 0.2, 0.8, 0.5], ["a", "b", "c", "d"]
    gain = difference_bootstrap([value + 0.1 for value in before], worlds, before, worlds)
    assert gain == pytest.approx((0.1, 0.1, 0.1))


def test_a_paired_difference_refuses_other_worlds():
    with pytest.raises(DataError, match="needs the same worlds on both sides"):
        difference_bootstrap([1], ["a"], [0], ["b"])


def test_values_without_worlds_are_refused():
    with pytest.raises(DataError, match="needs a world for each value; got 2 and 1"):
        cluster_bootstrap([1, 0], ["a"])
