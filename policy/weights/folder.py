"""`HuggingFaceFolder`: weights as `config.json` and one or several safetensors files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from policy.errors import WeightsError
from policy.weights.description import beside, read_description, read_json
from policy.weights.packages import needed
from policy.weights.places import Place

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
_FLOATS = ("F64", "F32", "F16", "BF16")


class HuggingFaceFolder:
    """A folder as the transformers library writes it. Files are mapped, not read whole."""

    def __init__(self, where: Path) -> None:
        self.where = where
        self.config = read_description(where)
        self._file_of = _files(where)

    def name_of(self, place: Place) -> str:
        return place.folder

    def shapes(self) -> dict[str, tuple[int, ...]]:
        found = {}
        for file in sorted(set(self._file_of.values())):
            with _opened(self.where / file) as tensors:
                for name in tensors.keys():  # noqa: SIM118 (no mapping, though it has keys)
                    if self._file_of.get(name) != file:
                        raise WeightsError(
                            f"{self.where / INDEX} does not say that {file} holds {name}; download both again"
                        )
                    part = tensors.get_slice(name)
                    if part.get_dtype() not in _FLOATS:
                        raise WeightsError(
                            f"{self.where / file}: tensor {name} is stored as {part.get_dtype()}; "
                            f"take weights that are stored as {', '.join(_FLOATS)}"
                        )
                    found[name] = tuple(part.get_shape())
        return found

    def beside(self) -> dict[str, Any]:
        return beside(read_json(self.where / "config.json"))

    def read(self, place: Place) -> np.ndarray:
        needed("ml_dtypes")  # tells NumPy of bfloat16; nothing else need have imported it
        with _opened(self.where / self._file_of[place.folder]) as tensors:
            return np.asarray(tensors.get_tensor(place.folder), np.float32)


def _files(where: Path) -> dict[str, str]:
    """Tensor name -> file that holds it."""
    if (where / INDEX).exists():
        listed = read_json(where / INDEX).get("weight_map")
        if not isinstance(listed, dict) or not all(isinstance(f, str) for f in listed.values()):
            raise WeightsError(f"{where / INDEX} has no weight_map of names; download it again")
        for file in sorted(set(listed.values())):
            if Path(file).name != file:
                raise WeightsError(
                    f"{where / INDEX} names {file!r}, which is outside the folder; distrust it"
                )
        return dict(listed)
    if not (where / SINGLE).exists():
        raise WeightsError(f"{where} has neither {SINGLE} nor {INDEX}; name a whole Hugging Face folder")
    with _opened(where / SINGLE) as tensors:
        return dict.fromkeys(tensors.keys(), SINGLE)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    safetensors = needed("safetensors")
    try:
        with safetensors.safe_open(path, framework="np") as tensors:
            yield tensors
    except FileNotFoundError:
        raise WeightsError(f"{path} is missing, though the index names it; download it as well") from None
    except (safetensors.SafetensorError, OSError) as error:
        raise WeightsError(f"{path} cannot be read ({error}); download it again") from error
