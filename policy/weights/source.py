"""`load`: a folder or a file of published weights becomes a decoder's shape and parameters."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from policy.config import DecoderConfig
from policy.errors import WeightsError
from policy.weights.folder import HuggingFaceFolder
from policy.weights.gguf_file import GgufFile
from policy.weights.places import Place, places

NO_PLACE = ("rotary_emb.inv_freq",)
"""Endings of tensors that hold nothing which is learned; old folders have them."""
_LISTED = 3
"""Names in a complaint."""


class Source(Protocol):
    """Weights that can be read one array at a time."""

    where: Path  # the folder or file, for complaints
    config: DecoderConfig

    def name_of(self, place: Place) -> str:
        """What this source calls the array."""

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of all tensors, by this source's names."""

    def beside(self) -> dict[str, Any]:
        """What `config.json` says to other programs, see `policy.weights.description.beside`."""

    def read(self, place: Place) -> np.ndarray:
        """One array as it is stored, float32; query and key rows in the order of half-split rotary pairs."""


class Weights(NamedTuple):
    """A decoder that was published."""

    config: DecoderConfig
    params: dict[str, Any]  # nested dictionary of float32 arrays, as `policy.decoder.parameters` makes them


def open_source(path: Path | str) -> Source:
    """The weights at a path; only the description is read so far.

    Raises WeightsError when there is no such place, or it holds no decoder of the Qwen3 or Llama family.
    """
    path = Path(path)
    if path.is_dir():
        return HuggingFaceFolder(path)
    if path.suffix == ".gguf" and path.is_file():
        return GgufFile(path)
    if not path.exists():
        raise WeightsError(f"{path} does not exist; name a Hugging Face folder or a .gguf file")
    raise WeightsError(f"{path} is neither a folder nor a .gguf file; name one of them")


def checked(path: Path | str) -> Source:
    """The weights at a path, whose tensors are those of their description; WeightsError when they are not."""
    source = open_source(path)
    _require_all(source, places(source.config))
    return source


def load(path: Path | str, put: Callable[[Place, np.ndarray], Any] | None = None) -> Weights:
    """Shape and parameters of published weights.

    Arrays are read one after the other, and each is put where it is to live before the next is read, so that
    weights larger than a device can be shared by a mesh. `put` takes an array in our layout (None: to where
    the mesh in use wants it, or to the first device without one).
    """
    source = checked(path)
    wanted = places(source.config)
    params: dict[str, Any] = {}
    for place in wanted:
        array = source.read(place)
        array = np.ascontiguousarray(array.T) if place.turned else array
        _insert(params, place.path, (put or _where_it_lies)(place, array))
    return Weights(source.config, params)


def _require_all(source: Source, wanted: list[Place]) -> None:
    """WeightsError unless the tensors are those of the described decoder, each of its shape."""
    shapes = source.shapes()
    for place in wanted:
        name = source.name_of(place)
        if name not in shapes:
            raise WeightsError(f"{source.where} lacks the tensor {name}; download the weights again")
        if shapes[name] != place.stored:
            raise WeightsError(
                f"{source.where}: tensor {name} has shape {shapes[name]}, and the configuration beside it "
                f"wants {place.stored}; take both from one model"
            )
    known = {source.name_of(place) for place in wanted} | {"lm_head.weight"}
    strange = sorted(name for name in shapes.keys() - known if not name.endswith(NO_PLACE))
    if strange:
        listed = ", ".join(strange[:_LISTED]) + (" ..." if len(strange) > _LISTED else "")
        raise WeightsError(
            f"{source.where} has {len(strange)} tensors for which this decoder has no place ({listed}); "
            f"take a model of the Qwen3 or Llama family without biases and rotary factors"
        )


def _insert(params: dict[str, Any], path: tuple[str | int, ...], array: Any) -> None:
    at: Any = params
    for key in path[:-1]:
        at = at.setdefault(key, {})
    at[path[-1]] = array


def _where_it_lies(place: Place, array: np.ndarray) -> Any:
    import jax

    from policy.sharding import place_of

    where = place_of(place.path, array)
    return jax.numpy.asarray(array) if where is None else jax.device_put(array, where)
