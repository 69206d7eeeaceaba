"""Advantages and the clipped objective, by hand."""

from collections.abc import Callable
from typing import get_args

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy.advantages import Normalisation, group_advantages, update_advantages
from policy.config import GrpoConfig, SaoConfig
from policy.errors import AgreementError
from policy.grpo import (
    Aggregation,
    check_agreement,
    clipped,
    clipped_objective,
    k3_divergence,
    token_weights,
    truncated_importance,
)

COMPILED = jax.jit(group_advantages)
PLAIN_AND_COMPILED = pytest.mark.parametrize("compiled", [False, True])


def maybe(function: Callable, compiled: bool, *static: str) -> Callable:
    return jax.jit(function, static_argnames=static) if compiled else function


def test_episodes_alone_in_their_group_are_compared_with_each_other() -> None:
    found = update_advantages([[1.0], [0.0, 1.0], [0.0], [0.0], [1.0]], "dr", 0.5)
    singles = 0.5, -0.25  # 1 - 2 / 4, and half of 0 - 2 / 4
    assert [float(a[0]) for a in found if len(a) == 1] == [singles[0], singles[1], singles[1], singles[0]]
    assert found[1].tolist() == [-0.25, 0.5]  # a group of its own
    assert update_advantages([]) == []


@PLAIN_AND_COMPILED
def test_group_advantages_are_standard_scores_of_the_group(compiled: bool) -> None:
    run = maybe(group_advantages, compiled, "normalisation")
    rewards = jnp.array([[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]])
    # First group: mean 1/4, variance (9/16 + 3/16) / 4 = 3/16, std 0.4330; 0.75 / 0.4330 = 1.7321.
    expected = [[1.7321, -0.5774, -0.5774, -0.5774], [0.0, 0.0, 0.0, 0.0]]
    np.testing.assert_allclose(run(rewards, normalisation="group"), expected, atol=1e-4)
    expected = [[0.75, -0.25, -0.25, -0.25], [0.0, 0.0, 0.0, 0.0]]
    np.testing.assert_allclose(run(rewards, normalisation="dr"), expected, atol=1e-6)


def test_a_negative_weight_scales_the_worse_members_alone() -> None:
    """Rewards 0, 1: mean 0.5, std 0.5, so advantages -1 and 1; a fifth of -1 is -0.2."""
    found = group_advantages(jnp.array([0.0, 1.0]), "group", 0.2)
    np.testing.assert_allclose(found, [-0.2, 1.0], atol=1e-5)
    np.testing.assert_allclose(group_advantages(jnp.array([0.0, 1.0]), "dr", 0.0), [0.0, 0.5], atol=1e-6)


@pytest.mark.parametrize("rewards", [[0.7], [0.9179097] * 3, [0.1] * 8])
def test_a_group_of_one_or_of_equals_has_no_advantage(rewards: list[float]) -> None:
    # In float32 the mean of three times 0.9179097 is another number.
    assert np.asarray(group_advantages(jnp.array(rewards))).tolist() == [0.0] * len(rewards)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 20), min_size=8, max_size=8), st.permutations(range(8)))
def test_advantages_sum_to_zero_and_follow_the_order(twentieths: list[int], order: list[int]) -> None:
    rewards = np.array(twentieths, np.float32) / 20
    advantages = np.asarray(COMPILED(rewards))
    np.testing.assert_allclose(np.asarray(COMPILED(rewards[order])), advantages[order], atol=1e-3)
    assert abs(advantages.sum()) < 1e-3


@PLAIN_AND_COMPILED
def test_the_objective_is_clipped_on_the_side_the_advantage_pushes_to(compiled: bool) -> None:
    run = maybe(clipped_objective, compiled)
    ratios, advantage = np.array([1.5, 0.5, 1.5, 0.5, 1.0]), np.array([1.0, 1.0, -1.0, -1.0, 2.0])
    # min(1.5, 1.28), min(0.5, 0.8), min(-1.5, -1.28), min(-0.5, -0.8), 1.0 * 2
    expected = [1.28, 0.5, -1.5, -0.8, 2.0]
    objective = run(jnp.log(ratios), jnp.zeros(5), advantage, 0.2, 0.28)
    np.testing.assert_allclose(objective, expected, rtol=1e-5)
    without_gradient = clipped(jnp.log(ratios), jnp.zeros(5), advantage, 0.2, 0.28)
    assert np.asarray(without_gradient).tolist() == [True, False, False, True, False]


def test_on_policy_the_gradient_is_that_of_plain_policy_gradient() -> None:
    old = jnp.array([-1.0, -2.0])
    advantage = jnp.array([1.0, -0.5])
    gradient = jax.grad(lambda logp: jnp.sum(clipped_objective(logp, old, advantage, 0.2, 0.28)))(old)
    np.testing.assert_allclose(gradient, advantage)


@PLAIN_AND_COMPILED
def test_the_divergence_estimate_is_zero_at_the_reference_and_positive_elsewhere(compiled: bool) -> None:
    run = maybe(k3_divergence, compiled)
    # e^d - d - 1 is 0 at d = 0, 2 - 0.6931 - 1 at d = ln 2, and 0.5 + 0.6931 - 1 at d = -ln 2.
    reference = jnp.array([-1.0, -1.0 + np.log(2), -1.0 - np.log(2)])
    np.testing.assert_allclose(run(jnp.full(3, -1.0), reference), [0.0, 0.306853, 0.193147], atol=1e-5)


def test_token_weights_of_each_aggregation() -> None:
    # 2 + 6 = 8 tokens; two episodes; a budget of 10.
    np.testing.assert_allclose(token_weights([2, 6], "token", 10), [1 / 8, 1 / 8])
    np.testing.assert_allclose(token_weights([2, 6], "sequence", 10), [1 / 4, 1 / 12])
    np.testing.assert_allclose(token_weights([2, 6], "dr", 10), [1 / 20, 1 / 20])


def test_the_importance_of_an_older_token_is_its_ratio_up_to_the_cap() -> None:
    # Half as likely now, as likely, 1.5 times, 3 times (cut to 2), and e^1000, which is no number in float32.
    trainer = np.log(np.array([0.05, 0.1, 0.15, 0.3], np.float32))
    sampler = np.log(np.full(4, 0.1, np.float32))
    np.testing.assert_allclose(truncated_importance(trainer, sampler, 2.0), [0.5, 1.0, 1.5, 2.0], rtol=1e-5)
    far = truncated_importance(np.zeros(1, np.float32), np.full(1, -1000.0, np.float32), 2.0)
    np.testing.assert_allclose(far, [2.0], rtol=1e-6)


def test_disagreement_of_sampler_and_trainer_stops_training() -> None:
    check_agreement(9e-6, 1e-5)
    with pytest.raises(AgreementError, match=r"disagree by 1\.10e-05"):
        check_agreement(1.1e-5, 1e-5)
    with pytest.raises(AgreementError):
        check_agreement(float("nan"), 1e-5)


def test_the_choices_of_a_configuration_are_those_that_are_computed() -> None:
    def choices(config: type, name: str) -> tuple[str, ...]:
        return get_args(config.model_fields[name].annotation)

    assert choices(GrpoConfig, "normalisation") == get_args(Normalisation)
    assert choices(GrpoConfig, "aggregation") == choices(SaoConfig, "aggregation") == get_args(Aggregation)
