"""Hugging Face folders: another implementation computes the same from them, and saving loses nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from policy.config import DecoderConfig
from policy.decoder import Params, network, reading
from policy.errors import WeightsError
from policy.weights.__main__ import main
from policy.weights.saving import save
from policy.weights.source import load
from tests import plain_forward
from tests.fakes_chat import LLAMA, MARKED, QWEN, random_params, speech, write_folder

safetensors = pytest.importorskip("safetensors", reason="needs the extra `weights`")
pytest.importorskip("tokenizers", reason="needs the extra `weights`")

IDS = [7, 400, 3, 3, 99, 511, 0, 12]
SHORT = {
    "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "o": "self_attn.o_proj",
    "qn": "self_attn.q_norm", "kn": "self_attn.k_norm", "n1": "input_layernorm",
    "n2": "post_attention_layernorm", "gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj",
}  # fmt: skip
WHOLE = {"embed": "model.embed_tokens.weight", "norm": "model.norm.weight", "head": "lm_head.weight"}


def ours(config: DecoderConfig, params: Params, ids: list[int]) -> np.ndarray:
    """Logits [t, v] of this project's decoder."""
    decoder = network(config, params)
    t = len(ids)
    mask = jnp.tril(jnp.ones((1, t, t), bool))
    memories = [reading(mask)] * len(decoder.blocks)
    hidden, _ = decoder.hidden(jnp.asarray([ids]), jnp.arange(t)[None], memories)
    return np.asarray(decoder.logits(hidden))[0]


def settings(config: DecoderConfig) -> dict[str, Any]:
    """What the plain forward pass needs to know."""
    return {
        "layers": config.layers, "heads": config.heads, "kv_heads": config.kv_heads,
        "head_width": config.head_width, "base": config.rope_base, "epsilon": config.norm_epsilon,
        "normed": config.qk_norm, "tied": config.tied,
    }  # fmt: skip


def equal(a: Params, b: Params) -> bool:
    """The same arrays at the same places."""
    same = jax.tree.structure(a) == jax.tree.structure(b)
    return same and all(map(np.array_equal, jax.tree.leaves(a), jax.tree.leaves(b)))


@pytest.mark.parametrize("config", [QWEN, LLAMA], ids=["qwen3", "llama"])
def test_a_folder_computes_what_a_plain_forward_pass_computes_from_its_tensors(
    config: DecoderConfig, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "model", config)
    with safetensors.safe_open(folder / "model.safetensors", framework="np") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118

    def tensor(name: str) -> np.ndarray:
        if name in WHOLE:
            return tensors[WHOLE[name]]
        layer, _, part = name.partition(".")
        return tensors[f"model.layers.{layer}.{SHORT[part]}.weight"]

    wanted = plain_forward.logits(IDS, tensor, settings(config), "halves")
    read, params = load(folder)
    assert read == config
    np.testing.assert_allclose(ours(read, params, IDS), wanted, atol=2e-4, rtol=2e-4)


@pytest.mark.parametrize("config", [QWEN, LLAMA], ids=["qwen3", "llama"])
def test_saving_and_reading_back_gives_equal_arrays_from_one_file_or_several(
    config: DecoderConfig, tmp_path: Path
) -> None:
    params = random_params(config)
    one = save(tmp_path / "one", config, params)
    # an embedding of 520 x 32 x 4 = 66,560 bytes fits into no file with another matrix of its size
    many = save(tmp_path / "many", config, params, file_bytes=70_000)
    assert len(list(one.glob("*.safetensors"))) == 1
    assert len(list(many.glob("*.safetensors"))) > 1
    for folder in (one, many):
        read, back = load(folder)
        assert read == config and equal(back, params)


def in_bfloat16(folder: Path) -> dict[str, np.ndarray]:
    """Store a folder's tensors as published ones are; what they were."""
    from ml_dtypes import bfloat16
    from safetensors.numpy import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    save_file({k: v.astype(bfloat16) for k, v in tensors.items()}, folder / "model.safetensors")
    return dict(tensors)


def test_half_precision_is_read_as_float32(tmp_path: Path) -> None:
    from ml_dtypes import bfloat16

    folder = write_folder(tmp_path / "model", LLAMA)
    tensors = in_bfloat16(folder)
    params = load(folder).params
    assert params["embedding"].dtype == jnp.float32
    np.testing.assert_array_equal(
        params["embedding"], tensors["model.embed_tokens.weight"].astype(bfloat16).astype(np.float32)
    )


def test_half_precision_is_converted_by_a_process_in_which_nothing_else_has_told_numpy_of_it(
    tmp_path: Path,
) -> None:
    folder = write_folder(tmp_path / "model", LLAMA)
    in_bfloat16(folder)
    command = [sys.executable, "-m", "policy.weights", str(folder), "--out", str(tmp_path / "copy")]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert equal(load(tmp_path / "copy").params, load(folder).params)


def test_arrays_can_be_put_elsewhere_as_they_are_read(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model")
    params = load(folder, put=lambda place, array: (place.path, array.shape)).params
    assert params["blocks"][1]["attention"]["key"] == (("blocks", 1, "attention", "key"), (32, 32))


def change(folder: Path, **told: Any) -> None:
    """Change `config.json`; None takes a key away."""
    path = folder / "config.json"
    config = {**json.loads(path.read_text()), **told}
    path.write_text(json.dumps({k: v for k, v in config.items() if v is not None}))


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        ({"model_type": "gemma"}, "model_type 'gemma' is not known; take one of qwen3 and llama"),
        ({"hidden_size": None}, "hidden_size=None must be a whole number above 0; correct it"),
        ({"num_hidden_layers": True}, "num_hidden_layers=True must be a whole number above 0; correct it"),
        ({"attention_bias": True}, "attention_bias=True is not supported; take a model without"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "positions of type 'yarn' are not supported; take a model"),
        ({"rope_scaling": "yarn"}, "rope_scaling='yarn' is no object; correct it"),
        ({"hidden_act": "gelu"}, "hidden_act='gelu' is not silu; take another model"),
        ({"num_key_value_heads": 3}, "heads=4 is not a multiple of kv_heads=3; change either"),
        ({"rope_theta": "big"}, "rope_base: Input should be a valid number"),
        (
            {"intermediate_size": 65},
            r"tensor model.layers.0.mlp.gate_proj.weight has shape \(64, 32\), and the configuration beside "
            r"it wants \(65, 32\); take both from one model",
        ),
        ({"num_hidden_layers": 3}, "lacks the tensor model.layers.2.input_layernorm.weight; download"),
        ({"num_hidden_layers": 1}, "has 11 tensors for which this decoder has no place"),
    ],
)
def test_a_folder_that_does_not_fit_is_refused_in_one_line(
    told: dict[str, Any], complaint: str, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "model")
    change(folder, **told)
    with pytest.raises(WeightsError, match=complaint) as raised:
        load(folder)
    assert "\n" not in str(raised.value)


def test_newer_descriptions_keep_rotary_settings_together(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", LLAMA)
    change(folder, rope_theta=None, rope_parameters={"rope_type": "default", "rope_theta": 1e5})
    assert load(folder).config.rope_base == 1e5


def test_missing_and_broken_places_name_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"nowhere does not exist; name a Hugging Face folder or a \.gguf"):
        load(tmp_path / "nowhere")
    (tmp_path / "file.bin").write_text("x")
    with pytest.raises(WeightsError, match=r"file\.bin is neither a folder nor a \.gguf file"):
        load(tmp_path / "file.bin")
    (tmp_path / "empty").mkdir()
    with pytest.raises(WeightsError, match=r"empty has no config\.json; name a whole Hugging Face folder"):
        load(tmp_path / "empty")
    (tmp_path / "empty" / "config.json").write_text("[" * 100_000)
    with pytest.raises(WeightsError, match=r"config\.json cannot be read as JSON"):
        load(tmp_path / "empty")
    folder = write_folder(tmp_path / "model")
    (folder / "model.safetensors").write_bytes(b"no tensors at all")
    with pytest.raises(WeightsError, match=r"model\.safetensors cannot be read .* download it again"):
        load(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(WeightsError, match=r"has neither model\.safetensors nor model\.safetensors\.index"):
        load(folder)


def test_broken_templates_and_an_index_that_is_wrong_end_the_command_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever a download left: no text, a name that is a list, tensors that the index does not name."""

    def told(folder: Path) -> str:
        assert main([str(folder)]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        return said

    folder = write_folder(tmp_path / "binary")
    (folder / "chat_template.jinja").write_bytes(b"\xff\xfe")
    assert "chat_template.jinja cannot be read ('utf-8'" in told(folder)
    folder = write_folder(tmp_path / "listed")
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings["chat_template"] = [{"name": ["default"], "template": "x"}]
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    assert "has no chat template" in told(folder)
    folder = write_folder(tmp_path / "indexed")
    index = {"weight_map": {"model.norm.weight": "model.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert "index.json does not say that model.safetensors holds " in told(folder)
    folder = write_folder(tmp_path / "folder")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").mkdir()
    assert "model.safetensors cannot be read (" in told(folder)


def test_the_command_refuses_what_it_would_describe_wrongly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder(tmp_path / "model")
    change(folder, num_hidden_layers=3)
    assert main([str(folder)]) == 2
    assert "lacks the tensor model.layers.2.input_layernorm.weight" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert capsys.readouterr().err.count("\n") == 1


def test_an_index_that_leads_out_of_its_folder_is_distrusted(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model")
    index = {"weight_map": {"model.norm.weight": "../elsewhere.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(WeightsError, match="which is outside the folder; distrust it"):
        load(folder)


def test_saving_neither_overwrites_nor_leaves_halves(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model")
    with pytest.raises(WeightsError, match="exists already; name a new folder"):
        save(folder, QWEN, random_params(QWEN))
    with pytest.raises(
        WeightsError, match=r"the array norm\.scale has shape \(32,\), and the .* wants \(48,\)"
    ):
        save(tmp_path / "other", QWEN.model_copy(update={"width": 48}), {"norm": random_params(QWEN)["norm"],
             "embedding": np.zeros((520, 48)), **_zeros(QWEN.model_copy(update={"width": 48}))})  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    with pytest.raises(WeightsError, match="reads its embedding scaled by"):
        save(tmp_path / "third", DecoderConfig(), {})


def _zeros(config: DecoderConfig) -> Params:
    from policy.weights.places import places
    from policy.weights.source import _insert

    made: Params = {}
    for place in places(config):
        if place.path[0] in ("blocks", "head"):
            _insert(made, place.path, np.zeros(place.shape))
    return made


def test_the_command_describes_and_converts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_folder(tmp_path / "model")
    assert main([str(folder), "--out", str(tmp_path / "copy")]) == 0
    told = capsys.readouterr().out
    assert "2 layers, width 32, 4 heads on 2, 520 rows" in told
    assert "knows tools; calls are JSON within <tool_call>" in told
    assert equal(load(tmp_path / "copy").params, load(folder).params)
    assert (
        json.loads((tmp_path / "copy" / "tokenizer_config.json").read_text())["chat_template"]
        == (json.loads(speech()["tokenizer_config.json"])["chat_template"])
    )
    assert main([str(tmp_path / "nowhere")]) == 2
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1 and "does not exist" in complaint


def told(path: Path) -> dict[str, Any]:
    """An object in a file."""
    return dict(json.loads(path.read_text()))


BESIDE = {
    "max_position_embeddings": 131_072,
    "bos_token_id": 507,
    "eos_token_id": [507, 509],
    "pad_token_id": None,
}
"""Keys of `config.json` that the decoder does without, by the names that other programs document."""
SETTINGS = {
    "tokenizer_class": "Qwen2Tokenizer",
    "model_max_length": 131_072,
    "clean_up_tokenization_spaces": False,
    "add_bos_token": False,
    "additional_special_tokens": ["<|im_start|>", "<|im_end|>"],
    "bos_token": None,
    "eos_token": {"__type": "AddedToken", "content": "<|im_end|>", "lstrip": False, "special": True},
}


def test_a_converted_folder_tells_other_programs_what_its_source_told_them(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", LLAMA)
    config = {**told(folder / "config.json"), **BESIDE}
    (folder / "config.json").write_text(json.dumps(config))
    generation = {"do_sample": True, "temperature": 0.6, "eos_token_id": [507, 509], "top_p": 0.95}
    (folder / "generation_config.json").write_text(json.dumps(generation))
    (folder / "tokenizer_config.json").write_text(json.dumps(SETTINGS))
    (folder / "chat_template.jinja").write_text("{{ 'other' }}" + MARKED)
    assert main([str(folder), "--out", str(tmp_path / "copy")]) == 0
    copy = tmp_path / "copy"
    assert told(copy / "config.json") == config
    assert told(copy / "generation_config.json") == generation
    assert told(copy / "tokenizer_config.json") == {**SETTINGS, "chat_template": "{{ 'other' }}" + MARKED}


def test_what_a_source_does_not_say_is_not_made_up(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", LLAMA)
    # parameters that were saved alone: null, where other programs would take the tokens 1 and 2
    alone = told(folder / "config.json")
    assert alone["bos_token_id"] is None and alone["eos_token_id"] is None
    assert "max_position_embeddings" not in alone and not (folder / "generation_config.json").exists()
    config = {key: value for key, value in alone.items() if not key.endswith("_token_id")}
    (folder / "config.json").write_text(json.dumps(config))
    assert main([str(folder), "--out", str(tmp_path / "copy")]) == 0
    assert told(tmp_path / "copy" / "config.json") == config
    assert not (tmp_path / "copy" / "generation_config.json").exists()
    # any program can read a tokenizer.json with this class
    assert told(tmp_path / "copy" / "tokenizer_config.json")["tokenizer_class"] == "PreTrainedTokenizerFast"


def test_code_that_a_tokenizer_brings_is_not_asked_for_in_a_folder_that_lacks_it(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model")
    settings = told(folder / "tokenizer_config.json")
    own = {"tokenizer_class": "OwnTokenizer", "auto_map": {"AutoTokenizer": ["own.OwnTokenizer", None]}}
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, **own}))
    assert main([str(folder), "--out", str(tmp_path / "copy")]) == 0
    copied = told(tmp_path / "copy" / "tokenizer_config.json")
    assert copied == {**settings, "tokenizer_class": "PreTrainedTokenizerFast"}


def test_a_broken_generation_config_ends_the_command_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder(tmp_path / "model")
    (folder / "generation_config.json").write_text("[]")
    assert main([str(folder), "--out", str(tmp_path / "copy")]) == 2
    said = capsys.readouterr().err
    assert "generation_config.json holds a list, not an object; download it again" in said
    assert said.count("\n") == 1


def test_on_a_mesh_every_device_gets_its_share_as_the_arrays_are_read(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model")
    code = f"""
from policy.config import MeshConfig
from policy.mesh import use_mesh
from policy.weights.source import load
use_mesh(MeshConfig(fsdp=4))
key = load({str(folder)!r}).params["blocks"][1]["attention"]["key"]
print(key.shape, {{shard.data.shape for shard in key.addressable_shards}})
"""
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **flags}, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "(32, 32) {(8, 32)}", done.stderr
