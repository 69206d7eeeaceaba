"""Samplers draw as they say, and the gate drops what has no gradient."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from loop.config import Config
from loop.curricula.gate import UnequalRewardGate
from loop.curricula.parts import curriculum
from loop.curricula.protocols import GroupOutcome
from loop.curricula.samplers.difficulty_pools import DifficultyPoolsSampler
from loop.curricula.samplers.draws import draw_by_weight
from loop.curricula.samplers.learnability import LearnabilitySampler, learnability
from loop.curricula.samplers.replay import PrioritizedReplaySampler
from loop.curricula.samplers.uniform import UniformSampler
from loop.errors import ConfigError
from loop.plugins import Plugin, make
from loop.worlds.pool import PoolTask

SAMPLERS = (UniformSampler, LearnabilitySampler, PrioritizedReplaySampler, DifficultyPoolsSampler)
POOL = [PoolTask(f"t{n}", "w", "update", frozenset(), "retail", "BR", "compact") for n in range(10)]


def outcome(task: int | str, passes: int, rollouts: int = 8) -> GroupOutcome:
    return GroupOutcome(
        f"t{task}" if isinstance(task, int) else task,
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


@pytest.mark.parametrize("sampler", SAMPLERS)
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


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_sampler_goes_on_where_it_was_stored(sampler: type) -> None:
    first = sampler()
    first.observe([outcome(1, 8), outcome(0, 3)])
    second = sampler()
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert second.weights(POOL) == first.weights(POOL) and second.metrics() == first.metrics()


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_no_task_is_ever_evicted_and_weights_sum_to_one(sampler: type) -> None:
    made = sampler()
    for passes in (0, 8, 4):
        made.observe([outcome(n, passes if n % 2 else 8 - passes) for n in range(8)])
        weights = made.weights(POOL)
        assert sum(weights) == pytest.approx(1) and min(weights) > 0


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_pool_smaller_than_an_update_is_drawn_in_whole_rounds_and_an_empty_one_not_at_all(
    sampler: type,
) -> None:
    assert set(Counter(sampler().draw(POOL, 20, seed=1)).values()) == {2}
    assert sampler().draw([], 5, seed=1) == []


def test_a_pool_without_any_weight_is_refused_and_not_drawn_from_for_ever() -> None:
    with pytest.raises(ValueError, match="none of 2 tasks has a weight above 0; keep a floor"):
        draw_by_weight(["a", "b"], [0.0, 0.0], 1, seed=0)


def test_replay_draws_unseen_tasks_by_their_share_and_seen_ones_by_rank_of_regret() -> None:
    sampler = PrioritizedReplaySampler(temperature=1.0, staleness=0.0, floor=0.0)
    assert sampler.weights(POOL) == pytest.approx([0.1] * 10)
    # Regrets 1 - 0/8, 1 - 4/8, 1 - 8/8: ranks 1, 2, 3 with 1, 1/2, 1/3 of 11/6, times the 3 tenths seen.
    sampler.observe([outcome(0, 8), outcome(1, 0), outcome(2, 4)])
    weights = sampler.weights(POOL)
    assert weights[:3] == pytest.approx([0.3 * 2 / 11, 0.3 * 6 / 11, 0.3 * 3 / 11])
    assert weights[3:] == pytest.approx([0.1] * 7)


def test_replay_shares_the_mass_of_equal_ranks_and_forgets_the_older_of_two_outcomes() -> None:
    sampler = PrioritizedReplaySampler(temperature=1.0, staleness=0.0, floor=0.0)
    sampler.observe([outcome(n, 0) for n in range(10)])
    sampler.observe([outcome(0, 8)])
    weights = sampler.weights(POOL)
    harmonic = sum(1 / rank for rank in range(1, 11))
    assert weights[0] == pytest.approx(1 / 10 / harmonic)  # rank 10 alone
    assert weights[1] == pytest.approx((1 - 1 / 10 / harmonic) / 9)


def test_replay_comes_back_to_what_was_not_tried_for_long() -> None:
    sampler = PrioritizedReplaySampler(staleness=1.0, floor=0.0)
    sampler.observe([outcome(n, 4) for n in range(10)])
    assert sampler.weights(POOL) == pytest.approx([0.1] * 10)  # all tried in this update: equally stale
    sampler.observe([outcome(n, 4) for n in range(8)])
    sampler.observe([outcome(n, 4) for n in range(9)])
    # Tasks 0 to 8 were tried in this update, task 9 two updates ago.
    assert sampler.weights(POOL) == pytest.approx([0.0] * 9 + [1.0])


def test_difficulty_pools_draw_from_the_middle_alike_above_a_floor() -> None:
    sampler = DifficultyPoolsSampler(floor=0.2, memory=1.0)
    sampler.observe([outcome(0, 0), outcome(1, 8), outcome(2, 4)])
    # Rates 1/10, 9/10 and 5/10; the seven never tried are at 1/2. Eight in the middle share 0.8.
    assert sampler.weights(POOL) == pytest.approx([0.02, 0.02] + [0.02 + 0.1] * 8)
    assert sampler.metrics() == {
        "sampler/tasks_tried": 3.0,
        "sampler/tasks_hard": 1.0,
        "sampler/tasks_easy": 1.0,
    }
    sampler.observe([outcome(n, 0) for n in range(10)] * 5)
    assert sampler.weights(POOL) == pytest.approx([0.1] * 10)  # the middle is empty


def poisoned(sampler: LearnabilitySampler, seed: int) -> tuple[list[PoolTask], dict[str, float]]:
    """A pool of 300, a tenth unsolvable and a tenth trivial, and each class's share of the last 22 updates.

    Five iterations of 22 updates of 16 prompts x 8; the other tasks pass with a rate between 0.1 and 0.9.
    """
    pool = [replace(POOL[0], id=f"p{n}") for n in range(300)]
    rng = random.Random(seed)
    rates = [0.0] * 30 + [1.0] * 30 + [rng.uniform(0.1, 0.9) for _ in range(240)]
    rate = {task.id: r for task, r in zip(pool, rates, strict=True)}
    drawn: Counter[str] = Counter()
    for number in range(5 * 22):
        tasks = sampler.draw(pool, 16, seed=rng.randrange(2**32))
        sampler.observe([outcome(t, sum(rng.random() < rate[t] for _ in range(8))) for t in tasks])
        if number >= 4 * 22:
            drawn.update(tasks)
    total = sum(drawn.values())
    names = {"unsolvable": pool[:30], "trivial": pool[30:60]}
    return pool, {name: sum(drawn[t.id] for t in tasks) / total for name, tasks in names.items()}


def test_in_a_poisoned_pool_unsolvable_and_trivial_tasks_get_no_more_than_their_floor_and_a_point() -> None:
    shares: Counter[str] = Counter()
    for seed in range(10):
        sampler = LearnabilitySampler(floor=0.2)
        pool, drawn = poisoned(sampler, seed)
        weights = sampler.weights(pool)
        # A tenth of the pool has a tenth of the floor: 0.2 x 0.1 = 2 points, and one more.
        assert sum(weights[:30]) <= 0.03 and sum(weights[30:60]) <= 0.03
        shares.update(drawn)
    assert shares["unsolvable"] / 10 <= 0.03 and shares["trivial"] / 10 <= 0.03


def test_replay_by_regret_is_what_a_poisoned_pool_fools() -> None:
    _, drawn = poisoned(PrioritizedReplaySampler(), seed=0)
    assert drawn["unsolvable"] > 0.2 and drawn["trivial"] < 0.1  # a tenth of the pool each


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_nothing_breaks_while_no_group_is_informative(sampler: type) -> None:
    made = sampler()
    for number in range(50):
        tasks = made.draw(POOL, 4, seed=number)
        made.observe([outcome(task, 0) for task in tasks])
        assert len(tasks) == 4 and sum(made.weights(POOL)) == pytest.approx(1)


def test_the_gate_drops_groups_of_equal_raw_reward_and_admits_a_group_of_one() -> None:
    gate = UnequalRewardGate()
    assert not gate.admit([1.0] * 8)
    assert not gate.admit([0.0] * 8)
    assert gate.admit([0.0] * 7 + [0.5])
    assert gate.admit([0.3])
    assert not gate.admit([])
    assert gate.metrics() == {"gate/dropped_share": 0.6}  # 3 of 5


def test_own_classes_plug_in_and_wrong_parameters_are_refused() -> None:
    path = "loop.curricula.samplers.learnability:LearnabilitySampler"
    made = make("sampler", Plugin(type=path, floor=1.0), "s")
    assert made.weights(POOL)[0] == pytest.approx(0.1)
    with pytest.raises(ConfigError, match=r"s\.flor: unknown key for 'sfl'; did you mean 'floor'\?"):
        make("sampler", Plugin(type="sfl", flor=0.5), "s")
    with pytest.raises(ConfigError, match=r"s: 'sfl' refused its parameters: floor=2 is outside \[0, 1\]"):
        make("sampler", Plugin(type="sfl", floor=2), "s")
    with pytest.raises(ConfigError, match=r"s\.floor: \[1\] does not do for 'sfl' \(Input should be a valid"):
        make("sampler", Plugin(type="sfl", floor=[1]), "s")
    with pytest.raises(ConfigError, match="cannot be imported"):
        make("sampler", Plugin(type="loop.nowhere:Sampler"), "s")


class OnlyWeights:
    """A sampler that somebody has begun to write."""

    def weights(self, pool: Sequence[PoolTask]) -> list[float]:
        return [1.0 / len(pool)] * len(pool)


def test_a_part_that_lacks_what_the_circle_will_ask_of_it_is_refused_at_once() -> None:
    config = Config.model_validate({"curriculum": {"sampler": f"{__name__}:OnlyWeights"}})
    lacking = "it lacks draw, load_state_dict, metrics, observe, state_dict; add them"
    with pytest.raises(ConfigError, match=f"^curriculum.sampler: '.*:OnlyWeights' is no sampler: {lacking}"):
        curriculum(config)


def test_a_report_that_no_grower_reads_is_refused() -> None:
    for grower in ("none", "random_worlds", "balanced_worlds", "task_scaling"):
        with pytest.raises(ConfigError, match=f"enrich has no effect, as grower {grower} reads no report"):
            curriculum(Config.model_validate({"curriculum": {"grower": grower, "report": "enrich"}}))
    curriculum(Config.model_validate({"curriculum": {"grower": "trace", "report": "enrich"}}))
