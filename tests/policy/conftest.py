"""One small policy for all tests of the package: compiling is what costs."""

import pytest

from policy.config import PRESETS, DecoderConfig, GrpoConfig, PackingConfig, RolloutConfig
from policy.decoder import Params, parameters
from policy.rollout import RolloutEngine
from policy.trainer import Trainer
from policy.world_codec import WorldCodec
from tests.fakes_policy import toy_vocabulary

PACKING = PackingConfig(width=160, rows=2)


@pytest.fixture(scope="session")
def codec() -> WorldCodec:
    return WorldCodec(toy_vocabulary(256))


@pytest.fixture(scope="session")
def decoder() -> DecoderConfig:
    return PRESETS["micro"]


@pytest.fixture(scope="session")
def params(decoder: DecoderConfig) -> Params:
    return parameters(decoder, 0)


@pytest.fixture(scope="session")
def engine(codec: WorldCodec, decoder: DecoderConfig) -> RolloutEngine:
    config = RolloutConfig(
        context=160,
        slots=8,
        decode_buckets=(8, 4),
        chunk_tokens=64,
        chunk_widths=(16, 64),
        max_turn_tokens=12,
    )
    return RolloutEngine(codec, decoder, config)


@pytest.fixture(scope="session")
def trainer(decoder: DecoderConfig) -> Trainer:
    return Trainer(decoder, GrpoConfig(), PACKING)
