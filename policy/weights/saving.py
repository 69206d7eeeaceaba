"""`save`: a decoder becomes a Hugging Face folder that other programs read."""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from policy.config import DecoderConfig
from policy.errors import WeightsError
from policy.weights.description import described
from policy.weights.folder import INDEX, SINGLE
from policy.weights.packages import needed
from policy.weights.places import Place, places

FILE_BYTES = 4_000_000_000
"""Size at which the next file of a folder begins."""


def save(
    folder: Path | str,
    config: DecoderConfig,
    params: dict[str, Any],
    speech: dict[str, str] | None = None,
    file_bytes: int = FILE_BYTES,
    beside: Mapping[str, Any] | None = None,
) -> Path:
    """Write parameters as float32 safetensors with their `config.json`; the folder appears when it is whole.

    `speech`: further files by name, which are the tokenizer's (`ChatAssets.files`). `beside`: what other
    programs read in `config.json` beside the shape (`Source.beside`, of the weights that the decoder began
    with). Raises WeightsError when the folder exists, or the decoder scales its embedding: no published
    architecture does.
    """
    folder = Path(folder)
    if config.scaled_embedding:
        raise WeightsError(
            "this decoder reads its embedding scaled by sqrt(width), which no program for published weights "
            "does; save decoders that began as published ones"
        )
    if folder.exists():
        raise WeightsError(f"{folder} exists already; name a new folder")
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        _write_tensors(part, config, params, file_bytes)
        told = described(config, beside)
        texts = {"config.json": json.dumps(told, indent=2) + "\n", **(speech or {})}
        for name, text in texts.items():
            (part / name).write_text(text, encoding="utf-8")
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _write_tensors(folder: Path, config: DecoderConfig, params: dict[str, Any], file_bytes: int) -> None:
    write = needed("safetensors.numpy").save_file
    groups = list(_groups(places(config), file_bytes))
    file_of: dict[str, str] = {}
    for number, group in enumerate(groups, start=1):
        name = SINGLE if len(groups) == 1 else f"model-{number:05d}-of-{len(groups):05d}.safetensors"
        write(
            {place.folder: _stored(place, params) for place in group},
            folder / name,
            metadata={"format": "pt"},
        )
        file_of |= {place.folder: name for place in group}
    if len(groups) > 1:
        size = sum(_bytes(place) for group in groups for place in group)
        index = {"metadata": {"total_size": size}, "weight_map": file_of}
        (folder / INDEX).write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")


def _groups(wanted: list[Place], file_bytes: int) -> Iterator[list[Place]]:
    """Arrays of each file, in their order."""
    group: list[Place] = []
    for place in wanted:
        if group and sum(map(_bytes, group)) + _bytes(place) > file_bytes:
            yield group
            group = []
        group.append(place)
    yield group


def _bytes(place: Place) -> int:
    return 4 * int(np.prod(place.shape))


def _stored(place: Place, params: dict[str, Any]) -> np.ndarray:
    at: Any = params
    for key in place.path:
        at = at[key]
    array = np.asarray(at, np.float32)
    if array.shape != place.shape:
        raise WeightsError(
            f"the array {'.'.join(map(str, place.path))} has shape {array.shape}, and the configuration "
            f"wants {place.shape}; save parameters with their own configuration"
        )
    return np.ascontiguousarray(array.T if place.turned else array)
