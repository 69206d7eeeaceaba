"""Literal values of the numbers behind a cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.weakness.rates import Beta, fit_beta, wilson_low


def test_wilson_bound_of_8_in_10():
    # z = 1.644854, z² = 2.705543: (0.8 + 0.135277 − 1.644854 √(0.016 + 0.006764)) / 1.270554
    # = (0.935277 − 1.644854 · 0.150877) / 1.270554 = 0.687106 / 1.270554
    assert wilson_low(8, 10) == pytest.approx(0.540793, abs=2e-6)


def test_wilson_bound_of_10_in_10_is_n_over_n_plus_z_squared():
    assert wilson_low(10, 10) == pytest.approx(10 / 12.705543, abs=1e-6)  # 0.787058


def test_wilson_bound_without_events_or_opportunities_is_zero():
    assert wilson_low(0, 10) == 0.0
    assert wilson_low(0, 0) == 0.0


def test_wilson_bound_prefers_many_opportunities_at_the_same_rate():
    assert wilson_low(1, 2) < wilson_low(10, 20) < wilson_low(100, 200) < 0.5


@given(st.integers(1, 200), st.data())
def test_wilson_bound_lies_between_zero_and_the_rate(opportunities, data):
    events = data.draw(st.floats(0, opportunities))
    assert 0.0 <= wilson_low(events, opportunities) <= events / opportunities + 1e-12


def test_mean_spread_of_the_uniform_distribution_is_a_sixth():
    assert Beta(1, 1).mean_spread == pytest.approx(1 / 6)  # ∫ p(1 − p) dp = 1/2 − 1/3


def test_mean_spread_of_a_sure_rate_is_nearly_zero():
    spread = Beta(1, 1).after(98, 98).mean_spread
    assert spread == pytest.approx(99 / (100 * 101))  # αβ / (n (n + 1)) with 99, 1


def test_prior_by_moments_of_3_and_7_in_10():
    # m = 10.5/21 = 0.5; S = 2 · 10 · 0.2² = 0.8; S/m(1−m) = 3.2; K − 1 = 1; N − Σn²/N − 1 = 20 − 10 − 1 = 9
    # ρ = 2.2/9; α + β = 9/2.2 − 1 = 3.090909
    prior = fit_beta([3, 7], [10, 10])
    assert prior == pytest.approx((1.545455, 1.545455), abs=1e-6)
    # posterior mean of 7 in 10: (7 + 1.545455) / (10 + 3.090909)
    assert prior.after(7, 10).mean == pytest.approx(0.652778, abs=1e-6)


def test_cells_that_differ_less_than_chance_share_the_strongest_prior():
    assert fit_beta([5, 5], [10, 10]) == pytest.approx((500, 500))


def test_cells_that_differ_utterly_share_the_weakest_prior():
    assert sum(fit_beta([0, 10], [10, 10])) == pytest.approx(1.0)


def test_a_single_cell_gets_two_pseudo_opportunities():
    assert fit_beta([5], [9]) == pytest.approx((1.1, 0.9))  # mean 5.5/10, times 2
    assert fit_beta([], []) == pytest.approx((1.0, 1.0))  # mean 0.5/1
