"""The critic: a decoder of its own that tells how much reward an episode will earn.

It starts as a copy of the policy, with a linear head in the place of the vocabulary. Its attention is frozen:
what to look at stays as the policy learned it, and feed-forward blocks, norms, embedding and head are
trained. Frozen parameters lie apart, so that no gradient and no optimizer state is kept for them.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from policy.config import DecoderConfig, OptimizerConfig
from policy.decoder import Params
from policy.gradients import Progress, added, stream
from policy.losses import Batch, Sums
from policy.optimizer import initial
from policy.sharding import over_rows, replicated

SUMS = ("value_loss", "error", "square", "return", "return_square", "tokens")


class CriticState(NamedTuple):
    """Everything of a critic that training changes, and what it leaves as it is."""

    learned: Params  # of the decoder without its attention, and `value`: the head's weight [d] and bias []
    frozen: Params  # the attention of every block
    opt_state: optax.OptState


def critic_of(params: Params, optimizer: OptimizerConfig) -> CriticState:
    """A critic that begins as a copy of a policy and values everything at 0."""
    params = jax.tree.map(jnp.copy, params)
    blocks = params["blocks"]
    learned = {name: part for name, part in params.items() if name not in ("blocks", "head")}
    learned["blocks"] = {
        i: {name: part for name, part in block.items() if name != "attention"} for i, block in blocks.items()
    }
    width = params["embedding"].shape[1]
    learned["value"] = {"weight": jnp.zeros(width), "bias": jnp.zeros(())}
    frozen = {i: {"attention": block["attention"]} for i, block in blocks.items()}
    return CriticState(learned, frozen, initial(optimizer, learned))


@partial(jax.jit, static_argnums=0)
def values(decoder: DecoderConfig, learned: Params, frozen: Params, batch: Batch) -> jax.Array:
    """The value [n, w] of what has been read at every column of packed rows, itself included."""
    return replicated(_values(decoder, learned, frozen, over_rows(batch)))


@partial(jax.jit, static_argnums=0, donate_argnums=3)
def accumulate(
    decoder: DecoderConfig,
    learned: Params,
    frozen: Params,
    progress: Progress,
    batch: Batch,
) -> Progress:
    """Add a micro-batch's gradients of the value loss. `batch.reward` [n, w] holds the return from every
    column on, and `batch.weight` says which of them count."""
    batch = over_rows(batch)

    def loss(learned: Params) -> tuple[jax.Array, Sums]:
        error = batch.reward - _values(decoder, learned, frozen, batch)
        value = jnp.sum(batch.weight * (0.5 * jnp.square(error)))
        return value, {"value_loss": value, **_sums(error, batch)}

    (_, sums), gradients = jax.value_and_grad(loss, has_aux=True)(learned)
    return added(progress, gradients, sums)


def summary(sums: Sums) -> dict[str, float]:
    """Loss, mean return and value, and the share of the returns' variance that the values explain.

    `explained` is 1 for values that are right and 0 for a constant; it is left out when all returns are
    equal.
    """
    s = {name: float(value) for name, value in jax.device_get(sums).items()}
    tokens = max(s["tokens"], 1.0)
    spread = s["return_square"] / tokens - (s["return"] / tokens) ** 2
    found = {
        "value_loss": s["value_loss"],
        "return": s["return"] / tokens,
        "value": (s["return"] - s["error"]) / tokens,
    }
    if spread > 1e-9:
        left = s["square"] / tokens - (s["error"] / tokens) ** 2
        found["explained"] = 1.0 - left / spread
    return found


def _values(decoder: DecoderConfig, learned: Params, frozen: Params, batch: Batch) -> jax.Array:
    blocks = {i: {**block, **frozen[i]} for i, block in learned["blocks"].items()}
    params = {name: part for name, part in learned.items() if name not in ("value", "blocks")}
    # It has no vocabulary to turn its stream into.
    trunk = decoder.model_copy(update={"tied": True})
    hidden = stream(trunk, {**params, "blocks": blocks}, batch)
    head = learned["value"]
    return hidden @ head["weight"] + head["bias"]


def _sums(error: jax.Array, batch: Batch) -> Sums:
    """Totals over tokens with a loss, for `summary`."""
    used = (batch.weight > 0).astype(jnp.float32)
    sums = {
        "error": jnp.sum(used * error),
        "square": jnp.sum(used * jnp.square(error)),
        "return": jnp.sum(used * batch.reward),
        "return_square": jnp.sum(used * jnp.square(batch.reward)),
        "tokens": jnp.sum(used),
    }
    return jax.lax.stop_gradient(sums)
