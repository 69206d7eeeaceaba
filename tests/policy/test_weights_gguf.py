"""GGUF files: dequantised, put back into the order of half-split rotary pairs, and refused in one line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from policy.config import DecoderConfig
from policy.decoder import Params
from policy.errors import WeightsError
from policy.weights.__main__ import main
from policy.weights.gguf_file import half_split
from policy.weights.places import places
from policy.weights.source import load
from tests.fakes_chat import LLAMA, MARKED, QWEN, random_params, tokenizer_json

gguf = pytest.importorskip("gguf", reason="needs the extra `weights`")
pytest.importorskip("tokenizers", reason="needs the extra `weights`")

LOSSES = {"F32": 0.0, "F16": 2e-3, "BF16": 4e-3, "Q8_0": 2e-2, "Q4_1": 0.2}
"""How far a matrix entry of about 0.5 may be off: BF16 keeps 8 bits, 2**-8 = 3.9e-3;
Q4_1 has 16 levels between least and largest of 32."""


def neighbours(array: np.ndarray, head_width: int) -> np.ndarray:
    """Rows with pairs half a head apart -> pairs as neighbours, one row after the other."""
    moved = np.empty_like(array)
    for row in range(len(array)):
        head, feature = divmod(row, head_width)
        half, pair = divmod(feature, head_width // 2)
        moved[head * head_width + 2 * pair + half] = array[row]
    return moved


def write(
    path: Path, config: DecoderConfig, params: Params, form: str = "F32", pre: str = "smollm", **changed: Any
) -> Path:
    """A GGUF file as converters write it; `changed` metadata has its own value, None leaves it out."""
    family = "qwen3" if config.qk_norm else "llama"
    writer = gguf.GGUFWriter(path, changed.pop("architecture", family))
    told = {
        "block_count": config.layers,
        "embedding_length": config.width,
        "feed_forward_length": config.hidden,
        "attention.head_count": config.heads,
        "attention.head_count_kv": config.kv_heads,
        "attention.key_length": config.head_width,
    } | {key.replace("__", "."): value for key, value in changed.items() if key != "eos"}
    for key, value in told.items():
        key = key if key.startswith("tokenizer.") else f"{family}.{key}"
        if isinstance(value, str):
            writer.add_string(key, value)
        elif isinstance(value, bool):
            writer.add_bool(key, value)
        elif value is not None:
            writer.add_uint32(key, value)
    writer.add_float32(f"{family}.rope.freq_base", config.rope_base)
    writer.add_float32(f"{family}.attention.layer_norm_rms_epsilon", config.norm_epsilon)
    _add_tokenizer(writer, pre, changed.get("eos", "<|im_end|>"))
    for place in places(config):
        array: Any = params
        for key in place.path:
            array = array[key]
        stored = np.asarray(array).T if place.turned else np.asarray(array)
        if family == "llama" and place.path[-1] in ("query", "key"):
            stored = neighbours(stored, config.head_width)
        _add(writer, place.gguf, np.ascontiguousarray(stored), form)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_tokenizer(writer: Any, pre: str, eos: str | None) -> None:
    made = json.loads(tokenizer_json())
    special = {token["content"] for token in made["added_tokens"]}
    vocabulary = made["model"]["vocab"] | {token["content"]: token["id"] for token in made["added_tokens"]}
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token in special else 1 for token in tokens])
    writer.add_token_merges([" ".join(merge) for merge in made["model"]["merges"]])
    if eos is not None:
        writer.add_eos_token_id(vocabulary[eos])
    writer.add_chat_template(MARKED)


def _add(writer: Any, name: str, array: np.ndarray, form: str) -> None:
    kind = gguf.GGMLQuantizationType[form if array.ndim > 1 else "F32"]
    data = array.astype(np.float32) if form == "F32" or array.ndim == 1 else gguf.quants.quantize(array, kind)
    writer.add_tensor(name, data, raw_dtype=kind)


def test_half_split_undoes_the_order_of_neighbours() -> None:
    # one head of 4 features: pairs (0, 2) and (1, 3) stand as 0 2 1 3 in the file
    rows = np.arange(4.0)[:, None] * np.ones((1, 3))
    assert neighbours(rows, 4)[:, 0].tolist() == [0, 2, 1, 3]
    assert half_split(neighbours(rows, 4), 4).tolist() == rows.tolist()


@pytest.mark.parametrize("config", [QWEN, LLAMA], ids=["qwen3", "llama"])
@pytest.mark.parametrize("form", LOSSES)
def test_every_tested_form_of_storage_is_read(config: DecoderConfig, form: str, tmp_path: Path) -> None:
    params = random_params(config)
    read, back = load(write(tmp_path / "model.gguf", config, params, form))
    assert read == config
    for place in places(config):
        wanted: Any = params
        found: Any = back
        for key in place.path:
            wanted, found = wanted[key], found[key]
        np.testing.assert_allclose(found, wanted, atol=LOSSES[form] * float(np.abs(wanted).max()))


def test_other_files_are_refused_in_one_line(tmp_path: Path) -> None:
    params = random_params(LLAMA)
    with pytest.raises(WeightsError, match="architecture 'gemma3' is not known; take one of qwen3 and llama"):
        load(write(tmp_path / "a.gguf", LLAMA, params, architecture="gemma3"))
    with pytest.raises(
        WeightsError, match=r"does not say llama\.feed_forward_length; take another conversion"
    ):
        load(write(tmp_path / "b.gguf", LLAMA, params, feed_forward_length=None))
    with pytest.raises(WeightsError, match="rotary positions of type 'linear' are not supported"):
        load(write(tmp_path / "c.gguf", LLAMA, params, rope__scaling__type="linear"))
    with pytest.raises(WeightsError, match=r"is stored as Q4_0; take a file that uses F32, F16"):
        load(write(tmp_path / "d.gguf", LLAMA, params, "Q4_0"))
    with pytest.raises(WeightsError, match=r"lacks the tensor blk\.2\.attn_norm\.weight; download"):
        load(write(tmp_path / "e.gguf", LLAMA, params, block_count=3))
    whole = (tmp_path / "a.gguf").read_bytes()
    for size in (0, 3, 8, 300, len(whole) // 2):
        (tmp_path / "cut.gguf").write_bytes(whole[:size])
        with pytest.raises(WeightsError, match=r"is no whole GGUF file .* download it again") as raised:
            load(tmp_path / "cut.gguf")
        assert "\n" not in str(raised.value)


def test_words_that_were_damaged_end_the_command_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = write(tmp_path / "a.gguf", QWEN, random_params(QWEN)).read_bytes()
    first, second = json.loads(tokenizer_json())["model"]["merges"][0]
    merge = f"{first} {second}".encode()
    at = whole.index(len(merge).to_bytes(8, "little") + merge, whole.index(b"tokenizer.ggml.merges"))
    strange = whole[: at + 8] + b"\x01" * (len(merge) - 2) + b" \x01" + whole[at + 8 + len(merge) :]
    start = MARKED[:20].encode()
    no_text = whole.replace(start, b"\xff" * len(start), 1)
    for changed, told in (
        (strange, "its tokenizer cannot be built ("),
        (no_text, "tokenizer.chat_template cannot be read ('utf-8'"),
    ):
        (tmp_path / "b.gguf").write_bytes(changed)
        assert main([str(tmp_path / "b.gguf")]) == 2
        said = capsys.readouterr().err
        assert told in said and said.endswith("download it again\n") and said.count("\n") == 1


@pytest.mark.parametrize("pre", ["smollm", "qwen2", "llama-bpe"])
def test_a_tokenizer_is_rebuilt_and_spells_anything(pre: str, tmp_path: Path) -> None:
    from policy.chat.codec import ChatCodec

    codec = ChatCodec.read(write(tmp_path / "model.gguf", LLAMA, random_params(LLAMA), pre=pre))
    assert codec.style.end == "<|im_end|>" and codec.tokenizer.id_to_token(codec.end) == "<|im_end|>"
    for text in ("Set ticket TIC-0001 to 25.5", "  two\n\n lines\t", "Grüße, 東京 🙂", "<|im_start|>user\n"):
        assert codec.tokenizer.decode(codec.encode(text), skip_special_tokens=False) == text
    assert len(codec.encode("<|im_end|>")) == 1


def test_digits_stay_together_as_the_family_has_them(tmp_path: Path) -> None:
    from policy.chat.gguf_tokenizer import tokenizer_of
    from policy.weights.gguf_file import GgufFile

    for pre, pieces in (("smollm", 4), ("qwen2", 4), ("llama-bpe", 2)):
        made = tokenizer_of(GgufFile(write(tmp_path / f"{pre}.gguf", LLAMA, random_params(LLAMA), pre=pre)))
        assert len(made.pre_tokenizer.pre_tokenize_str("2026")) == pieces  # 2 0 2 6, or 202 6


def test_an_unknown_tokenizer_points_to_the_folder(tmp_path: Path) -> None:
    from policy.chat.assets import read_assets

    with pytest.raises(WeightsError, match=r"of kind 'gpt2', 'tekken' is not known; use .* tokenizer\.json"):
        read_assets(write(tmp_path / "model.gguf", LLAMA, random_params(LLAMA), pre="tekken"))


def converted(path: Path, folder: Path) -> list[dict[str, Any]]:
    """config.json, tokenizer_config.json and generation_config.json of a file made a folder; {}: absent."""
    assert main([str(path), "--out", str(folder)]) == 0
    names = ("config.json", "tokenizer_config.json", "generation_config.json")
    return [json.loads((folder / n).read_text()) if (folder / n).exists() else {} for n in names]


def test_other_programs_are_told_where_a_text_ends_and_how_long_it_may_be(tmp_path: Path) -> None:
    # 500 tokens, then the special ones: <|endoftext|> is 500, <|im_start|> 501, <|im_end|> 502
    params, roles = random_params(LLAMA), "tokenizer__ggml__"
    named = {"bos_token_id": 501, "eot_token_id": 500, "padding_token_id": 500, "add_bos_token": True}
    file = write(
        tmp_path / "a.gguf", LLAMA, params, context_length=8_192,
        **{roles + key: value for key, value in named.items()},
    )  # fmt: skip
    config, settings, generation = converted(file, tmp_path / "a")
    ids = {"bos_token_id": 501, "eos_token_id": [500, 502], "pad_token_id": 500}
    assert config == {**config, "max_position_embeddings": 8_192, **ids}
    assert generation == ids
    assert settings == {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "clean_up_tokenization_spaces": False,
        "add_bos_token": True,
        "model_max_length": 8_192,
        "chat_template": MARKED,
    }


def test_a_file_that_names_no_tokens_has_a_folder_that_says_so(tmp_path: Path) -> None:
    file = write(tmp_path / "a.gguf", LLAMA, random_params(LLAMA), eos=None)
    config, settings, generation = converted(file, tmp_path / "a")
    # null, where other programs would take the tokens 1 and 2
    assert [config[f"{role}_token_id"] for role in ("bos", "eos", "pad")] == [None, None, None]
    assert "max_position_embeddings" not in config and "model_max_length" not in settings
    assert generation == {}


def test_a_length_that_is_no_number_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "a.gguf", LLAMA, random_params(LLAMA), context_length="long")
    assert main([str(file), "--out", str(tmp_path / "a")]) == 2
    assert "llama.context_length='long' is no whole number; take another" in capsys.readouterr().err
