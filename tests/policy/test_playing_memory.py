"""What episodes in progress are planned to take is what the compiler asks for, also on a mesh."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from policy.config import PRESETS, MeshConfig, PackingConfig, PolicyConfig, RolloutConfig
from policy.memory_plan import plan
from policy.playing_memory import cache, copying, decoding, playing, reading
from tests.policy import compiled_playing

ROOT = Path(__file__).parents[2]
CALLS: dict[str, Callable[[PolicyConfig], dict[str, int]]] = {
    "decode": decoding,
    "read": reading,
    "copy": copying,
}


@lru_cache
def told(*mesh: int) -> dict[str, Any]:
    """What the program says of a mesh of simulated devices."""
    devices = mesh[0] * mesh[1] * mesh[2]
    # Without optimisations that are of no weight here and take most of the time.
    flags = f"--xla_force_host_platform_device_count={devices} --xla_backend_optimization_level=0"
    done = subprocess.run(
        [sys.executable, "tests/policy/compiled_playing.py", "--mesh", *map(str, mesh)],
        cwd=ROOT, env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def programs(*mesh: int) -> dict[str, compiled_playing.Taken]:
    """What the compiled programs take on a mesh."""
    return {name: compiled_playing.Taken(*values) for name, values in told(*mesh)["programs"].items()}


def planned(config: PolicyConfig, call: str) -> int:
    """Bytes of a device in the plan of a call: parameters, the cache with its logits, and its own."""
    lasting = {item.name: item.bytes for item in plan(config).items}
    held = ("parameters", "key-value cache", "logits of all slots")
    without_parameters = held if call != "copy" else held[1:]
    return sum(lasting[name] for name in without_parameters) + sum(CALLS[call](config).values())


@pytest.mark.slow
@pytest.mark.parametrize("mesh", [(1, 1, 1), (1, 4, 1)])
def test_a_call_is_planned_to_within_fifteen_percent_of_what_the_compiler_asks_for(
    mesh: tuple[int, int, int],
) -> None:
    config = compiled_playing.config(MeshConfig(data=mesh[0], fsdp=mesh[1], tensor=mesh[2]))
    found = programs(*mesh)
    assert {name: planned(config, name) for name in CALLS} == pytest.approx(
        {name: found[name].bytes for name in CALLS}, rel=0.15
    )


@pytest.mark.slow
def test_no_keys_values_or_weights_move_between_devices_that_decode_or_copy() -> None:
    found = programs(1, 4, 1)
    # Moved at most: the products of 8 rows with 256 hidden units, twice, or as many logits, in 4 bytes.
    assert found["decode"].moved == 2 * 8 * 256 * 4
    assert found["copy"].moved == 0
    # Many tokens are read at once, and a layer's matrices are gathered for them.
    assert found["read"].moved == 64 * 256 * 4


@pytest.mark.slow
def test_what_is_said_on_a_mesh_is_what_one_device_says() -> None:
    one, four = told(1, 1, 1)["played"], told(1, 4, 1)["played"]
    assert {name: ids for name, (ids, _) in four.items()} == {name: ids for name, (ids, _) in one.items()}
    for name, (_, logp) in four.items():
        assert logp == pytest.approx(one[name][1], abs=1e-5)
    assert len({tuple(ids) for ids, _ in one.values()}) == 8 and min(len(ids) for ids, _ in one.values()) > 8


def micro(mesh: MeshConfig = MeshConfig(), **rollout: object) -> PolicyConfig:  # noqa: B008
    return PolicyConfig(
        decoder=PRESETS["micro"], rollout=RolloutConfig(**rollout), packing=PackingConfig(rows=32), mesh=mesh
    )


def test_what_playing_takes_on_one_device_by_hand() -> None:
    config = micro(slots=64, decode_buckets=(64, 16), chunk_tokens=128, chunk_widths=(8, 128))
    # Keys and values of 64 slots x 256 tokens x 2 layers x 1 head x 16 features, and of as many rows again.
    assert cache(config) == 2 * 4 * 64 * 256 * 2 * 16
    # Logits and probabilities of 64 rows x 256 words.
    assert decoding(config) == {
        "rows that are decoded": cache(config),
        "logits of a turn": 2 * 4 * 64 * 256,
        "weights gathered whole": 0,
    }
    # Sixteen rows of 8 tokens: what they have read and the 8 beside it, and two arrays of 2 heads x 8 x
    # (256 + 8) scores for each. One row of 128 tokens takes less: it has more scores, but one row to look at.
    assert reading(config) == {
        "rows that read": 16 * (256 + 8) * cache(config) // 256 // 64,
        "scores of what is read": 2 * 4 * 16 * 2 * 8 * (256 + 8),
        "weights gathered whole": 0,
    }
    assert copying(config) == {"rows that are copied": 8 * cache(config) // 64}
    # Decoding takes most, so the others are not counted beside it.
    assert playing(config) == {
        "key-value cache": cache(config),
        "logits of all slots": 4 * 64 * 256,
        **decoding(config),
    }


def test_slots_that_a_mesh_does_not_divide_stay_whole() -> None:
    caches = [cache(micro(MeshConfig(fsdp=parts), slots=16, decode_buckets=(8,))) for parts in (1, 8, 32)]
    assert caches == [caches[0], caches[0] // 8, caches[0]]
    # One key-value head is not split by two; 256 words are.
    one, two = playing(micro()), playing(micro(MeshConfig(tensor=2)))
    assert one["key-value cache"] == two["key-value cache"]
    assert one["logits of all slots"] == 2 * two["logits of all slots"]
