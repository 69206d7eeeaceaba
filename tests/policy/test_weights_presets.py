"""Presets: the published shapes have the published numbers of parameters."""

import math

import jax
import pytest

from policy.config import PRESETS, DecoderConfig, PresetName
from policy.decoder import count, parameters
from policy.weights.places import places

PUBLISHED: dict[PresetName, int] = {
    # 49,152 x 576 + 30 x (2 x 576 x 576 + 2 x 576 x 192 + 3 x 576 x 1,536 + 2 x 576) + 576
    "smollm2-135m": 134_515_008,
    # 151,936 x 1,024 + 1,024 + 28 layers of
    # 2 x 1,024 x 2,048 + 2 x 1,024 x 1,024 + 3 x 1,024 x 3,072 + 2 x 1,024 + 2 x 128
    "qwen3-0.6b": 596_049_920,
    "qwen3-1.7b": 1_720_574_976,
    # half of `total_size` in model.safetensors.index.json, 8,044,936,192 bytes of bfloat16
    "qwen3-4b": 4_022_468_096,
    # the same of 16,381,470,720 bytes; the output projection is a matrix of its own
    "qwen3-8b": 8_190_735_360,
}


def numbers(config: DecoderConfig) -> int:
    """Parameters by the table of places, which lists every array."""
    return sum(math.prod(place.shape) for place in places(config))


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_shape_has_the_published_number_of_parameters(name: PresetName) -> None:
    assert numbers(PRESETS[name]) == PUBLISHED[name]


@pytest.mark.parametrize("name", [*PUBLISHED, "tiny"])
def test_the_decoder_has_the_arrays_of_the_table(name: PresetName) -> None:
    thin = PRESETS[name].model_copy(update={"layers": 1})  # layers are alike
    assert count(jax.eval_shape(lambda: parameters(thin, 0))) == numbers(thin)


def test_the_small_preset_has_five_to_ten_million_parameters() -> None:
    # 1,024 x 256 + 8 x (2 x 256 x 256 + 2 x 256 x 128 + 3 x 256 x 768 + 2 x 256 + 2 x 64) + 256
    assert numbers(PRESETS["small"]) == 6_558_976
