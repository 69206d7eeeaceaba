"""Rows of a call look at slots of their own part, and parts have equally much to do."""

from policy.shards import shards


def test_slots_that_are_not_divided_lie_together() -> None:
    assert shards(10, 4).parts == shards(10, 1).parts == 1
    assert shards(12, 4).parts == 4


def test_a_call_has_as_many_rows_for_every_part() -> None:
    four = shards(8, 4)
    assert [four.rows_for(rows) for rows in (1, 4, 5)] == [4, 4, 8]
    assert shards(8, 1).rows_for(5) == 5


def test_every_row_is_of_a_slot_in_its_own_part_and_the_first_ones_find_a_row() -> None:
    # Slots 0 to 3 and 4 to 7, two rows for either: of the second part, slot 4 comes too late.
    assert shards(8, 2).seated([7, 0, 5, 4], 4) == [0, None, 7, 5]
    assert shards(8, 1).seated([7, 0, 5, 4], 3) == [7, 0, 5]


def test_episodes_go_to_the_part_that_has_fewest() -> None:
    # The first part plays 0 and 1, so the second has two of its slots taken first; then they take turns.
    assert shards(8, 2).spread(free=[2, 3, 4, 5, 6, 7], taken=[0, 1]) == [4, 5, 2, 6, 3, 7]
    assert shards(4, 1).spread(free=[3, 1], taken=[0, 2]) == [1, 3]
