"""What the compiler makes of decoding, reading and copying on a mesh, and what is said: a program of its own.

Devices can only be chosen before JAX starts, so `test_playing_memory.py` runs this in a subprocess. Prints a
line of JSON: per compiled program the bytes of a device that it takes, arguments included, and those of the
largest collective operation; and what was said in some episodes.
"""

import argparse
import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from policy import generation
from policy.config import DecoderConfig, MeshConfig, PolicyConfig, RolloutConfig
from policy.decoder import parameters
from policy.mesh import use_mesh
from policy.rollout import RolloutEngine
from policy.shards import shards
from policy.world_codec import WorldCodec
from tests.fakes_policy import toy_task, toy_vocabulary

COLLECTIVE = re.compile(
    r"= (\(?[^=\n]*?) (?:all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute)"
)
ARRAY = re.compile(r"(pred|[su]8|[sufb]+16|[suf]32|[suf]64)\[([\d,]*)\]")
WIDTHS = {"pred": 1, "8": 1, "16": 2, "32": 4, "64": 8}


class Taken(NamedTuple):
    """What one program takes."""

    bytes: int  # of a device: arguments, results that are not in their place, and what lies there meanwhile
    moved: int  # bytes of the largest collective operation; 0 on one device


def config(mesh: MeshConfig) -> PolicyConfig:
    """A decoder small enough to be compiled soon, whose weights, rows and scores all weigh something."""
    return PolicyConfig(
        decoder=DecoderConfig(
            width=64, layers=2, heads=4, kv_heads=2, head_width=16, hidden=256, vocabulary_rows=256
        ),
        rollout=RolloutConfig(
            slots=16, decode_buckets=(8,), context=512, chunk_tokens=256, chunk_widths=(64, 256)
        ),
        packing={"width": 512, "rows": 4},
        mesh=mesh,
    )


def compiled(made: PolicyConfig) -> Iterator[tuple[str, Any]]:
    """Programs of a rollout, by name; `read` is of the widest chunk."""
    decoder, r = made.decoder, made.rollout
    params = parameters(decoder, 0)
    cache = generation.empty_cache(decoder, r.slots, r.context)

    def zeros(*shape: int, dtype: Any = np.int32) -> np.ndarray:
        return np.zeros(shape, dtype)

    d, width = max(r.decode_buckets), max(r.chunk_widths)
    rows_for = shards(r.slots, made.mesh.row_parts).rows_for
    rows, copied = rows_for(max(1, r.chunk_tokens // width)), rows_for(r.copy_rows)
    yield (
        "decode",
        generation._decode.lower(
            decoder, r.context, r.decode_steps, 2, params, cache, zeros(d), zeros(d), zeros(d), np.int32(4),
            zeros(d, dtype=np.uint32), jnp.uint32(0), jnp.float32(1),
        ).compile(),
    )  # fmt: skip
    yield (
        "read",
        generation._read.lower(
            decoder, r.context, params, cache, zeros(rows), zeros(rows, width), zeros(rows), zeros(rows)
        ).compile(),
    )
    yield "copy", generation.copy.lower(cache, zeros(copied), zeros(copied)).compile()


def taken(program: Any) -> Taken:
    """What a compiled program takes."""
    asked = program.memory_analysis()
    results = asked.output_size_in_bytes - asked.alias_size_in_bytes
    moved = max(map(_bytes, COLLECTIVE.findall(program.as_text())), default=0)
    return Taken(asked.argument_size_in_bytes + asked.temp_size_in_bytes + results, moved)


def played() -> dict[str, tuple[list[int], list[float]]]:
    """Tokens and log-probabilities of eight toy episodes, two of each task, by the names of requests."""
    rollout = RolloutConfig(
        context=128, slots=8, decode_buckets=(8,), chunk_tokens=256, chunk_widths=(64,), max_turn_tokens=8,
        max_turns=2,
    )  # fmt: skip
    decoder = config(MeshConfig()).decoder
    engine = RolloutEngine(WorldCodec(toy_vocabulary(256)), decoder, rollout)
    tasks = [toy_task(0, number, "direct") for number in range(4)]
    requests = [task.request(f"{name}{n}") for n, task in enumerate(tasks) for name in "ab"]
    found = engine.run(parameters(decoder, 0), requests, seed=1)
    return {each.request_name: (each.tokens.ids.tolist(), each.tokens.logp.tolist()) for each in found}


def _bytes(shapes: str) -> int:
    """Bytes of arrays as the compiler writes them, e.g. (f32[8,16]{1,0}, s32[])."""
    return sum(
        WIDTHS[name.lstrip("sufb") if name != "pred" else name]
        * math.prod(map(int, filter(None, sizes.split(","))))
        for name, sizes in ARRAY.findall(shapes)
    )


def main() -> None:
    """Choose the mesh, then compile."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mesh", type=int, nargs=3, default=(1, 1, 1))
    data, fsdp, tensor = parser.parse_args().mesh
    mesh = MeshConfig(data=data, fsdp=fsdp, tensor=tensor)
    use_mesh(mesh)
    programs = {name: taken(program) for name, program in compiled(config(mesh))}
    print(json.dumps({"programs": programs, "played": played()}))


if __name__ == "__main__":
    main()
