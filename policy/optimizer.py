"""Optimizers: Muon for the matrices of the blocks, NAdam for embedding, norms and head; or Adam for all.

Under the name `muon` the rest is left to `optax.contrib.muon`, which looks a step ahead (Nesterov) in both of
its parts: what moves embedding, norms and head is Adam with Nesterov momentum, NAdam, at the rate
`embedding_rate`. Under the name `adam` everything is moved by plain Adam.

With GRPO on a tiny decoder, Adam's step (every entry moves by the full rate) destroyed what supervision had
taught at rates that still learned, while Muon's (every singular value of the update is about the rate)
climbed.

Learning rates are arguments of the compiled step rather than part of it, so that warm start and policy
gradient, and every point of a schedule, share one program.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import optax
from optax.contrib import MuonDimensionNumbers, muon

from policy.config import OptimizerConfig
from policy.decoder import Params
from policy.layout import is_muons
from policy.sharding import like_parameters


class Direction(NamedTuple):
    """Everything about an optimizer but its rates."""

    name: str
    beta1: float
    beta2: float
    momentum: float
    clip_norm: float | None


class Rates(NamedTuple):
    """Learning rates of one step."""

    matrices: float  # of the matrices inside the blocks
    rest: float  # of embedding, norms and head


def direction(config: OptimizerConfig) -> Direction:
    """The direction of a configuration's steps."""
    return Direction(config.name, config.beta1, config.beta2, config.momentum, config.clip_norm)


def rates(config: OptimizerConfig, step: int, steps: int | None = None, final: float = 1.0) -> Rates:
    """Rates of step number `step`, from 0: rising over the warm-up, then constant.

    With `steps`, they fall linearly to `final` of their value at the last step.
    """
    share = min(1.0, (step + 1) / (config.warmup_steps + 1))
    if steps is not None and step > config.warmup_steps:
        done = (step - config.warmup_steps) / max(steps - 1 - config.warmup_steps, 1)
        share = 1.0 - (1.0 - final) * min(done, 1.0)
    rest = config.embedding_rate if config.name == "muon" else None
    return Rates(share * config.learning_rate, share * (rest or config.learning_rate))


def transformation(way: Direction) -> optax.GradientTransformation:
    """Gradients to descent steps at rate 1."""
    clip = optax.identity() if way.clip_norm is None else optax.clip_by_global_norm(way.clip_norm)
    if way.name == "adam":
        return optax.chain(clip, optax.adam(1.0, b1=way.beta1, b2=way.beta2))
    return optax.chain(
        clip,
        muon(
            1.0,
            beta=way.momentum,
            adam_b1=way.beta1,
            adam_b2=way.beta2,
            muon_weight_dimension_numbers=_dimensions,
        ),
    )


def at_rates(updates: Params, rates: Rates) -> Params:
    """Steps at rate 1, each scaled by the rate of its parameter."""
    return jax.tree_util.tree_map_with_path(
        lambda path, leaf: leaf * (rates.matrices if _is_matrix(path, leaf) else rates.rest), updates
    )


def initial(config: OptimizerConfig, params: Params) -> optax.OptState:
    """The optimizer's state before the first step."""
    return _initial(direction(config), params)


@partial(jax.jit, static_argnums=0)
def _initial(way: Direction, params: Params) -> optax.OptState:
    return like_parameters(transformation(way).init(params))


def _is_matrix(path: tuple[Any, ...], leaf: Any) -> bool:
    return is_muons(getattr(path[0], "key", None), leaf.ndim)


def _dimensions(params: Params) -> Params:
    """What Muon orthogonalises: the matrices inside the blocks, whose axes are input and output."""
    return jax.tree_util.tree_map_with_path(
        lambda path, leaf: MuonDimensionNumbers(0, 1) if _is_matrix(path, leaf) else None, params
    )
