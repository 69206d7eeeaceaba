"""Interquartile mean, probability of improvement and the worst tasks: rliable's numbers, and hand arithmetic.

The literals come from rliable 1.2.0 (arch 7.2.0), run on ONE and OTHER after numpy.random.seed(7).
"""

import numpy as np
import pytest

from analysis.errors import DataError
from analysis.statistics.improvement import probability_of_improvement
from analysis.statistics.iqm import iqm, stratified_bootstrap
from analysis.statistics.tail import cross_seeded_curve, cross_seeded_cvar, cvar

ONE = [[(7 * i + 3 * j) % 11 / 11 for j in range(5)] for i in range(4)]
OTHER = [[(5 * i + 4 * j + 2) % 13 / 13 for j in range(5)] for i in range(3)]
TIED = [[0.0, 0.5, 1.0, 0.25, 0.25], [0.5, 0.5, 0.75, 0.0, 0.25], [0.25, 0.5, 1.0, 0.5, 0.25]]


def test_the_interquartile_mean_is_rliable_s():
    assert iqm(ONE) == pytest.approx(0.44545454545454544, abs=1e-9)
    assert iqm(OTHER) == pytest.approx(0.4786324786324786, abs=1e-9)
    assert iqm(TIED) == pytest.approx(0.3888888888888889, abs=1e-9)


def test_the_interquartile_mean_is_that_of_the_middle_half():
    assert iqm([[9.0, 1.0], [2.0, 3.0], [4.0, -7.0], [5.0, 6.0]]) == 3.5  # (2 + 3 + 4 + 5) / 4, of 8
    assert iqm([[0.3]]) == 0.3


def test_the_stratified_interval_is_rliable_s_on_the_same_draws():
    picks = np.random.RandomState(7).choice(4, size=(2000, 4, 5))
    assert stratified_bootstrap(ONE, picks=picks) == pytest.approx(
        (0.44545454545454544, 0.2727272727272727, 0.6272727272727273), abs=1e-9
    )


def test_a_column_without_spread_adds_none():
    assert stratified_bootstrap([[0.2, 0.4], [0.2, 0.4]]) == pytest.approx((0.3, 0.3, 0.3))


def test_the_interval_does_not_depend_on_the_order_of_columns():
    picks = np.random.default_rng(0).integers(4, size=(200, 4, 5))
    turned = stratified_bootstrap(np.array(ONE)[:, ::-1], picks=picks[:, :, ::-1])
    assert turned == pytest.approx(stratified_bootstrap(ONE, picks=picks))


def test_the_probability_of_improvement_is_rliable_s():
    assert probability_of_improvement(ONE, OTHER).mean == pytest.approx(0.45, abs=1e-9)
    assert probability_of_improvement(OTHER, ONE).mean == pytest.approx(0.55, abs=1e-9)
    rounded = np.round(ONE, 1)
    assert probability_of_improvement(rounded, TIED).mean == pytest.approx(0.4916666666666667, abs=1e-9)


def test_an_arm_beats_itself_half_of_the_time():
    assert probability_of_improvement(TIED, TIED).mean == 0.5
    assert probability_of_improvement([[1.0], [2.0]], [[0.0]]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("scores", [[], [0.1, 0.2], [[0.1, float("nan")]]])
def test_what_is_no_matrix_is_refused(scores):
    with pytest.raises(DataError, match=r"matrix"):
        stratified_bootstrap(scores)


def test_arms_with_other_columns_are_refused():
    with pytest.raises(DataError, match="1 and 2 columns cannot be compared"):
        probability_of_improvement([[0.1]], [[0.1, 0.2]])


def test_the_worst_tasks_are_those_with_the_lowest_ranks():
    ranks = [0.9, 0.1, 0.5, 0.3, 0.7]
    assert cvar(ranks, [1.0, 0.2, 0.6, 0.4, 0.8], share=0.4) == pytest.approx(0.3)  # (0.2 + 0.4) / 2
    found = cvar(ranks, [1.0, 0.2, 0.6, 0.4, 0.8], share=0.5)
    assert found == pytest.approx(0.36)  # (0.2 + 0.4 + 0.6 / 2) / 2.5


def test_tasks_tied_at_the_edge_count_in_equal_parts():
    # The worst two of five: the 0.0 whole, and one third of each 0.5.
    assert cvar([0.5, 0.0, 0.5, 0.5, 1.0], [0.3, 0.0, 0.6, 0.9, 1.0], share=0.4) == pytest.approx(0.3)


def test_all_tasks_are_the_mean():
    assert cvar([0.3, 0.1, 0.2], [0.0, 0.5, 1.0], share=1.0) == pytest.approx(0.5)


def test_ranking_on_other_rollouts_removes_the_bad_luck():
    passed = np.random.default_rng(0).random((2000, 4)) < 0.5  # every task is equally hard
    assert cvar(passed.mean(axis=1), passed.mean(axis=1)) < 0.15  # the same rollouts: bad luck
    assert cross_seeded_cvar(passed) == pytest.approx(0.5, abs=0.03)


def test_two_rollouts_rank_each_other():
    # Ranked by the first rollout the first task is worst, and scores 1 by the second; then vice versa.
    assert cross_seeded_cvar([[0, 1], [1, 1], [1, 1], [1, 0]], share=0.25) == pytest.approx((1 + 1) / 2)
    assert cross_seeded_cvar([[0, 0], [1, 1], [1, 1], [1, 0]], share=0.25) == pytest.approx((0 + 0.5) / 2)


def test_the_curve_ends_in_the_mean_of_all_rollouts():
    passed = [[0, 1, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0]]
    # Ranked by 0, 1, 2, 01, 02, 12: 0.5 (three tie), 0, 0.25 (two tie), 0, 0.5 (two tie), 0; 6 of 12 passed.
    assert cross_seeded_curve(passed, (0.25, 1.0)) == pytest.approx([1.25 / 6, 6 / 12])


def test_one_rollout_cannot_rank_and_score():
    with pytest.raises(DataError, match="need two or more each"):
        cross_seeded_cvar([[1], [0]])
    with pytest.raises(DataError, match=r"a share of 0 of the tasks is not in \(0, 1\]"):
        cvar([1.0], [1.0], share=0)
