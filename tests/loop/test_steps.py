"""The steps of a run, and where a killed one goes on."""

from loop.config import Config
from loop.resuming.checkpoints import milestones, subject_step
from loop.resuming.restore import newest_common
from loop.resuming.steps import steps_of

TWO = Config(iterations=2, updates_per_iteration=2)


def test_two_iterations_of_two_updates_are_sixteen_steps() -> None:
    assert [step.kind for step in steps_of(TWO)] == [
        "worlds", "warm_start", "validate",
        "diagnose", "grow", "update", "update", "validate",
        "diagnose", "grow", "update", "update", "validate",
        "diagnose", "test", "test",
    ]  # fmt: skip
    assert [step.update for step in steps_of(TWO) if step.kind == "update"] == [0, 1, 2, 3]
    assert [step.index for step in steps_of(TWO)] == list(range(16))


def test_no_iterations_still_measure_the_warm_start() -> None:
    kinds = [step.kind for step in steps_of(Config(iterations=0))]
    assert kinds == ["worlds", "warm_start", "validate", "diagnose", "test", "test"]


def test_the_warm_start_and_the_ends_of_iterations_are_kept() -> None:
    assert milestones(TWO) == {1, 6, 11}
    assert subject_step(TWO, "warm_start") == 1
    assert subject_step(TWO, "final") == 11
    assert subject_step(Config(iterations=0), "final") == 1


def test_a_step_recorded_with_its_checkpoint_is_gone_on_from() -> None:
    assert newest_common(steps_of(TWO), last=5, stored={1, 4, 5}) == (5, 5)


def test_a_checkpoint_without_its_record_is_done_again() -> None:
    assert newest_common(steps_of(TWO), last=4, stored={1, 4, 5}) == (4, 4)


def test_steps_that_change_nothing_need_no_checkpoint() -> None:
    assert newest_common(steps_of(TWO), last=8, stored={1, 5, 6}) == (8, 6)


def test_a_record_without_its_checkpoint_is_cut_off() -> None:
    assert newest_common(steps_of(TWO), last=6, stored={1, 4}) == (4, 4)
    assert newest_common(steps_of(TWO), last=8, stored={1}) == (3, 1)


def test_before_the_warm_start_there_is_nothing_to_load() -> None:
    assert newest_common(steps_of(TWO), last=0, stored=set()) == (0, None)
    assert newest_common(steps_of(TWO), last=2, stored=set()) == (0, None)
