"""Updates: sampler and trainer agree, batch shapes do not matter, rewarded tokens become likelier."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from policy import gradients
from policy.config import PRESETS, GrpoConfig, OptimizerConfig, PackingConfig
from policy.decoder import Params, network
from policy.errors import AgreementError
from policy.grpo import clipped_objective
from policy.layout import loss_columns
from policy.packing import pack
from policy.rollout import RolloutEngine
from policy.trainer import Scored, Trainer
from tests.fakes_policy import toy_task
from tests.policy.conftest import PACKING


def copied(params: Params) -> Params:
    """Parameters that an update may consume."""
    return jax.tree.map(lambda leaf: leaf.copy(), params)


@pytest.fixture(scope="module")
def scored(engine: RolloutEngine, params: Params) -> list[Scored]:
    """Two groups of four, advantages of both signs."""
    requests = [toy_task(0, n, "direct").request(f"{n}/{k}") for n in range(2) for k in range(4)]
    rollouts = engine.run(params, requests, seed=0, version=0)
    return [Scored(rollout.tokens, 1.0 if n % 2 else -1.0) for n, rollout in enumerate(rollouts)]


def test_sampler_and_trainer_agree_to_five_decimals(
    trainer: Trainer, params: Params, scored: list[Scored]
) -> None:
    _, metrics = trainer.update(trainer.adopt(copied(params)), scored)
    assert metrics["agreement_gap"] <= 1e-5
    assert metrics["ratio"] == pytest.approx(1.0, abs=1e-5)
    assert metrics["clip_share"] == 0.0
    assert metrics["tokens"] == sum(int(item.tokens.sampled.sum()) for item in scored)


def test_the_first_update_refuses_log_probabilities_of_another_policy(
    params: Params, scored: list[Scored]
) -> None:
    off = [Scored(item.tokens._replace(logp=item.tokens.logp - 0.01), 1.0) for item in scored]
    trainer = Trainer(PRESETS["micro"], GrpoConfig(), PACKING)
    with pytest.raises(AgreementError, match="sampler and trainer disagree"):
        trainer.update(trainer.adopt(copied(params)), off)


def test_rewarded_tokens_become_likelier_and_punished_ones_less_likely(
    trainer: Trainer, params: Params, scored: list[Scored]
) -> None:
    before = trainer.gradients(params, pack(trainer.examples(scored, 0), PACKING.width)).sums["loss"]
    state, _ = trainer.update(trainer.adopt(copied(params)), scored)
    assert state.version == 1
    after = trainer.gradients(state.params, pack(trainer.examples(scored, 0), PACKING.width)).sums["loss"]
    assert float(after) < float(before)


def test_rows_of_a_micro_batch_and_order_of_episodes_do_not_change_the_gradient(
    trainer: Trainer, params: Params, scored: list[Scored]
) -> None:
    wide = Trainer(PRESETS["micro"], GrpoConfig(), PackingConfig(width=320, rows=1))
    here = trainer.gradients(params, pack(trainer.examples(scored, 0), 160)).gradients
    there = wide.gradients(params, pack(wide.examples(scored[::-1], 0), 320)).gradients
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), here, there)


def test_a_second_epoch_leaves_the_sampler_behind(params: Params, scored: list[Scored]) -> None:
    config = GrpoConfig(epochs=2, minibatches=2, optimizer=OptimizerConfig(learning_rate=3e-3))
    trainer = Trainer(PRESETS["micro"], config, PACKING)
    state, metrics = trainer.update(trainer.adopt(copied(params)), scored)
    assert metrics["steps"] == 4
    assert metrics["tokens"] == 2 * sum(int(item.tokens.sampled.sum()) for item in scored)
    assert metrics["max_gap"] > metrics["agreement_gap"]
    assert state.version == 1


def test_a_penalty_for_leaving_the_reference_is_zero_at_the_reference_and_holds_on_to_it(
    trainer: Trainer, params: Params, scored: list[Scored]
) -> None:
    held = Trainer(PRESETS["micro"], GrpoConfig(kl=0.5), PACKING)
    state, metrics = held.update(held.adopt(copied(params)), scored)
    _, free = trainer.update(trainer.adopt(copied(params)), scored)
    assert metrics["loss"] == pytest.approx(free["loss"], abs=1e-5)
    assert state.reference is not None
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), state.reference, params))
    with pytest.raises(ValueError, match="needs reference parameters"):
        held.update(state._replace(reference=None), scored)


def test_a_bonus_for_entropy_is_its_mean_over_tokens(params: Params, scored: list[Scored]) -> None:
    plain, eager = (
        Trainer(PRESETS["micro"], GrpoConfig(aggregation="token", entropy=share), PACKING)
        for share in (0.0, 0.5)
    )
    _, without = plain.update(plain.adopt(copied(params)), scored)
    _, with_it = eager.update(eager.adopt(copied(params)), scored)
    assert with_it["loss"] == pytest.approx(without["loss"] - 0.5 * without["entropy"], abs=1e-5)


def older(item: Scored, by: float) -> Scored:
    """A trace of which three quarters were sampled by parameters that found them e^-by times as likely."""
    early = np.arange(len(item.tokens.ids)) < len(item.tokens.ids) * 0.75
    logp = np.where(early & item.tokens.sampled, item.tokens.logp - by, item.tokens.logp)
    version = np.where(early, 3, 5).astype(np.int32)
    return item._replace(tokens=item.tokens._replace(logp=logp.astype(np.float32), version=version))


def test_tokens_of_older_parameters_are_weighed_by_their_importance_and_others_are_not(
    params: Params, scored: list[Scored]
) -> None:
    mixed = [older(item, np.log(1.5)) for item in scored]
    trainer = Trainer(PRESETS["micro"], GrpoConfig(aggregation="token"), PACKING)
    state = trainer.adopt(params)._replace(version=5)
    packed = trainer._ready(state, pack(trainer.examples(mixed, 5), PACKING.width))
    plain = pack(trainer.examples(scored, 0), PACKING.width)
    stale, used = (packed.age > 0) & (packed.weight > 0), packed.weight > 0
    assert 0 < stale.sum() < used.sum()
    assert set(packed.age[used].tolist()) == {0.0, 2.0}
    # 1.5 times as likely now as then: the advantage counts 1.5 times, and the ratio begins at 1.
    np.testing.assert_allclose(packed.advantage[stale], 1.5 * plain.advantage[stale], rtol=1e-4)
    np.testing.assert_array_equal(packed.advantage[used & ~stale], plain.advantage[used & ~stale])
    np.testing.assert_allclose(packed.logp[used], plain.logp[used], atol=1e-4)
    _, metrics = trainer.update(trainer.adopt(copied(params))._replace(version=5), mixed)
    assert metrics["stale_share"] == pytest.approx(stale.sum() / used.sum())
    assert metrics["max_age"] == 2.0 and metrics["ratio"] == pytest.approx(1.0, abs=1e-4)


def test_without_a_cap_the_ratio_of_an_older_token_is_taken_against_its_sampler(
    params: Params, scored: list[Scored]
) -> None:
    mixed = [older(item, np.log(1.5)) for item in scored]
    trainer = Trainer(PRESETS["micro"], GrpoConfig(importance_cap=None), PACKING)
    _, metrics = trainer.update(trainer.adopt(copied(params))._replace(version=5), mixed)
    assert metrics["max_ratio"] == pytest.approx(1.5, rel=1e-4)
    assert 0 < metrics["clip_share"] < 1  # 1.5 > 1.28 where the advantage is above 0


def test_logits_in_parts_give_the_gradient_of_logits_at_once(params: Params, scored: list[Scored]) -> None:
    config = GrpoConfig(entropy=0.1)
    at_once, in_parts = (
        Trainer(PRESETS["micro"], config, PackingConfig(width=160, rows=2, loss_columns=columns))
        for columns in (160, 32)
    )
    packed = pack(at_once.examples(scored, 0), 160)
    one, many = at_once.gradients(params, packed), in_parts.gradients(params, packed)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-6), one.gradients, many.gradients)
    for name, value in one.sums.items():
        assert float(many.sums[name]) == pytest.approx(float(value), rel=1e-5, abs=1e-6), name


def test_the_gradient_is_that_of_the_whole_objective_differentiated_at_once(
    trainer: Trainer, params: Params, scored: list[Scored]
) -> None:
    packed = pack(trainer.examples(scored, 0), PACKING.width)

    def loss(params: Params) -> jax.Array:
        hidden = gradients.stream(PRESETS["micro"], params, packed)
        logits = network(PRESETS["micro"], params).logits(hidden)
        logp = jnp.take_along_axis(jax.nn.log_softmax(logits), packed.target[..., None], axis=-1)[..., 0]
        return -jnp.sum(packed.weight * clipped_objective(logp, packed.logp, packed.advantage, 0.2, 0.28))

    value, expected = jax.jit(jax.value_and_grad(loss))(params)
    found = trainer.gradients(params, packed)
    assert float(found.sums["loss"]) == pytest.approx(float(value), abs=1e-6)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-6), found.gradients, expected)


def test_matrices_in_bfloat16_give_nearly_the_same_log_probabilities(
    params: Params, scored: list[Scored], trainer: Trainer
) -> None:
    packed = pack(trainer.examples(scored, 0), PACKING.width)
    exact = gradients.target_logp(PRESETS["micro"], params, packed, jnp.float32(1.0))
    rough = gradients.target_logp(PRESETS["micro"], gradients.in_bfloat16(params), packed, jnp.float32(1.0))
    gap = float(np.max(np.abs(np.asarray(exact - rough)) / (1 + np.abs(exact))))
    assert 0 < gap < 5e-2
    lowered = PRESETS["micro"].model_copy(update={"compute": "bfloat16"})
    if jax.default_backend() == "cpu":
        assert gradients.lowered(lowered, params) is params


def test_equal_updates_give_equal_parameters(trainer: Trainer, params: Params, scored: list[Scored]) -> None:
    first, _ = trainer.update(trainer.adopt(copied(params)), scored)
    second, _ = trainer.update(trainer.adopt(copied(params)), scored)
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), first.params, second.params))


@pytest.mark.parametrize("name", ["adam", "muon"])
def test_both_optimizers_move_every_parameter_that_has_a_gradient(
    name: str, params: Params, scored: list[Scored]
) -> None:
    trainer = Trainer(PRESETS["micro"], GrpoConfig(optimizer=OptimizerConfig(name=name)), PACKING)
    state, _ = trainer.update(trainer.adopt(copied(params)), scored)
    moved = jax.tree.map(lambda a, b: bool((a != b).any()), state.params, params)
    assert jax.tree.all(moved)


def test_an_episode_whose_prompt_alone_is_too_long_is_left_out(scored: list[Scored]) -> None:
    trace = scored[0].tokens
    unsaid = trace._replace(sampled=np.zeros_like(trace.sampled))
    config = GrpoConfig(group_size=1)
    short = Trainer(PRESETS["micro"], config, PackingConfig(width=160, rows=2))
    assert len(short.examples([Scored(unsaid, 1.0), *scored], version=0)) == len(scored)
    assert short.examples([Scored(unsaid, 1.0)], version=0) == []


@pytest.mark.parametrize("config", [{}, {"epochs": 2, "minibatches": 3}, {"kl": 0.1}])
def test_an_update_in_which_nothing_was_sampled_raises_the_version_and_changes_nothing_else(
    config: dict[str, Any], params: Params, scored: list[Scored]
) -> None:
    def unsaid(item: Scored) -> Scored:
        return item._replace(tokens=item.tokens._replace(sampled=np.zeros_like(item.tokens.sampled)))

    trainer = Trainer(PRESETS["micro"], GrpoConfig(group_size=1, **config), PACKING)
    # momentum from an update before, which a step without a gradient would go on with
    began, _ = trainer.update(trainer.adopt(copied(params)), scored)
    held = [np.array(leaf) for leaf in jax.tree.leaves(began._replace(version=0))]
    for episodes in ([unsaid(item) for item in scored], []):
        after, metrics = trainer.update(began, episodes)
        assert (began.version, after.version) == (1, 2)
        assert metrics == {"steps": 0.0, "tokens": 0.0}
        now = jax.tree.leaves(after._replace(version=0))
        assert len(now) == len(held) and all(map(np.array_equal, held, now))


def test_an_update_in_which_nothing_was_sampled_does_not_pass_for_agreement(
    params: Params, scored: list[Scored]
) -> None:
    off = [Scored(item.tokens._replace(logp=item.tokens.logp - 0.01), 1.0) for item in scored]
    unsaid = [
        item._replace(tokens=item.tokens._replace(sampled=np.zeros_like(item.tokens.sampled)))
        for item in scored
    ]
    trainer = Trainer(PRESETS["micro"], GrpoConfig(group_size=1), PACKING)
    state, _ = trainer.update(trainer.adopt(copied(params)), unsaid)
    younger = [
        item._replace(tokens=item.tokens._replace(version=item.tokens.version + state.version))
        for item in off
    ]
    with pytest.raises(AgreementError, match="sampler and trainer disagree"):
        trainer.update(state, younger)


@pytest.mark.parametrize(
    ("width", "wanted", "columns"),
    [(256, 64, 64), (240, 64, 60), (3000, 64, 60), (8190, 64, 63), (48, 64, 48), (251, 64, 251)],
)
def test_logits_are_computed_for_as_many_columns_as_divide_a_row(
    width: int, wanted: int, columns: int
) -> None:
    assert loss_columns(width, wanted) == columns  # 251 is a prime: in one go
