"""Permutation tests, Holm, paired intervals and power: hand arithmetic, and behaviour under the null."""

from math import inf

import numpy as np
import pytest
from scipy.stats import kstest, permutation_test, ttest_1samp

from analysis.errors import DataError
from analysis.statistics.holm import holm
from analysis.statistics.paired import paired_interval, share_of_gap
from analysis.statistics.permutation import paired_permutation, smallest_p
from analysis.statistics.power import bootstrap_power, power


def null_sweeps(sweeps, seeds, rollouts=360, counts=False):
    """Differences of two arms that share each seed's tasks and differ in luck alone, (sweep, seed).

    counts: scores are shares of rollouts, so that they tie; else mean rewards.
    """
    draw = np.random.default_rng(0)
    level = draw.uniform(0.3, 0.6, size=(sweeps, seeds))  # of the seed, common to both arms
    learned = level[..., None] + draw.normal(0, 0.02, size=(sweeps, seeds, 2))  # training luck, per arm
    counted = draw.binomial(rollouts, learned) / rollouts
    arms = counted if counts else counted + draw.normal(0, 0.002, size=counted.shape)
    return arms[..., 0] - arms[..., 1]


def test_ten_thousand_null_sweeps_give_uniform_p_values():
    p = paired_permutation(null_sweeps(10_000, seeds=10))
    assert kstest(p, "uniform").pvalue > 0.05
    # 25 of 512 values lie up to 0.05; four standard errors of 10,000.
    assert np.mean(p <= 0.05) == pytest.approx(25 / 512, abs=0.0086)


def test_ten_thousand_null_sweeps_of_counts_never_claim_too_often():
    p = paired_permutation(null_sweeps(10_000, seeds=10, counts=True))
    assert kstest(p, "uniform", alternative="greater").pvalue > 0.05  # ties make p larger, never smaller
    assert np.mean(p <= 0.05) <= 0.05 + 0.007


def test_few_seeds_never_claim_too_often():
    p = paired_permutation(null_sweeps(10_000, seeds=6))
    assert np.mean(p <= 0.05) <= 0.05 + 0.007
    assert p.min() == smallest_p(6) == 0.03125  # 2 / 2 ** 6


def test_three_seeds_of_one_sign_give_a_quarter():
    assert paired_permutation([0.1, 0.2, 0.3]) == 0.25  # +++ and −−− of eight assignments
    assert paired_permutation([0.1, 0.2, -0.3]) == 1.0  # the sum is 0


def test_the_exact_test_counts_all_assignments():
    differences = [0.3, -0.1, 0.2, 0.15, 0.05, -0.02, 0.11]
    # scipy permutes by exchanging the pair, which is the same thing.
    zeros = np.zeros(len(differences))
    expected = permutation_test(
        (differences, zeros),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
    )
    assert paired_permutation(differences) == pytest.approx(expected.pvalue)


def test_many_seeds_are_tested_by_monte_carlo_near_the_t_test():
    differences = np.random.default_rng(3).normal(0.5, 1, size=20)  # 2 ** 20 assignments are too many
    p = paired_permutation(differences, seed=1)
    assert p == paired_permutation(differences, seed=1)
    assert p == pytest.approx(ttest_1samp(differences, 0).pvalue, abs=0.01)
    assert paired_permutation(np.full(20, 1.0), draws=99) == 0.01  # (0 + 1) / (99 + 1)


def test_a_shift_of_scale_changes_no_p_value():
    differences = np.array([0.3, -0.1, 0.2, 0.15])
    assert (
        paired_permutation(differences * 1e6)
        == paired_permutation(differences)
        == paired_permutation(-differences)
    )


def test_equal_arms_give_one():
    assert paired_permutation([0.0, 0.0, 0.0]) == 1.0


def test_holes_are_refused():
    with pytest.raises(DataError, match="cannot be permuted; give one number per seed"):
        paired_permutation([0.1, float("nan")])


def test_holm_multiplies_the_smallest_most():
    assert holm((0.01, 0.04, 0.03, 0.005)) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    # sorted 0.005 × 4, 0.01 × 3, 0.03 × 2, 0.04 × 1 = 0.04, raised to the 0.06 before it
    assert holm((0.5, 0.9)) == (1.0, 1.0)
    assert holm((0.02,)) == (0.02,) and holm(()) == ()


def test_what_is_no_p_value_is_refused():
    with pytest.raises(DataError, match=r"are not all in \[0, 1\]"):
        holm((0.1, 1.5))


def test_a_paired_interval_is_student_s():
    # mean 0.04, deviation 0.01, three seeds: 0.04 ± 4.302653 × 0.01 / sqrt(3)
    assert paired_interval([0.03, 0.04, 0.05]) == pytest.approx((0.04, 0.0151586, 0.0648414), abs=1e-6)
    assert paired_interval([0.07]) == (0.07, -inf, inf)


def test_paired_intervals_cover_the_truth_as_often_as_they_say():
    sweeps = np.random.default_rng(5).normal(0.1, 0.3, size=(2000, 4))
    covered = [i.low <= 0.1 <= i.high for i in map(paired_interval, sweeps)]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.015)  # three standard errors of 2,000


def test_the_share_of_a_gap_is_fieller_s():
    part, whole = np.array([0.05, 0.07, 0.06, 0.06]), np.array([0.10, 0.11, 0.09, 0.10])
    share = share_of_gap(part, whole)
    assert share.mean == pytest.approx(0.6)  # 0.06 / 0.10
    for edge in (share.low, share.high):  # at either end, mean(part − edge × whole) is just told from 0
        assert ttest_1samp(part - edge * whole, 0).pvalue == pytest.approx(0.05)


def test_the_share_of_a_gap_that_may_be_nothing_is_not_a_number():
    assert share_of_gap([0.05, 0.06, 0.04], [0.1, -0.1, 0.02]) is None
    assert share_of_gap([0.05], [0.1]) is None


def test_power_grows_with_seeds_and_is_the_level_without_a_gain():
    assert power(10, sd=3.0, gain=3.0) < power(20, sd=3.0, gain=3.0)
    assert power(10, sd=1.0, gain=0.0) == pytest.approx(0.05, abs=0.015)


def test_power_of_ten_seeds_is_near_the_t_test_s():
    # A paired t-test sees a gain of one deviation with 10 seeds in 80.3 % of sweeps (noncentral t).
    assert power(10, sd=3.0, gain=3.0) == pytest.approx(0.803, abs=0.03)


def test_fewer_than_six_seeds_can_see_nothing():
    assert power(5, sd=1.0, gain=100.0) == 0.0  # the smallest p is 2 / 2 ** 5 = 0.0625
    assert power(6, sd=1.0, gain=100.0) == 1.0


def test_resampled_scatter_gives_about_the_same_power():
    observed = np.random.default_rng(2).normal(0.0, 3.0, size=200)
    assert bootstrap_power(observed, 3.0, 10) == pytest.approx(power(10, observed.std(ddof=1), 3.0), abs=0.04)
    assert bootstrap_power([1.0], 3.0, 10) == 0.0
