"""Optimizers: Muon for the matrices of the blocks, Adam for embedding and norms; or Adam for everything.

With GRPO on a tiny decoder, Adam's step (every entry moves by the full rate) destroyed what supervision had
taught at rates that still learned, while Muon's (every singular value of the update is about the rate)
climbed.
"""

from typing import Any

import jax
import optax
from optax.contrib import MuonDimensionNumbers, muon

from policy.config import OptimizerConfig
from policy.decoder import Params


def optimizer(
    config: OptimizerConfig, steps: int | None = None, final: float = 1.0
) -> optax.GradientTransformation:
    """The gradient transformation of a configuration.

    With `steps`, the rate falls linearly to `final` of its value at the last step.
    """
    clip = optax.identity() if config.clip_norm is None else optax.clip_by_global_norm(config.clip_norm)
    rate = _schedule(config.learning_rate, config.warmup_steps, steps, final)
    if config.name == "adam":
        return optax.chain(clip, optax.adam(rate, b1=config.beta1, b2=config.beta2))
    embedding = _schedule(config.embedding_rate or config.learning_rate, config.warmup_steps, steps, final)
    return optax.chain(
        clip,
        muon(
            rate,
            beta=config.momentum,
            adam_b1=config.beta1,
            adam_b2=config.beta2,
            adam_learning_rate=embedding,
            muon_weight_dimension_numbers=_matrices,
        ),
    )


def _matrices(params: Params) -> Params:
    """Which parameters Muon orthogonalises: the matrices inside the blocks, whose axes are input and
    output."""

    def spec(path: tuple[Any, ...], leaf: Any) -> MuonDimensionNumbers | None:
        inside = getattr(path[0], "key", None) == "blocks"
        return MuonDimensionNumbers(0, 1) if inside and leaf.ndim == 2 else None

    return jax.tree_util.tree_map_with_path(spec, params)


def _schedule(rate: float, warmup: int, steps: int | None, final: float) -> optax.Schedule:
    tail = optax.constant_schedule(rate)
    if steps is not None and steps > warmup:
        tail = optax.linear_schedule(rate, rate * final, steps - warmup)
    if not warmup:
        return tail
    return optax.join_schedules([optax.linear_schedule(rate / warmup, rate, warmup), tail], [warmup])
