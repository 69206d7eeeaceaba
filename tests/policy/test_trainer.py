"""Updates: sampler and trainer agree, batch shapes do not matter, rewarded tokens become likelier."""

import jax
import numpy as np
import pytest

from policy.config import PRESETS, GrpoConfig, OptimizerConfig, PackingConfig
from policy.decoder import Params
from policy.errors import AgreementError
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
    before = trainer.gradients(params, pack(trainer.examples(scored), PACKING.width)).sums["loss"]
    state, _ = trainer.update(trainer.adopt(copied(params)), scored)
    assert state.version == 1
    after = trainer.gradients(state.params, pack(trainer.examples(scored), PACKING.width)).sums["loss"]
    assert float(after) < float(before)


def test_rows_of_a_micro_batch_and_order_of_episodes_do_not_change_the_gradient(
    trainer: Trainer, params: Params, scored: list[Scored]
) -> None:
    wide = Trainer(PRESETS["micro"], GrpoConfig(), PackingConfig(width=320, rows=1))
    here = trainer.gradients(params, pack(trainer.examples(scored), 160)).gradients
    there = wide.gradients(params, pack(wide.examples(scored[::-1]), 320)).gradients
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), here, there)


def test_a_second_epoch_leaves_the_sampler_behind(params: Params, scored: list[Scored]) -> None:
    config = GrpoConfig(epochs=2, minibatches=2, optimizer=OptimizerConfig(learning_rate=3e-3))
    trainer = Trainer(PRESETS["micro"], config, PACKING)
    state, metrics = trainer.update(trainer.adopt(copied(params)), scored)
    assert metrics["steps"] == 4
    assert metrics["tokens"] == 2 * sum(int(item.tokens.sampled.sum()) for item in scored)
    assert metrics["max_gap"] > metrics["agreement_gap"]
    assert state.version == 1


def test_a_penalty_for_leaving_the_reference_is_zero_at_the_reference(
    trainer: Trainer, params: Params, scored: list[Scored]
) -> None:
    held = Trainer(PRESETS["micro"], GrpoConfig(kl=0.5), PACKING)
    state, metrics = held.update(held.adopt(copied(params)), scored, reference=params)
    _, free = trainer.update(trainer.adopt(copied(params)), scored)
    assert metrics["loss"] == pytest.approx(free["loss"], abs=1e-5)
    with pytest.raises(ValueError, match="needs reference parameters"):
        held.update(state, scored)


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
