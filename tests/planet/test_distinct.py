"""Labels name one record each."""

import pytest

from planet.expand.distinct import distinct


@pytest.mark.parametrize(
    ("texts", "told_apart"),
    [
        (["A", "B"], ["A", "B"]),
        (["A", "B", "A", "A"], ["A", "B", "A 2", "A 3"]),
        (["A", "A", "A 2"], ["A", "A 3", "A 2"]),
        (["A 2", "A", "A", "A"], ["A 2", "A", "A 3", "A 4"]),
        (["A", "A", "A 2", "A 2"], ["A", "A 3", "A 2", "A 2 2"]),
    ],
)
def test_repetitions_are_numbered_past_the_names_that_are_taken(texts, told_apart):
    assert distinct(texts) == told_apart
