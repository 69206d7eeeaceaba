"""What moves a parameter: Muon, NAdam or Adam, by the optimizer's name and the parameter's place."""

import jax.numpy as jnp
import numpy as np
import pytest

from policy.config import OptimizerConfig
from policy.optimizer import direction, transformation

PLACES = ("embedding", "norm", "head")
"""What lies outside the blocks, where Muon moves nothing."""


def steps(name: str, gradients: list[float]) -> list[list[float]]:
    """Steps at rate 1, [step][place], when every entry's gradient is the same; no clipping."""
    config = OptimizerConfig(name=name, beta1=0.9, beta2=0.98, clip_norm=None)
    params = {
        "embedding": jnp.zeros((3, 2)),
        "norm": {"scale": jnp.zeros(2)},
        "head": jnp.zeros((2, 3)),
        "blocks": [{"hidden": {"up": jnp.zeros((2, 2))}}],
    }
    way = transformation(direction(config))
    state, found = way.init(params), []
    for number in gradients:
        whole = {
            "embedding": jnp.full((3, 2), number),
            "norm": {"scale": jnp.full(2, number)},
            "head": jnp.full((2, 3), number),
            "blocks": [{"hidden": {"up": jnp.full((2, 2), number)}}],
        }
        updates, state = way.update(whole, state, params)
        outside = [updates["embedding"], updates["norm"]["scale"], updates["head"]]
        found.append([float(np.unique(np.asarray(array)).item()) for array in outside])
    return found


def test_adam_moves_everything_by_its_plain_rule() -> None:
    # step 1: m = 0.1, v = 0.02; (0.1 / 0.1) / sqrt(0.02 / 0.02) = 1
    # step 2, gradient 0: m = 0.09, v = 0.0196; (0.09 / 0.19) / sqrt(0.0196 / 0.0396) = 0.673293
    assert steps("adam", [1.0, 0.0]) == [
        pytest.approx([-1.0] * len(PLACES), rel=1e-5),
        pytest.approx([-0.673293] * len(PLACES), rel=1e-5),
    ]


def test_beside_muon_embedding_norms_and_head_are_moved_by_nadam() -> None:
    # step 1: (0.9 m / (1 - 0.9^2) + 0.1 g / (1 - 0.9)) / sqrt(1) = 0.09 / 0.19 + 1 = 1.473684
    # step 2, gradient 0: (0.9 x 0.09 / (1 - 0.9^3)) / sqrt(0.0196 / 0.0396) = 0.298893 / 0.703526 = 0.424850
    assert steps("muon", [1.0, 0.0]) == [
        pytest.approx([-1.473684] * len(PLACES), rel=1e-5),
        pytest.approx([-0.424850] * len(PLACES), rel=1e-5),
    ]
