"""`ChatAssets`: a published model's tokenizer and chat template, out of its folder or GGUF file."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from policy.chat.gguf_tokenizer import tokenizer_of
from policy.errors import WeightsError
from policy.weights.description import read_json
from policy.weights.gguf_file import GgufFile
from policy.weights.packages import needed

_TEMPLATE = "chat_template.jinja"
_NAMES = ("bos_token", "eos_token", "pad_token", "unk_token")


class ChatAssets(NamedTuple):
    """How a model reads and writes."""

    where: Path  # the folder or file, for complaints
    tokenizer: Any  # tokenizers.Tokenizer
    template: str  # Jinja source
    names: dict[str, str]  # texts of tokens by role, e.g. bos_token, which templates use

    def files(self) -> dict[str, str]:
        """The same as files of a Hugging Face folder."""
        told = {"chat_template": self.template, **self.names}
        return {
            "tokenizer.json": self.tokenizer.to_str(),
            "tokenizer_config.json": json.dumps(told, indent=2, ensure_ascii=False) + "\n",
        }


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
    return ChatAssets(folder, tokenizer, _template(folder, told), names)


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
    roles = {"bos_token": "bos_token_id", "eos_token": "eos_token_id", "pad_token": "padding_token_id"}
    ids = {role: file.value(f"tokenizer.ggml.{key}", -1) for role, key in roles.items()}
    names = {role: tokens[i] for role, i in ids.items() if 0 <= i < len(tokens)}
    return ChatAssets(file.where, tokenizer_of(file), template, names)
