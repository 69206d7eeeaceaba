"""Configuration is checked when it is made, and imports nothing that computes."""

import subprocess
import sys

import pytest
from pydantic import ValidationError

from policy.config import PRESETS, DecoderConfig, PolicyConfig, RolloutConfig


def test_configuration_imports_without_the_heavy_libraries() -> None:
    code = (
        "import sys, policy.config, policy.errors, policy.vocabulary; "
        "heavy = {'jax', 'flax', 'optax', 'orbax', 'numpy'} & sys.modules.keys(); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_shapes_that_do_not_fit_name_the_value_and_the_remedy() -> None:
    with pytest.raises(ValidationError, match="heads=3 is not a multiple of kv_heads=2; change either"):
        DecoderConfig(heads=3, kv_heads=2)
    with pytest.raises(ValidationError, match="head_width=7 is odd"):
        DecoderConfig(head_width=7)
    with pytest.raises(
        ValidationError, match=r"decode_buckets=\(32,\) holds more rows than slots=16; raise slots"
    ):
        RolloutConfig(slots=16, decode_buckets=(32,))
    with pytest.raises(ValidationError, match=r"chunk_widths=\(64, 16\) must rise"):
        RolloutConfig(chunk_widths=(64, 16))
    with pytest.raises(ValidationError, match=r"packing\.width=256 is less than rollout\.context=384; raise"):
        PolicyConfig(packing={"width": 256}, rollout={"context": 384})
    with pytest.raises(ValidationError, match="max_turn_tokens=24 leaves no room for a task in context=24"):
        RolloutConfig(context=24)
    with pytest.raises(ValidationError, match="less than or equal to 1000"):
        DecoderConfig(layers=1001)


def test_thinking_is_refused_where_there_is_nothing_to_think_in() -> None:
    with pytest.raises(
        ValidationError,
        match="thinking=True does nothing with codec='world', which has no words to think in; take it out",
    ):
        PolicyConfig(thinking=True)
    assert PolicyConfig(thinking=True, codec="chat", weights="models/any").thinking
    assert not PolicyConfig(thinking=False).thinking


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(ValidationError, match="widht"):
        DecoderConfig(widht=64)


def test_configurations_are_values() -> None:
    assert DecoderConfig() == PRESETS["tiny"]
    assert hash(PolicyConfig()) == hash(PolicyConfig())
    with pytest.raises(ValidationError, match="frozen"):
        PolicyConfig().decoder = PRESETS["micro"]  # type: ignore[misc]
