"""`GgufFile`: weights, tokenizer and chat template in one GGUF file.

For the Llama family the file holds query and key rows permuted, so that the two features which one rotary
angle turns are neighbours. This decoder pairs a feature with the one half a head further, as the published
folders do, so the rows are put back.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from policy.errors import WeightsError
from policy.weights.description import FAMILIES, published
from policy.weights.packages import needed
from policy.weights.places import Place

PERMUTED = ("query", "key")
_STORED = ("F32", "F16", "BF16", "Q8_0", "Q4_1")
"""Forms of storage that are tested; all others are refused."""
_ABSENT = -1
_ENDS = ("eos", "eot", "eom")
"""Tokens that end a text, a turn, and a message with a call; a file names some of them."""


class GgufFile:
    """A GGUF file. It is mapped; arrays are dequantised when they are read."""

    def __init__(self, where: Path) -> None:
        self.where = where
        self._reader = _reader(where)
        self._tensors = {tensor.name: tensor for tensor in self._reader.tensors}
        self.family = self.value("general.architecture")
        if self.family not in FAMILIES:
            raise WeightsError(
                f"{where}: architecture {self.family!r} is not known; take one of {' and '.join(FAMILIES)}"
            )
        self._require_plain()
        self.config = published(where, self._fields())

    def value(self, key: str, default: Any = None) -> Any:
        """A metadata value; WeightsError when it is absent and has no default."""
        field = self._reader.fields.get(key)
        if field is not None:
            try:
                return field.contents()
            except (ValueError, IndexError) as error:  # no text, among others
                raise WeightsError(
                    f"{self.where}: {key} cannot be read ({error}); download it again"
                ) from error
        if default is None:
            raise WeightsError(f"{self.where} does not say {key}; take another conversion of the model")
        return default

    def name_of(self, place: Place) -> str:
        return place.gguf

    def shapes(self) -> dict[str, tuple[int, ...]]:
        for tensor in self._tensors.values():
            if tensor.tensor_type.name not in _STORED:
                raise WeightsError(
                    f"{self.where}: tensor {tensor.name} is stored as {tensor.tensor_type.name}; "
                    f"take a file that uses {', '.join(_STORED)}"
                )
        return {name: self._shape(name) for name in self._tensors}

    def beside(self) -> dict[str, Any]:
        positions = self._whole(f"{self.family}.context_length")
        known = {} if positions is None else {"max_position_embeddings": positions}
        ends = sorted({i for name in _ENDS if (i := self.token(name)) is not None})
        return {
            **known,
            "bos_token_id": self.token("bos"),
            "eos_token_id": ends if len(ends) > 1 else ends[0] if ends else None,
            "pad_token_id": self.token("padding"),
        }

    def token(self, role: str) -> int | None:
        """The id of the token with a role, e.g. `eos`; None when the file names none."""
        return self._whole(f"tokenizer.ggml.{role}_token_id")

    def _whole(self, key: str) -> int | None:
        found = self.value(key, _ABSENT)
        if not isinstance(found, int):
            raise WeightsError(f"{self.where}: {key}={found!r} is no whole number; take another conversion")
        return None if found == _ABSENT else found

    def read(self, place: Place) -> np.ndarray:
        tensor = self._tensors[place.gguf]
        plain = needed("gguf.quants").dequantize(tensor.data, tensor.tensor_type)
        array = np.asarray(plain, np.float32).reshape(place.stored)
        if self.family == "llama" and place.path[-1] in PERMUTED:
            return half_split(array, self.config.head_width)
        return array

    def _shape(self, name: str) -> tuple[int, ...]:
        return tuple(int(size) for size in reversed(self._tensors[name].shape))

    def _fields(self) -> dict[str, Any]:
        heads, width = self._own("attention.head_count"), self._own("embedding_length")
        whole = all(isinstance(number, int) and number > 0 for number in (heads, width))
        if not whole or "token_embd.weight" not in self._tensors:
            raise WeightsError(
                f"{self.where} describes no decoder ({heads!r} heads, width {width!r}, "
                f"{len(self._tensors)} tensors); take another conversion of the model"
            )
        return {
            "width": width,
            "layers": self._own("block_count"),
            "heads": heads,
            "kv_heads": self._own("attention.head_count_kv", heads),
            "head_width": self._own(
                "attention.key_length", self._own("rope.dimension_count", width // heads)
            ),
            "hidden": self._own("feed_forward_length"),
            "vocabulary_rows": self._shape("token_embd.weight")[0],
            "qk_norm": self.family == "qwen3",
            "tied": "output.weight" not in self._tensors,
            "rope_base": _short(self._own("rope.freq_base", 10_000.0)),
            "norm_epsilon": _short(self._own("attention.layer_norm_rms_epsilon")),
        }

    def _own(self, key: str, default: Any = None) -> Any:
        return self.value(f"{self.family}.{key}", default)

    def _require_plain(self) -> None:
        kind = self._own("rope.scaling.type", "none")
        if kind != "none":
            raise WeightsError(
                f"{self.where}: rotary positions of type {kind!r} are not supported; take a model without"
            )


def _short(value: float) -> float:
    """1e-05 where the file has its nearest float32, 9.99999974e-06."""
    return float(str(np.float32(value)))


def half_split(array: np.ndarray, head_width: int) -> np.ndarray:
    """Rows [heads * head_width, in] with rotary pairs as neighbours -> pairs half a head apart."""
    pairs = array.reshape(-1, head_width // 2, 2, array.shape[-1])  # [head, pair, member, in]
    return np.ascontiguousarray(pairs.swapaxes(1, 2).reshape(array.shape))


def _reader(where: Path) -> Any:
    stamp = where.stat()
    return _read(where, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=2)
def _read(where: Path, changed: int, size: int) -> Any:
    """The file as it is now; its words alone take seconds, and weights and tokenizer are read apart."""
    gguf = needed("gguf")
    try:
        return gguf.GGUFReader(where)
    except (ValueError, IndexError, KeyError, OverflowError, UnicodeDecodeError) as error:
        raise WeightsError(f"{where} is no whole GGUF file ({error}); download it again") from error
