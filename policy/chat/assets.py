"""`ChatAssets`: a published model's tokenizer and chat template, out of its folder or GGUF file."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from policy.chat.gguf_tokenizer import tokenizer_of
from policy.errors import WeightsError
from policy.weights.description import read_json
from policy.weights.gguf_file import GgufFile
from policy.weights.packages import needed

_TEMPLATE = "chat_template.jinja"
_GENERATION = "generation_config.json"
_ANYBODYS = "PreTrainedTokenizerFast"
"""The class with which other programs read any `tokenizer.json`."""
_ROLES = {"bos": "bos", "eos": "eos", "pad": "padding"}
"""Roles of tokens, and what a GGUF file calls them."""
_ADDED = ("add_bos_token", "add_eos_token")
_NAMES = ("bos_token", "eos_token", "pad_token", "unk_token")


class ChatAssets(NamedTuple):
    """How a model reads and writes."""

    where: Path  # the folder or file, for complaints
    tokenizer: Any  # tokenizers.Tokenizer
    template: str  # Jinja source
    names: dict[str, str]  # texts of tokens by role, e.g. bos_token, which templates use
    settings: Mapping[str, Any] = MappingProxyType({})  # further ones of the tokenizer, for other programs
    generation: Mapping[str, Any] | None = None  # how other programs are to sample; None: nothing is told

    def files(self) -> dict[str, str]:
        """The same as files of a Hugging Face folder."""
        told = {"tokenizer_class": _ANYBODYS, **self.names, **self.settings, "chat_template": self.template}
        texts = {"tokenizer.json": self.tokenizer.to_str(), "tokenizer_config.json": _object(told)}
        return texts if self.generation is None else {**texts, _GENERATION: _object(self.generation)}


def read_assets(path: Path | str) -> ChatAssets:
    """Tokenizer and template at a path; WeightsError when there are none."""
    path = Path(path)
    return _of_folder(path) if path.is_dir() else _of_file(GgufFile(path))


def _of_folder(folder: Path) -> ChatAssets:
    if not (folder / "tokenizer.json").exists():
        raise WeightsError(f"{folder} has no tokenizer.json; download the whole folder")
    try:
        tokenizer = needed("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # the library raises nothing narrower
        raise WeightsError(f"{folder}/tokenizer.json cannot be read ({error}); download it again") from error
    told = read_json(folder / "tokenizer_config.json")
    names = {name: _text(told[name]) for name in _NAMES if told.get(name)}
    generation = read_json(folder / _GENERATION) if (folder / _GENERATION).exists() else None
    return ChatAssets(folder, tokenizer, _template(folder, told), names, _settings(told), generation)


def _settings(told: dict[str, Any]) -> dict[str, Any]:
    """What is kept of `tokenizer_config.json`: all but code of its own, which is not carried along."""
    own = "auto_map" in told
    gone = ("auto_map", "tokenizer_class") if own else ()
    return {key: value for key, value in told.items() if key not in gone}


def _template(folder: Path, told: dict[str, Any]) -> str:
    """The template of a folder: a file of its own, a text, or the one of several that knows tools."""
    if (folder / _TEMPLATE).exists():
        try:
            return (folder / _TEMPLATE).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise WeightsError(f"{folder / _TEMPLATE} cannot be read ({error}); download it again") from error
    found = told.get("chat_template")
    if isinstance(found, list):
        named = {str(entry.get("name")): entry.get("template") for entry in found if isinstance(entry, dict)}
        found = named.get("tool_use") or named.get("default")
    if not isinstance(found, str):
        raise WeightsError(
            f"{folder} has no chat template ({_TEMPLATE} or chat_template in tokenizer_config.json); "
            f"take the model's instruction-tuned variant"
        )
    return found


def _text(token: Any) -> str:
    """A token is written as its text, or as an object with its content."""
    return str(token["content"]) if isinstance(token, dict) and "content" in token else str(token)


def _of_file(file: GgufFile) -> ChatAssets:
    template = file.value("tokenizer.chat_template", "")
    if not template:
        raise WeightsError(f"{file.where} has no chat template; take the model's instruction-tuned variant")
    tokens = file.value("tokenizer.ggml.tokens")
    ids = {f"{name}_token": file.token(role) for name, role in _ROLES.items()}
    names = {name: tokens[i] for name, i in ids.items() if i is not None and 0 <= i < len(tokens)}
    generation = {key: i for key, i in file.beside().items() if key.endswith("_token_id") and i is not None}
    return ChatAssets(file.where, tokenizer_of(file), template, names, _settings_of(file), generation or None)


def _settings_of(file: GgufFile) -> dict[str, Any]:
    """The same settings, as far as a GGUF file has them."""
    added = [key for key in _ADDED if file.value(f"tokenizer.ggml.{key}", False)]
    positions = file.beside().get("max_position_embeddings")
    return {
        "clean_up_tokenization_spaces": False,  # or a space before a punctuation mark would be lost
        **dict.fromkeys(added, True),
        **({} if positions is None else {"model_max_length": positions}),
    }


def _object(told: Mapping[str, Any]) -> str:
    return json.dumps(dict(told), indent=2, ensure_ascii=False) + "\n"
