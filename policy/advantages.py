"""Advantages: from the rewards of a group to the weight of each member in the policy gradient."""

from collections.abc import Sequence
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np

Normalisation = Literal["group", "dr"]

EPSILON = 1e-6
"""Added to the standard deviation, so that a group of equal rewards is not 0 / 0."""


def group_advantages(
    rewards: jax.Array, normalisation: Normalisation = "group", negative_weight: float = 1.0
) -> jax.Array:
    """Rewards [..., g] -> advantages [..., g], each relative to its own group (the last axis).

    `group`: (r - mean) / std with the population's standard deviation (GRPO, arXiv 2402.03300, section
    4.1.2); `dr`: r - mean, which does not favour groups that agree (Dr. GRPO, arXiv 2503.20783). A group of
    one gets 0. Advantages below 0 are multiplied by `negative_weight`: 1 is GRPO, 0 learns from the better
    members alone (positive and negative reinforcement apart: arXiv 2506.01347).
    """
    centred = rewards - jnp.mean(rewards, axis=-1, keepdims=True)
    # The mean of equal numbers need not equal them in float32, and the division would blow that up.
    unequal = jnp.max(rewards, axis=-1, keepdims=True) > jnp.min(rewards, axis=-1, keepdims=True)
    centred = jnp.where(unequal, centred, 0.0)
    if normalisation == "group":
        centred /= jnp.std(rewards, axis=-1, keepdims=True) + EPSILON
    return jnp.where(centred < 0, negative_weight * centred, centred)


def update_advantages(
    groups: Sequence[Sequence[float]], normalisation: Normalisation = "group", negative_weight: float = 1.0
) -> list[np.ndarray]:
    """Rewards of an update's groups -> advantages of their members.

    Episodes that are alone in their group are compared with each other: the update is their group, as in
    REINFORCE++ (arXiv 2501.03262).
    """
    alone = [rewards[0] for rewards in groups if len(rewards) == 1]
    among = iter(_advantages(alone, normalisation, negative_weight)) if alone else iter(())
    return [
        np.array([next(among)]) if len(rewards) == 1 else _advantages(rewards, normalisation, negative_weight)
        for rewards in groups
    ]


def _advantages(rewards: Sequence[float], normalisation: Normalisation, negative_weight: float) -> np.ndarray:
    return np.asarray(group_advantages(jnp.asarray(rewards, jnp.float32), normalisation, negative_weight))
