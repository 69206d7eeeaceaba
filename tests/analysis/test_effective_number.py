"""Over how many things a distribution is really spread."""

import pytest

from analysis.effective_number import effective_number


def test_the_effective_number_is_that_of_equal_weights_and_shrinks_with_their_spread():
    assert effective_number([0.2] * 5) == pytest.approx(5)
    assert effective_number([5, 5, 5, 5]) == pytest.approx(4)
    assert effective_number([7]) == 1
    # Shares 3/4 and 1/4: exp(-(3/4) ln(3/4) - (1/4) ln(1/4)) = 4 / 3 ** 0.75 = 1.7548.
    assert effective_number([3.0, 1.0]) == pytest.approx(4 / 3**0.75)


def test_no_weight_is_no_thing():
    assert effective_number([0.0, 0.0]) == 0 and effective_number([]) == 0
