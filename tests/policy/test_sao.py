"""SAO by hand: which tokens count, how credit runs back, and what the critic may change."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from policy import critic, gradients
from policy.checkpoint import CheckpointStore
from policy.config import PRESETS, CriticConfig, OptimizerConfig, SaoConfig
from policy.critic import critic_of
from policy.decoder import Params
from policy.errors import AgreementError
from policy.packing import Example, batches, pack
from policy.rollout import RolloutEngine
from policy.sao import (
    Episodes,
    episodes_of,
    length_decay,
    masked_objective,
    token_advantages,
    weighed,
    within,
)
from policy.sao_trainer import Rewarded, SaoTrainer
from policy.state import TrainState
from tests.fakes_policy import toy_task
from tests.policy.conftest import PACKING

NONE = SaoConfig(critic=CriticConfig(warmup_updates=0), negative_weight=1.0)


def copied(params: Params) -> Params:
    """Parameters that an update may consume."""
    return jax.tree.map(lambda leaf: leaf.copy(), params)


def row(*marks: str) -> Episodes:
    """Columns of one row: `.` is not sampled, `s` sampled, `e` the last of its episode."""
    sampled = np.array([[mark != "." for mark in marks]])
    last = np.array([[mark == "e" for mark in marks]])
    return Episodes(sampled, last, sampled.astype(np.int32))


def test_a_token_outside_the_range_is_masked_whatever_its_advantage() -> None:
    ratios = jnp.array([1.0, 1.2, 1.3, 0.85, 0.75, 1.3, 0.75])
    advantage = jnp.array([2.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0])
    # Within [0.8, 1.28]: 1.0 x 2, 1.2 x 1, 0.85 x -1; the other four are out of it, on either side.
    expected = [2.0, 1.2, 0.0, -0.85, 0.0, 0.0, 0.0]
    for run in (masked_objective, jax.jit(masked_objective)):
        np.testing.assert_allclose(
            run(jnp.log(ratios), jnp.zeros(7), advantage, 0.2, 0.28), expected, rtol=1e-6
        )
    kept = within(jnp.log(ratios), jnp.zeros(7), 0.2, 0.28)
    assert np.asarray(kept).tolist() == [True, True, False, True, False, False, False]


def test_a_masked_token_has_no_gradient_where_a_clipped_one_is_pulled_back() -> None:
    def total(logp: jax.Array) -> jax.Array:
        return jnp.sum(masked_objective(logp, jnp.zeros(4), jnp.array([1.0, -1.0, 1.0, 1.0]), 0.2, 0.28))

    # At ratio 1 the gradient is the advantage; e^-1 = 0.37, e^1 = 2.7 and e^200 = inf are out of range.
    found = jax.grad(total)(jnp.array([0.0, 1.0, -1.0, 200.0]))
    np.testing.assert_allclose(found, [1.0, 0.0, 0.0, 0.0], atol=1e-6)


def test_the_decay_of_the_actor_follows_from_the_length() -> None:
    # 1 - 1 / (1.5 x 10) = 14/15; 1 - 1 / (1.5 x 2) = 2/3; of one token 1/3; with α = 0.5 never below 0.
    np.testing.assert_allclose(length_decay(np.array([10, 2, 1]), 1.5), [14 / 15, 2 / 3, 1 / 3])
    assert length_decay(np.array([1, 2, 4]), 0.5).tolist() == [0.0, 0.0, 0.5]


def test_credit_runs_back_over_sampled_tokens_and_skips_observations() -> None:
    episodes = row(".", "s", ".", ".", "s", "e", ".")
    values = np.array([[9.0, 0.5, 9.0, 9.0, 0.25, 0.75, 9.0]])
    rewards = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]])
    # λ 0.5, γ 1: last 1 - 0.75 = 0.25; before 0.75 - 0.25 + 0.5 x 0.25 = 0.625;
    # first 0.25 - 0.5 + 0.5 x 0.625 = 0.0625. The values at observations, 9, are never read.
    expected = [[0.0, 0.0625, 0.0, 0.0, 0.625, 0.25, 0.0]]
    np.testing.assert_allclose(token_advantages(rewards, values, episodes, 1.0, 0.5), expected, atol=1e-7)
    # γ 0.5, λ 1: 0.25; 0.375 - 0.25 + 0.5 x 0.25 = 0.25; 0.125 - 0.5 + 0.5 x 0.25 = -0.25.
    expected = [[0.0, -0.25, 0.0, 0.0, 0.25, 0.25, 0.0]]
    np.testing.assert_allclose(token_advantages(rewards, values, episodes, 0.5, 1.0), expected, atol=1e-7)


def test_with_a_decay_of_one_the_return_of_every_token_is_the_reward() -> None:
    rng = np.random.default_rng(0)
    episodes = row("s", ".", "s", "e", "s", ".", "e", ".")
    values = rng.normal(size=(1, 8))
    rewards = np.array([[0, 0, 0, 0.75, 0, 0, 0.5, 0]])
    returns = np.where(episodes.sampled, values + token_advantages(rewards, values, episodes, 1.0, 1.0), 0)
    # Two episodes in a row: what the second earns never reaches the first.
    np.testing.assert_allclose(returns, [[0.75, 0, 0.75, 0.75, 0.5, 0, 0.5, 0]], atol=1e-6)


def test_with_a_decay_of_zero_an_advantage_is_the_next_surprise_alone() -> None:
    episodes = row("s", "s", "e")
    values, rewards = np.array([[0.2, 0.5, 0.4]]), np.array([[0.0, 0.0, 1.0]])
    # 0.5 - 0.2, 0.4 - 0.5, 1 - 0.4
    np.testing.assert_allclose(
        token_advantages(rewards, values, episodes, 1.0, 0.0), [[0.3, -0.1, 0.6]], atol=1e-6
    )


def test_only_advantages_below_zero_are_weighed() -> None:
    assert weighed(np.array([1.0, -1.0, 0.0, -0.5]), 0.5).tolist() == [1.0, -0.5, 0.0, -0.25]


def example(prompt: list[int], said: list[int], reward: float) -> Example:
    ids = np.array([*prompt, *said], np.int32)
    sampled = np.arange(len(ids)) >= len(prompt)
    return Example(ids, sampled, np.zeros(len(ids), np.float32), 0.0, 1.0, reward)


def test_the_reward_lies_on_the_last_sampled_token_of_every_branch() -> None:
    seen = example([1, 2, 3], [10, 11, 12], 0.5)
    seen = seen._replace(sampled=np.array([0, 0, 0, 1, 0, 1], bool))  # 11 is an observation
    packed = pack([seen, example([1, 2, 3], [20], 0.25)], width=10)
    # ids 1 2 | 3 10 11 12 | 3 20: column 4 (11) predicts 12, and column 6 (the second 3) predicts 20.
    assert packed.ids[0].tolist() == [1, 2, 3, 10, 11, 12, 3, 20, 0, 0]
    assert packed.reward[0].tolist() == [0, 0, 0, 0, 0.5, 0, 0.25, 0, 0, 0]
    episodes = episodes_of(packed)
    assert np.flatnonzero(episodes.sampled[0]).tolist() == [2, 4, 6]
    assert np.flatnonzero(episodes.last[0]).tolist() == [4, 6]
    assert episodes.length[0].tolist() == [0, 0, 2, 0, 2, 0, 1, 0, 0, 0]


def test_a_critic_begins_at_zero_and_learns_everything_but_its_attention(params: Params) -> None:
    decoder, optimizer = PRESETS["micro"], OptimizerConfig(name="adam", learning_rate=1e-2)
    state = critic_of(params, optimizer)
    packed = pack([example([5, 6], [7, 8, 9], 1.0), example([6, 5], [9, 8, 7], 0.0)], PACKING.width)
    returns = packed._replace(reward=np.where(packed.trunk == 1, 1.0, 0.0).astype(np.float32))
    (batch,) = batches(returns, PACKING.rows)
    assert not np.asarray(critic.values(decoder, state.learned, state.frozen, batch)).any()
    assert "attention" not in state.learned["blocks"][0] and "query" in state.frozen[0]["attention"]
    progress = critic.accumulate(
        decoder, state.learned, state.frozen, gradients.nothing_yet(state.learned, critic.SUMS), batch
    )
    # Six tokens of weight 1; three of them fall short of 1 by 1: 3 x 0.5 x 1².
    assert float(progress.sums["value_loss"]) == pytest.approx(1.5)
    told = critic.summary(progress.sums)
    assert told["return"] == pytest.approx(0.5) and told["value"] == 0.0
    assert told["explained"] == pytest.approx(0.0, abs=1e-6)


@pytest.fixture(scope="module")
def rewarded(engine: RolloutEngine, params: Params) -> list[Rewarded]:
    """Eight single episodes, every other one rewarded."""
    requests = [toy_task(0, n, "direct").request(f"{n}") for n in range(8)]
    rollouts = engine.run(params, requests, seed=0, version=0)
    return [Rewarded(rollout.tokens, float(n % 2)) for n, rollout in enumerate(rollouts)]


def equal(first: object, second: object) -> bool:
    same = jax.tree.map(lambda a, b: np.asarray(a).tobytes() == np.asarray(b).tobytes(), first, second)
    return jax.tree.all(same)


@pytest.fixture(scope="module")
def sao() -> SaoTrainer:
    return SaoTrainer(PRESETS["micro"], NONE, PACKING)


def test_an_update_moves_actor_and_critic_and_leaves_the_critics_attention(
    sao: SaoTrainer, params: Params, rewarded: list[Rewarded]
) -> None:
    before = sao.adopt(copied(params))
    frozen, learned = copied(before.critic.frozen), copied(before.critic.learned)  # type: ignore[union-attr]
    state, metrics = sao.update(before, rewarded)
    assert state.critic is not None and state.version == 1
    assert metrics["agreement_gap"] <= 1e-5 and metrics["clip_share"] == 0.0
    assert equal(state.critic.frozen, frozen)
    moved = jax.tree.map(lambda a, b: bool((a != b).any()), state.critic.learned, learned)
    assert moved["value"]["weight"] and moved["blocks"][0]["hidden"]["up"]
    assert not equal(state.params, params)
    # Half of the episodes earn 1; the critic began at 0.
    tokens = np.array([int(item.tokens.sampled.sum()) for item in rewarded])
    assert metrics["return"] == pytest.approx(tokens[1::2].sum() / tokens.sum(), abs=1e-5)
    assert metrics["value"] == 0.0


def test_while_the_critic_warms_up_the_policy_stays_as_it_is(
    params: Params, rewarded: list[Rewarded]
) -> None:
    config = NONE.model_copy(update={"critic": CriticConfig(warmup_updates=2)})
    sao = SaoTrainer(PRESETS["micro"], config, PACKING)
    state = sao.adopt(copied(params))
    for _ in range(2):
        state, metrics = sao.update(state, rewarded)
        assert metrics["actor_steps"] == 0.0 and equal(state.params, params)
        assert "loss" not in metrics and "value_loss" in metrics
    state, metrics = sao.update(state, rewarded)
    assert metrics["actor_steps"] == 1.0 and not equal(state.params, params)


def test_the_critic_comes_to_tell_which_episodes_are_rewarded(
    params: Params, rewarded: list[Rewarded]
) -> None:
    slow = CriticConfig(
        warmup_updates=100, passes=4, optimizer=OptimizerConfig(name="adam", learning_rate=1e-2)
    )
    sao = SaoTrainer(PRESETS["micro"], NONE.model_copy(update={"critic": slow}), PACKING)
    state = sao.adopt(copied(params))
    for _ in range(10):
        state, metrics = sao.update(state, rewarded)
    assert metrics["explained"] > 0.5


def test_a_resumed_run_of_sao_equals_one_that_was_not_stopped(
    sao: SaoTrainer, params: Params, rewarded: list[Rewarded], tmp_path: Path
) -> None:
    state, _ = sao.update(sao.adopt(copied(params)), rewarded)
    store = CheckpointStore(tmp_path)
    store.save(1, state, {})
    straight, told = sao.update(state, rewarded)
    template: TrainState = sao.init(5)
    resumed, told_again = sao.update(store.load(1, template)[0], rewarded)
    assert equal(resumed, straight) and told == told_again


def test_a_sampler_that_disagrees_is_refused_while_the_critic_warms_up(
    params: Params, rewarded: list[Rewarded]
) -> None:
    sao = SaoTrainer(PRESETS["micro"], SaoConfig(), PACKING)
    off = [item._replace(tokens=item.tokens._replace(logp=item.tokens.logp - 0.01)) for item in rewarded]
    with pytest.raises(AgreementError, match="sampler and trainer disagree"):
        sao.update(sao.adopt(copied(params)), off)


def test_an_update_in_which_nothing_was_sampled_moves_neither_actor_nor_critic(
    sao: SaoTrainer, params: Params, rewarded: list[Rewarded]
) -> None:
    unsaid = [
        item._replace(tokens=item.tokens._replace(sampled=np.zeros_like(item.tokens.sampled)))
        for item in rewarded
    ]
    began, _ = sao.update(sao.adopt(copied(params)), rewarded)  # momentum, which would go on
    held = jax.tree.map(np.array, began._replace(version=0))
    for episodes in (unsaid, []):
        after, metrics = sao.update(began, episodes)
        assert (after.version, metrics) == (2, {"actor_steps": 0.0})
        assert equal(after._replace(version=0), held)


def test_a_state_without_a_critic_is_refused(sao: SaoTrainer, params: Params) -> None:
    with pytest.raises(ValueError, match="SAO needs a critic"):
        sao.update(TrainState(params, (), 0), [])
