"""Samplers draw as they say, and the gate drops what has no gradient."""

from collections import Counter

import pytest

from loop.curricula.gate import UnequalRewardGate
from loop.curricula.protocols import GroupOutcome
from loop.curricula.samplers.learnability import LearnabilitySampler, learnability
from loop.curricula.samplers.uniform import UniformSampler
from loop.errors import ConfigError
from loop.plugins import Plugin, make
from loop.worlds.pool import PoolTask

POOL = [PoolTask(f"t{n}", "w", "update", frozenset(), "retail", "BR", "compact") for n in range(10)]


def outcome(task: int, passes: int, rollouts: int = 8) -> GroupOutcome:
    return GroupOutcome(
        f"t{task}",
        passes,
        rollouts,
        admitted=0 < passes < rollouts,
        mean_reward=passes / rollouts,
        steps=3 * rollouts,
        cells=frozenset(),
        rung="",
    )


def test_uniform_draws_are_distinct_until_the_pool_is_spent() -> None:
    assert sorted(UniformSampler().draw(POOL, 10, seed=1)) == sorted(t.id for t in POOL)
    twice = Counter(UniformSampler().draw(POOL, 20, seed=1))
    assert set(twice.values()) == {2}


def test_uniform_draws_reach_every_task_equally_often() -> None:
    counts = Counter(t for seed in range(1000) for t in UniformSampler().draw(POOL, 2, seed))
    assert all(150 <= counts[task.id] <= 250 for task in POOL)  # 200 each, and 4 standard deviations of 12.6


@pytest.mark.parametrize("sampler", [UniformSampler, LearnabilitySampler])
def test_equal_seeds_give_equal_draws(sampler: type) -> None:
    assert sampler().draw(POOL, 5, seed=3) == sampler().draw(POOL, 5, seed=3)
    assert sampler().draw(POOL, 5, seed=3) != sampler().draw(POOL, 5, seed=4)


def test_learnability_is_the_posterior_mean_of_p_times_one_minus_p() -> None:
    assert learnability(0, 0) == pytest.approx(1 / 6)  # Beta(1, 1): 1 * 1 / (2 * 3)
    assert learnability(4, 4) == pytest.approx(25 / 110)  # Beta(5, 5): 5 * 5 / (10 * 11)
    assert learnability(8, 0) == pytest.approx(9 / 110)  # Beta(9, 1): 9 * 1 / (10 * 11)


def test_learnability_prefers_what_is_sometimes_solved_above_a_floor() -> None:
    sampler = LearnabilitySampler(floor=0.2, top=1.0, memory=1.0)
    sampler.observe([outcome(0, 4)] + [outcome(n, 8) for n in range(1, 10)])
    weights = sampler.weights(POOL)
    assert sum(weights) == pytest.approx(1)
    # 0.02 of the floor, and 0.8 of 25 / (25 + 9 x 9) = 25 / 106.
    assert weights[0] == pytest.approx(0.02 + 0.8 * 25 / 106)
    assert weights[1] == pytest.approx(0.02 + 0.8 * 9 / 106)


def test_unsolvable_and_trivial_tasks_are_drawn_no_more_than_their_floor_and_a_point() -> None:
    sampler = LearnabilitySampler(floor=0.2, top=0.2)
    for _ in range(40):
        sampler.observe([outcome(n, 0) for n in range(4)] + [outcome(n, 8) for n in range(4, 8)])
        sampler.observe([outcome(8, 4), outcome(9, 4)])
    assert sum(sampler.weights(POOL)[:8]) <= 0.2 * 8 / 10 + 0.01


def test_old_outcomes_fade() -> None:
    sampler = LearnabilitySampler(memory=0.5)
    for passes in (0, 8, 8):
        sampler.observe([outcome(0, passes)])
    # Passes 0.5 x (0.5 x 0 + 8) + 8 = 12; fails 0.25 x 8 + 0 + 0 = 2.
    assert sampler.state_dict() == {"counts": {"t0": [12.0, 2.0]}}


def test_a_sampler_goes_on_where_it_was_stored() -> None:
    first = LearnabilitySampler()
    first.observe([outcome(0, 3), outcome(1, 8)])
    second = LearnabilitySampler()
    second.load_state_dict(first.state_dict())
    assert second.weights(POOL) == first.weights(POOL) and second.metrics() == first.metrics()


def test_the_gate_drops_groups_of_equal_raw_reward_and_admits_a_group_of_one() -> None:
    gate = UnequalRewardGate()
    assert not gate.admit([1.0] * 8)
    assert not gate.admit([0.0] * 8)
    assert gate.admit([0.0] * 7 + [0.5])
    assert gate.admit([0.3])
    assert not gate.admit([])
    assert gate.metrics() == {"gate/dropped_share": 0.6}  # 3 of 5


def test_own_classes_plug_in_and_wrong_parameters_are_refused() -> None:
    made = make(
        "sampler", Plugin(type="loop.curricula.samplers.learnability:LearnabilitySampler", floor=1.0), "s"
    )
    assert made.weights(POOL)[0] == pytest.approx(0.1)
    with pytest.raises(ConfigError, match=r"s\.flor: unknown key for 'sfl'; did you mean 'floor'\?"):
        make("sampler", Plugin(type="sfl", flor=0.5), "s")
    with pytest.raises(ConfigError, match=r"s: 'sfl' refused its parameters: floor=2 is outside \[0, 1\]"):
        make("sampler", Plugin(type="sfl", floor=2), "s")
    with pytest.raises(ConfigError, match="cannot be imported"):
        make("sampler", Plugin(type="loop.nowhere:Sampler"), "s")
