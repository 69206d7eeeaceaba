"""What lives as long as a run is looked at once by Python's collector of cycles."""

import gc

import pytest

from loop.long_lived import long_lived, look_again


def test_nothing_is_collected_meanwhile_and_what_lives_is_left_out_afterwards() -> None:
    assert gc.isenabled()
    try:
        with long_lived():
            assert not gc.isenabled()
            world = [[number] for number in range(1000)]
        assert gc.isenabled()
        assert gc.get_freeze_count() >= len(world)
        assert not any(found is world for found in gc.get_objects())  # frozen ones are not listed
    finally:
        look_again()
    assert gc.get_freeze_count() == 0
    assert any(found is world for found in gc.get_objects())


def test_an_error_leaves_the_collector_as_it_was() -> None:
    with pytest.raises(ValueError), long_lived():
        raise ValueError
    assert gc.isenabled()
    look_again()
    gc.disable()
    try:
        with long_lived():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
        look_again()
