"""Single-rollout asynchronous optimisation (SAO, arXiv 2607.07508): masked ratios and token advantages.

Pure functions of log-probabilities, rewards and values. One episode of a prompt is enough, because a critic
(`policy.critic`) stands where GRPO has the other members of a group. Dimensions: w columns of a packed row,
of which an episode's are contiguous and in their order. Deliberate deviations, and what the text leaves open:

1. The length in the actor's λ = 1 - 1 / (α length) is the number of tokens that the policy *sampled* in the
   episode, because the recursion runs over those alone. λ is never below 0.
2. Advantages are those of the critic as it was before the update that learns from the same episodes.
3. Advantages are not standardised over an update; those below 0 are multiplied by `negative_weight`, as in
   this project's GRPO (1 is as published).
4. The critic's loss is half the squared error, without clipping against its earlier values.
5. The defaults ε 0.2 / 0.28 and 20 updates of warm-up are AgentMercury's (arXiv 2608.20634); the paper of SAO
   itself has 0.3 / 5.0 or 0.8 / 3.0, and 10. The default optimizer is this project's Muon.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from policy.packing import Rows


class Episodes(NamedTuple):
    """What the recursion needs to know of packed episodes, [n, w] each, at the columns that predict a sampled
    token."""

    sampled: np.ndarray  # bool: the policy chose the next token; elsewhere are observations, prompts, padding
    last: np.ndarray  # bool: the next token is the last one that the episode sampled
    length: np.ndarray  # int32 sampled tokens of the episode; 0 where not sampled


def episodes_of(packed: Rows) -> Episodes:
    """Where the episodes of packed rows begin and end; every branch of a row is one."""
    sampled = packed.weight > 0
    last, length = np.zeros(sampled.shape, bool), np.zeros(sampled.shape, np.int32)
    for row in range(len(sampled)):
        for branch in range(1, int(packed.branch[row].max()) + 1):
            (columns,) = np.nonzero(sampled[row] & (packed.branch[row] == branch))
            if len(columns):
                last[row, columns[-1]] = True
                length[row, columns] = len(columns)
    return Episodes(sampled, last, length)


def within(logp: jax.Array, old: jax.Array, clip_low: float, clip_high: float) -> jax.Array:
    """Which tokens have a ratio exp(logp - old) in [1 - ε_low, 1 + ε_high]; the others are masked."""
    ratio = jnp.exp(logp - old)
    return (ratio >= 1 - clip_low) & (ratio <= 1 + clip_high)


def masked_objective(
    logp: jax.Array, old: jax.Array, advantage: jax.Array, clip_low: float, clip_high: float
) -> jax.Array:
    """ρ A where ρ = exp(logp - old) is within its range, and 0 without a gradient where it is not.

    `old` is what the sampler itself said. A clipped token still pulls back to the range from one side; a
    masked one does nothing on either.
    """
    kept = within(logp, old, clip_low, clip_high)
    # The exponent is masked too: an infinite ratio times 0 would make the gradient not a number.
    return jnp.where(kept, jnp.exp(jnp.where(kept, logp - old, 0.0)) * advantage, 0.0)


def length_decay(length: np.ndarray, scale: float) -> np.ndarray:
    """λ = 1 - 1 / (α length), so that credit reaches back a fixed share of an episode of any length."""
    return np.maximum(1.0 - 1.0 / (scale * np.maximum(length, 1)), 0.0)


def token_advantages(
    rewards: np.ndarray, values: np.ndarray, episodes: Episodes, discount: float, decay: np.ndarray | float
) -> np.ndarray:
    """Generalised advantage estimates (arXiv 1506.02438) over sampled tokens: all arrays [n, w] -> [n, w].

    From the end of an episode: δ = r + γ V' - V and A = δ + γ λ A', where V' and A' belong to the next token
    that the *policy* sampled, so that observations between two turns neither discount nor decay anything;
    after the last one both are 0. Columns without a sampled token get 0.
    """
    decay = np.broadcast_to(decay, rewards.shape)
    advantages = np.zeros(rewards.shape, np.float32)
    next_value, next_advantage = np.zeros(len(rewards)), np.zeros(len(rewards))
    for column in reversed(range(rewards.shape[1])):
        sampled, last = episodes.sampled[:, column], episodes.last[:, column]
        value = values[:, column]
        surprise = rewards[:, column] + discount * np.where(last, 0.0, next_value) - value
        carried = discount * decay[:, column] * np.where(last, 0.0, next_advantage)
        advantages[:, column] = np.where(sampled, surprise + carried, 0.0)
        next_value = np.where(sampled, value, next_value)
        next_advantage = np.where(sampled, advantages[:, column], next_advantage)
    return advantages


def weighed(advantages: np.ndarray, negative_weight: float) -> np.ndarray:
    """Advantages with those below 0 multiplied by a factor."""
    return np.where(advantages < 0, negative_weight * advantages, advantages)
