"""The compiled half of training: gradients of packed episodes, summed over micro-batches, and one step.

One program per objective, because every micro-batch has the same shape; None as an objective is supervision
by demonstrations. The way back from logits to the stream is `policy.losses`'s.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from policy.config import DecoderConfig, GrpoConfig, SaoConfig
from policy.decoder import Decoder, Params, network, reading
from policy.grpo import clipped, clipped_objective, k3_divergence
from policy.losses import Batch, Sums, at_losses, joined, map_losses
from policy.optimizer import Direction, Rates, at_rates, transformation
from policy.sao import masked_objective, within
from policy.sharding import like_parameters, over_rows, replicated

SUMS = (
    "loss", "tokens", "logp", "entropy", "ratio", "clipped", "right", "stale", "max_age", "max_gap",
    "max_ratio",
)  # fmt: skip


class Objective(NamedTuple):
    """The part of a configuration that shapes the loss of a token; what is compiled depends on it alone."""

    clip_low: float
    clip_high: float
    kl: float
    entropy: float
    masked: bool = False  # tokens whose ratio leaves the range are masked (SAO), not clipped (GRPO)


def objective_of(config: GrpoConfig | SaoConfig) -> Objective:
    """The objective of a configuration."""
    if isinstance(config, SaoConfig):
        return Objective(config.clip_low, config.clip_high, 0.0, config.entropy, masked=True)
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


def attention_mask(batch: Batch) -> jax.Array:
    """[n, w, w] bool: a token reads its own branch and trunk, not later than itself."""
    order = jnp.arange(batch.ids.shape[1])
    same = batch.trunk[:, :, None] == batch.trunk[:, None, :]
    family = (batch.branch[:, None, :] == 0) | (batch.branch[:, :, None] == batch.branch[:, None, :])
    return same & family & (order[:, None] >= order[None, :])


def stream(decoder: DecoderConfig, params: Params, batch: Batch) -> jax.Array:
    """The normalised stream [n, w, d] of packed rows."""
    net = network(decoder, lowered(decoder, params))
    return net.hidden(batch.ids, batch.positions, [reading(attention_mask(batch))] * decoder.layers)[0]


def lowered(decoder: DecoderConfig, params: Params) -> Params:
    """Parameters as they are multiplied: matrices in bfloat16, if that is asked for and not on a CPU."""
    return in_bfloat16(params) if computed_in(decoder) == "bfloat16" else params


def computed_in(decoder: DecoderConfig) -> str:
    """The type of matrix products in training, on the devices at hand: a CPU goes on in float32."""
    return "float32" if jax.default_backend() == "cpu" else decoder.compute


def in_bfloat16(params: Params) -> Params:
    """Parameters with their matrices in bfloat16, and vectors as they are."""
    return jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16) if leaf.ndim > 1 else leaf, params)


def readings(decoder: Decoder, hidden: jax.Array, target: jax.Array, temperature: jax.Array) -> Readings:
    """Next-token statistics at a temperature: hidden [..., d], target [...]."""
    logits = decoder.logits(hidden) / temperature
    normaliser = jax.nn.logsumexp(logits, axis=-1)
    chosen = jnp.take_along_axis(logits, target[..., None], axis=-1)[..., 0]
    mean = jnp.sum(jnp.exp(logits - normaliser[..., None]) * logits, axis=-1)
    return Readings(chosen - normaliser, normaliser - mean, chosen >= jnp.max(logits, axis=-1))


@partial(jax.jit, static_argnums=(0, 1), static_argnames="columns", donate_argnums=3)
def accumulate(
    decoder: DecoderConfig,
    objective: Objective | None,
    params: Params,
    progress: Progress,
    batch: Batch,
    temperature: jax.Array,
    columns: int = 64,
) -> Progress:
    """Add a micro-batch's gradients and sums; `columns` are those whose logits are computed at once."""
    batch = over_rows(batch)
    hidden, back = jax.vjp(lambda params: stream(decoder, params, batch), params)
    head = {name: params[name] for name in (head_of(decoder),)}

    def loss(head: Params, hidden: jax.Array, part: Batch) -> tuple[jax.Array, Sums]:
        net = network(decoder, lowered(decoder, {**params, **head}))
        read = readings(net, hidden, part.target, temperature)
        per_token = -read.logp if objective is None else policy_loss(objective, read, part)
        value = jnp.sum(part.weight * per_token)
        return value, {"loss": jax.lax.stop_gradient(value), **_sums(objective, read, part)}

    found = at_losses(loss, head, hidden, batch, columns)
    (gradients,) = back(found.hidden)
    for name, part in found.head.items():
        gradients[name] += part
    return added(progress, gradients, found.sums)


def head_of(decoder: DecoderConfig) -> str:
    """The parameter that turns the stream into logits."""
    return "embedding" if decoder.tied else "head"


def nothing_yet(params: Params, sums: Sequence[str] = SUMS) -> Progress:
    """The start of an accumulation."""
    return Progress(jax.tree.map(jnp.zeros_like, params), {name: jnp.zeros(()) for name in sums})


def added(progress: Progress, gradients: Params, sums: Sums) -> Progress:
    """An accumulation with one micro-batch more."""
    return Progress(
        like_parameters(jax.tree.map(jnp.add, progress.gradients, gradients)), joined(progress.sums, sums)
    )


@partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
def step(
    way: Direction, params: Params, state: optax.OptState, gradients: Params, rates: Rates
) -> tuple[Params, optax.OptState, dict[str, jax.Array]]:
    """One optimizer step, and the norms of gradient and step."""
    updates, state = transformation(way).update(gradients, state, params)
    updates = at_rates(updates, rates)
    norms = {"gradient_norm": optax.tree.norm(gradients), "update_norm": optax.tree.norm(updates)}
    return like_parameters(optax.apply_updates(params, updates)), like_parameters(state), norms


@partial(jax.jit, static_argnums=0, static_argnames="columns")
def target_logp(
    decoder: DecoderConfig, params: Params, batch: Batch, temperature: jax.Array, columns: int = 64
) -> jax.Array:
    """Log-probabilities of the targets [n, w], for a reference policy; 0 in parts without a loss."""
    batch = over_rows(batch)
    net = network(decoder, lowered(decoder, params))
    found = map_losses(
        lambda hidden, part: readings(net, hidden, part.target, temperature).logp,
        stream(decoder, params, batch),
        batch,
        columns,
    )
    return replicated(found)


def policy_loss(objective: Objective, readings: Readings, batch: Batch) -> jax.Array:
    """The negated objective of GRPO or SAO per token, with its KL penalty and entropy bonus."""
    of_ratio = masked_objective if objective.masked else clipped_objective
    gain = of_ratio(readings.logp, batch.logp, batch.advantage, objective.clip_low, objective.clip_high)
    if objective.kl:
        gain -= objective.kl * k3_divergence(readings.logp, batch.reference)
    if objective.entropy:
        gain += objective.entropy * readings.entropy
    return -gain


def _sums(objective: Objective | None, readings: Readings, batch: Batch) -> Sums:
    used = (batch.weight > 0).astype(jnp.float32)
    gap = jnp.where(used > 0, readings.logp - batch.logp, 0.0)
    ratio = jnp.exp(gap)
    low, high = (objective.clip_low, objective.clip_high) if objective else (1.0, 1.0)
    if objective is not None and objective.masked:
        outside = ~within(readings.logp, batch.logp, low, high)
    else:
        outside = clipped(readings.logp, batch.logp, batch.advantage, low, high)
    sums: dict[str, Any] = {
        "tokens": jnp.sum(used),
        "logp": jnp.sum(used * readings.logp),
        "entropy": jnp.sum(used * readings.entropy),
        "ratio": jnp.sum(used * ratio),
        "clipped": jnp.sum(used * outside),
        "right": jnp.sum(used * readings.argmax),
        "stale": jnp.sum(used * (batch.age > 0)),
        "max_age": jnp.max(used * batch.age),
        "max_gap": jnp.max(jnp.abs(gap) / (1.0 + jnp.abs(batch.logp))),
        "max_ratio": jnp.max(used * ratio),
    }
    return jax.lax.stop_gradient(sums)
