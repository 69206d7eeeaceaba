"""The GRPO objective: pure functions of log-probabilities and advantages, and how tokens are weighed.

The denominator of an aggregation counts the tokens of the whole update, not of a micro-batch, so that
gradient accumulation changes nothing. The clipping range is asymmetric (DAPO, arXiv 2503.14476).
"""

from collections.abc import Sequence
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np

from policy.errors import AgreementError

Aggregation = Literal["token", "sequence", "dr"]


def clipped_objective(
    logp: jax.Array, old: jax.Array, advantage: jax.Array, clip_low: float, clip_high: float
) -> jax.Array:
    """min(ρ A, clip(ρ, 1 - ε_low, 1 + ε_high) A) per token, ρ = exp(logp - old) (PPO, arXiv 1707.06347)."""
    ratio = jnp.exp(logp - old)
    return jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - clip_low, 1 + clip_high) * advantage)


def clipped(
    logp: jax.Array, old: jax.Array, advantage: jax.Array, clip_low: float, clip_high: float
) -> jax.Array:
    """Which tokens have no gradient: their ratio left the range on the side the advantage pushes to."""
    ratio = jnp.exp(logp - old)
    return jnp.where(advantage > 0, ratio > 1 + clip_high, (advantage < 0) & (ratio < 1 - clip_low))


def k3_divergence(logp: jax.Array, reference: jax.Array) -> jax.Array:
    """The k3 estimate of KL(policy || reference) per token: e^d - d - 1 with d = reference - logp; never
    negative."""
    difference = reference - logp
    return jnp.exp(difference) - difference - 1.0


def truncated_importance(trainer: np.ndarray, sampler: np.ndarray, cap: float) -> np.ndarray:
    """min(exp(trainer - sampler), cap) per token: how much likelier the token is to those that learn from it.

    Of log-probabilities of tokens that older parameters sampled, under the present and under the older ones
    (truncated importance sampling, arXiv 1802.01561; decoupled from the clipped ratio, arXiv 2110.00641).
    """
    return np.exp(np.minimum(trainer - sampler, np.log(cap)))


def token_weights(counts: Sequence[int], aggregation: Aggregation, token_budget: int) -> np.ndarray:
    """What one sampled token of each episode weighs in the update: `counts` [n] sampled tokens -> [n]
    float32.

    `token`: 1 / all tokens. `sequence`: every episode weighs the same, 1 / (n · its tokens). `dr`: 1 / (n ·
    budget), which rewards neither short nor long episodes (Dr. GRPO).
    """
    lengths = np.maximum(np.asarray(counts, np.float32), 1.0)
    if aggregation == "token":
        return np.full(len(lengths), 1.0 / max(float(np.sum(counts)), 1.0), np.float32)
    per_episode = lengths if aggregation == "sequence" else np.full_like(lengths, token_budget)
    return (1.0 / (len(lengths) * per_episode)).astype(np.float32)


def check_agreement(gap: float, tolerance: float) -> None:
    """Raise AgreementError when sampler and trainer disagree about any token.

    `gap` is the largest |trainer - sampler| / (1 + |sampler|) of log-probabilities, so that `tolerance` is
    absolute and relative, as in numpy.allclose.
    """
    if not gap <= tolerance:
        raise AgreementError(
            f"sampler and trainer disagree by {gap:.2e} about the log-probability of a sampled token "
            f"(allowed {tolerance:.0e}): policy gradients would be silently wrong; check that both ran the "
            f"same parameters, temperature and token ids"
        )
