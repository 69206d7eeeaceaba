"""`config.json` of a Hugging Face folder: the decoder's shape, read and written."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from policy.config import DecoderConfig
from policy.errors import WeightsError

FAMILIES = ("qwen3", "llama")
_MUST_BE_OFF = ("attention_bias", "mlp_bias", "use_sliding_window", "quantization_config")
"""What would change the computation if it were on."""
_ROPE = ("rope_parameters", "rope_scaling")
_BESIDE = ("max_position_embeddings", "bos_token_id", "eos_token_id", "pad_token_id")
_NO_TOKENS: dict[str, Any] = {"bos_token_id": None, "eos_token_id": None}


def read_description(folder: Path) -> DecoderConfig:
    """The shape that a folder describes; WeightsError when it is none that the decoder has."""
    told = read_json(folder / "config.json")
    family = told.get("model_type")
    if family not in FAMILIES:
        raise WeightsError(
            f"{folder}: model_type {family!r} is not known; take one of {' and '.join(FAMILIES)}"
        )
    _require_plain(folder, told)
    heads = _number(folder, told, "num_attention_heads")
    width = _number(folder, told, "hidden_size")
    fields = {
        "width": width,
        "layers": _number(folder, told, "num_hidden_layers"),
        "heads": heads,
        "kv_heads": _number(folder, told, "num_key_value_heads", heads),
        "head_width": _number(folder, told, "head_dim", 128 if family == "qwen3" else width // heads),
        "hidden": _number(folder, told, "intermediate_size"),
        "vocabulary_rows": _number(folder, told, "vocab_size"),
        "qk_norm": family == "qwen3",
        "tied": bool(told.get("tie_word_embeddings", False)),
        "rope_base": _rope(told).get("rope_theta", told.get("rope_theta", 10_000.0)),
        "norm_epsilon": told.get("rms_norm_eps", 1e-6),
    }
    return published(folder, fields)


def published(where: Path, fields: dict[str, Any]) -> DecoderConfig:
    """The configuration of a decoder that was made elsewhere."""
    try:
        return DecoderConfig(**fields, copying_start=False, scaled_embedding=False)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        told = first["msg"].removeprefix("Value error, ")
        raise WeightsError(f"{where} describes no decoder: {f'{name}: ' if name else ''}{told}") from error


def beside(told: Mapping[str, Any]) -> dict[str, Any]:
    """Of a `config.json`, what the decoder does without and other programs do not: how many positions the
    model knows, and which tokens begin, end and pad a text.

    For what a folder leaves out, other programs take defaults of their own, which are wrong for nearly every
    model: 2,048 positions and the tokens 1 and 2 in the Llama family. null is an answer: there is none.
    """
    return {key: told[key] for key in _BESIDE if key in told}


def described(config: DecoderConfig, beside: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What `read_description` reads as this configuration, with what stands beside it; None: no token begins
    or ends a text, and the number of positions is not known."""
    return {
        "architectures": ["Qwen3ForCausalLM" if config.qk_norm else "LlamaForCausalLM"],
        "model_type": "qwen3" if config.qk_norm else "llama",
        "hidden_size": config.width,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads,
        "head_dim": config.head_width,
        "intermediate_size": config.hidden,
        "vocab_size": config.vocabulary_rows,
        "tie_word_embeddings": config.tied,
        "rope_theta": config.rope_base,
        "rms_norm_eps": config.norm_epsilon,
        "hidden_act": "silu",
        "attention_bias": False,
        "torch_dtype": "float32",
        **(_NO_TOKENS if beside is None else beside),
    }


def read_json(path: Path) -> dict[str, Any]:
    """An object from a JSON file; WeightsError when it is absent or none."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise WeightsError(f"{path.parent} has no {path.name}; name a whole Hugging Face folder") from None
    except (OSError, ValueError, RecursionError) as error:
        raise WeightsError(f"{path} cannot be read as JSON ({error}); download it again") from error
    if not isinstance(told, dict):
        raise WeightsError(f"{path} holds a {type(told).__name__}, not an object; download it again")
    return told


def _number(folder: Path, told: dict[str, Any], key: str, default: int | None = None) -> int:
    value = told.get(key)
    value = default if value is None else value
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise WeightsError(
            f"{folder}/config.json: {key}={value!r} must be a whole number above 0; correct it"
        )
    return value


def _rope(told: dict[str, Any]) -> dict[str, Any]:
    """Rotary settings, which stand in one object or in two."""
    for key in _ROPE:
        if isinstance(told.get(key), dict):
            return dict(told[key])
    return {}


def _require_plain(folder: Path, told: dict[str, Any]) -> None:
    for key in _MUST_BE_OFF:
        if told.get(key):
            raise WeightsError(
                f"{folder}/config.json: {key}={told[key]!r} is not supported; take a model without"
            )
    for key in _ROPE:
        if not isinstance(told.get(key) or {}, dict):
            raise WeightsError(f"{folder}/config.json: {key}={told[key]!r} is no object; correct it")
    kind = _rope(told).get("rope_type", _rope(told).get("type", "default"))
    if kind != "default":
        raise WeightsError(
            f"{folder}/config.json: rotary positions of type {kind!r} are not supported; take a model without"
        )
    if told.get("hidden_act", "silu") != "silu":
        raise WeightsError(
            f"{folder}/config.json: hidden_act={told['hidden_act']!r} is not silu; take another model"
        )
