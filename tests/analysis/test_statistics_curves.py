"""Learning curves and scatter, by hand."""

from math import sqrt

import numpy as np
import pytest

from analysis.errors import DataError
from analysis.statistics.curves import area, height_at, steps_to_threshold
from analysis.statistics.spread import between_rollouts, between_seeds

SPENT = (0.0, 10.0, 30.0)
HEIGHTS = (0.2, 0.4, 0.3)


def test_the_area_is_the_mean_height():
    # (10 × 0.3 + 20 × 0.35) / 30
    assert area(SPENT, HEIGHTS) == pytest.approx(1 / 3)
    assert area((0.0, 7.0), (0.5, 0.5)) == 0.5


def test_the_area_can_end_between_evaluations():
    # (10 × 0.3 + 10 × 0.375) / 20: at 20 the curve stands at 0.35
    assert area(SPENT, HEIGHTS, until=20) == pytest.approx(0.3375)
    assert area(SPENT, HEIGHTS, until=0) == 0.2


def test_heights_between_evaluations_are_linear_and_never_extrapolated():
    assert height_at(SPENT, HEIGHTS, 20) == pytest.approx(0.35)
    with pytest.raises(DataError, match="a budget of 31 lies outside of the curve, 0 to 30"):
        height_at(SPENT, HEIGHTS, 31)


def test_a_threshold_counts_when_two_evaluations_in_a_row_hold_it():
    spent = (0, 10, 20, 30, 40)
    assert steps_to_threshold(spent, (0.1, 0.5, 0.2, 0.5, 0.6), 0.5) == 30  # the first peak was not held
    assert steps_to_threshold(spent, (0.1, 0.5, 0.2, 0.4, 0.6), 0.5) is None  # the last one has no successor


def test_what_is_no_curve_is_refused():
    with pytest.raises(DataError, match="2 budgets and 1 heights are no curve"):
        area((0, 1), (0.5,))
    with pytest.raises(DataError, match="give ascending budgets"):
        area((1, 0), (0.5, 0.5))


def test_rollouts_scatter_as_their_tasks_do():
    # Per task the variance of one rollout is 0.5 (0 and 1) or 0; of a mean of two rollouts half of it.
    assert between_rollouts([[0, 1], [1, 1]]) == pytest.approx(sqrt(0.25) / 2)
    assert between_rollouts([[1], [0]]) is None


def test_the_scatter_of_rollouts_is_that_of_repeated_tests():
    draw = np.random.default_rng(0)
    odds = draw.random(60)
    tests = draw.random((4000, 60, 2)) < odds[:, None]
    expected = tests.mean(axis=(1, 2)).std()
    assert np.mean([between_rollouts(t) for t in tests[:400]]) == pytest.approx(expected, rel=0.05)


def test_seeds_scatter_with_the_unbiased_deviation():
    assert between_seeds([0.1, 0.3]) == pytest.approx(sqrt(0.02))  # (0.1² + 0.1²) / 1
    assert between_seeds([0.1]) is None
