"""The newest worlds first: most draws come from the last growth, and none of the others is lost."""

from collections import Counter

import pytest

from loop.curricula.samplers.newest import NewestSampler
from loop.worlds.pool import PoolTask


def pool(*grown: int) -> list[PoolTask]:
    return [
        PoolTask(f"t{n}", "w", "update", frozenset(), "retail", "BR", "compact", grown=iteration)
        for n, iteration in enumerate(grown)
    ]


def test_all_tasks_are_alike_before_anything_has_grown() -> None:
    assert NewestSampler(floor=0.2).weights(pool(-1, -1, -1, -1)) == pytest.approx([0.25] * 4)


def test_the_newest_growth_shares_what_the_floor_leaves() -> None:
    weights = NewestSampler(floor=0.4).weights(pool(-1, -1, 0, 1, 1))
    assert weights == pytest.approx(
        [0.08, 0.08, 0.08, 0.38, 0.38]
    )  # 0.4 / 5 each, 0.6 / 2 more for the newest


def test_draws_follow_the_weights() -> None:
    sampler, tasks = NewestSampler(floor=0.4), pool(-1, -1, 0, 1, 1)
    counts = Counter(task for seed in range(2000) for task in sampler.draw(tasks, 1, seed))
    for task, weight in zip(tasks, sampler.weights(tasks), strict=True):
        deviation = (2000 * weight * (1 - weight)) ** 0.5
        assert abs(counts[task.id] - 2000 * weight) < 4 * deviation


def test_an_empty_pool_gives_no_draws() -> None:
    assert NewestSampler().draw([], 3, seed=0) == []


@pytest.mark.parametrize("floor", [-0.1, 1.1])
def test_a_floor_that_is_no_share_is_refused(floor: float) -> None:
    with pytest.raises(ValueError, match=rf"floor={floor} is outside \[0, 1\]"):
        NewestSampler(floor)
