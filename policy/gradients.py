"""The compiled half of training: gradients of packed episodes, summed over micro-batches, and one step.

One program per objective, because every micro-batch has the same shape; None as an objective is supervision
by demonstrations.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from policy.config import DecoderConfig, GrpoConfig
from policy.decoder import Decoder, Params, network, reading
from policy.grpo import clipped, clipped_objective, k3_divergence
from policy.optimizer import Direction, Rates, at_rates, transformation
from policy.packing import Packed

Sums = dict[str, jax.Array]
"""Scalars that add up over micro-batches; names that start with `max_` take the maximum instead."""


class Objective(NamedTuple):
    """The part of a `GrpoConfig` that shapes the loss of a token; what is compiled depends on it alone."""

    clip_low: float
    clip_high: float
    kl: float
    entropy: float


def objective_of(config: GrpoConfig) -> Objective:
    """The objective of a configuration."""
    return Objective(config.clip_low, config.clip_high, config.kl, config.entropy)


class Progress(NamedTuple):
    """Gradients and sums of the micro-batches so far."""

    gradients: Params
    sums: Sums


class Readings(NamedTuple):
    """What the decoder says about the next tokens, [n, w] each."""

    logp: jax.Array  # log-probability of the target
    entropy: jax.Array  # of the distribution it is drawn from
    argmax: jax.Array  # bool: the target is the most likely token


def attention_mask(batch: Packed) -> jax.Array:
    """[n, w, w] bool: a token reads its own branch and trunk, not later than itself."""
    order = jnp.arange(batch.ids.shape[1])
    same = batch.trunk[:, :, None] == batch.trunk[:, None, :]
    family = (batch.branch[:, None, :] == 0) | (batch.branch[:, :, None] == batch.branch[:, None, :])
    return same & family & (order[:, None] >= order[None, :])


def read_packed(decoder: Decoder, batch: Packed, temperature: jax.Array) -> Readings:
    """Next-token statistics of packed rows at a temperature."""
    memories = [reading(attention_mask(batch))] * len(decoder.blocks)
    hidden, _ = decoder.hidden(batch.ids, batch.positions, memories)
    logits = decoder.logits(hidden) / temperature
    normaliser = jax.nn.logsumexp(logits, axis=-1)
    chosen = jnp.take_along_axis(logits, batch.target[..., None], axis=-1)[..., 0]
    mean = jnp.sum(jnp.exp(logits - normaliser[..., None]) * logits, axis=-1)
    return Readings(chosen - normaliser, normaliser - mean, chosen >= jnp.max(logits, axis=-1))


@partial(jax.jit, static_argnums=(0, 1), donate_argnums=3)
def accumulate(
    decoder: DecoderConfig,
    objective: Objective | None,
    params: Params,
    progress: Progress,
    batch: Packed,
    temperature: jax.Array,
) -> Progress:
    """Add a micro-batch's gradients and sums."""

    def loss(params: Params) -> tuple[jax.Array, Sums]:
        readings = read_packed(network(decoder, params), batch, temperature)
        per_token = (
            supervised_loss(readings) if objective is None else policy_loss(objective, readings, batch)
        )
        return jnp.sum(batch.weight * per_token), _sums(objective, readings, batch)

    (value, sums), gradients = jax.value_and_grad(loss, has_aux=True)(params)
    sums["loss"] = value
    return Progress(
        jax.tree.map(jnp.add, progress.gradients, gradients),
        {name: _join(name, progress.sums[name], new) for name, new in sums.items()},
    )


def nothing_yet(params: Params) -> Progress:
    """The start of an accumulation."""
    names = ("loss", "tokens", "logp", "entropy", "ratio", "clipped", "right", "max_gap", "max_ratio")
    return Progress(jax.tree.map(jnp.zeros_like, params), {name: jnp.zeros(()) for name in names})


@partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
def step(
    way: Direction, params: Params, state: optax.OptState, gradients: Params, rates: Rates
) -> tuple[Params, optax.OptState, dict[str, jax.Array]]:
    """One optimizer step, and the norms of gradient and step."""
    updates, state = transformation(way).update(gradients, state, params)
    updates = at_rates(updates, rates.matrices, rates.rest)
    norms = {"gradient_norm": optax.tree.norm(gradients), "update_norm": optax.tree.norm(updates)}
    return optax.apply_updates(params, updates), state, norms


@partial(jax.jit, static_argnums=0)
def target_logp(decoder: DecoderConfig, params: Params, batch: Packed, temperature: jax.Array) -> jax.Array:
    """Log-probabilities of the targets [n, w], for a reference policy."""
    return read_packed(network(decoder, params), batch, temperature).logp


def supervised_loss(readings: Readings) -> jax.Array:
    """Cross-entropy per token."""
    return -readings.logp


def policy_loss(objective: Objective, readings: Readings, batch: Packed) -> jax.Array:
    """The negated GRPO objective per token, with its KL penalty and entropy bonus."""
    gain = clipped_objective(
        readings.logp, batch.logp, batch.advantage, objective.clip_low, objective.clip_high
    )
    if objective.kl:
        gain -= objective.kl * k3_divergence(readings.logp, batch.reference)
    if objective.entropy:
        gain += objective.entropy * readings.entropy
    return -gain


def _sums(objective: Objective | None, readings: Readings, batch: Packed) -> Sums:
    used = (batch.weight > 0).astype(jnp.float32)
    gap = jnp.where(used > 0, readings.logp - batch.logp, 0.0)
    ratio = jnp.exp(gap)
    low, high = (objective.clip_low, objective.clip_high) if objective else (1.0, 1.0)
    outside = clipped(readings.logp, batch.logp, batch.advantage, low, high)
    sums: dict[str, Any] = {
        "tokens": jnp.sum(used),
        "logp": jnp.sum(used * readings.logp),
        "entropy": jnp.sum(used * readings.entropy),
        "ratio": jnp.sum(used * ratio),
        "clipped": jnp.sum(used * outside),
        "right": jnp.sum(used * readings.argmax),
        "max_gap": jnp.max(jnp.abs(gap) / (1.0 + jnp.abs(batch.logp))),
        "max_ratio": jnp.max(used * ratio),
    }
    return jax.lax.stop_gradient(sums)


def _join(name: str, old: jax.Array, new: jax.Array) -> jax.Array:
    return jnp.maximum(old, new) if name.startswith("max_") else old + new
