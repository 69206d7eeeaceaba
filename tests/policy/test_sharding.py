"""The same updates on one device, on eight and in two processes; every matrix has its place on a mesh."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from policy.config import PRESETS, DecoderConfig, GrpoConfig, MeshConfig, PackingConfig, ProcessesConfig
from policy.decoder import parameters
from policy.errors import DeviceError
from policy.layout import shapes, share, split
from policy.mesh import join, make_mesh
from policy.packing import pack
from policy.trainer import Trainer
from tests.policy import sharded_updates

ROOT = Path(__file__).parents[2]
SIZES = {"data": 2, "fsdp": 2, "tensor": 4}


def paths(tree: Any) -> dict[str, tuple[int, ...]]:
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {"/".join(str(key.key) for key in path): leaf.shape for path, leaf in leaves}


@pytest.mark.parametrize("change", [{}, {"tied": False}, {"qk_norm": False}])
def test_shapes_are_known_without_making_the_parameters(change: dict[str, bool]) -> None:
    config = PRESETS["micro"].model_copy(update=change)
    assert shapes(config) == paths(jax.eval_shape(lambda: parameters(config, 0)))


def test_a_matrix_is_split_by_name_and_what_belongs_to_it_likewise() -> None:
    assert split("blocks/0/attention/query", (32, 64), SIZES) == ("fsdp", "tensor")
    assert split("1/inner_states/muon/0/mu/blocks/0/attention/query", (32, 64), SIZES) == ("fsdp", "tensor")
    assert split("blocks/0/hidden/down", (64, 32), SIZES) == ("tensor", "fsdp")
    assert split("embedding", (256, 32), SIZES) == ("tensor", "fsdp")


def test_what_a_mesh_does_not_divide_stays_whole() -> None:
    assert split("blocks/0/attention/key", (32, 6), SIZES) == ("fsdp", None)  # 6 / 4 leaves 2
    assert split("blocks/0/attention_norm/scale", (32,), SIZES) == (None,)
    assert split("count", (), SIZES) == ()
    assert share("embedding", (256, 32), MeshConfig(**SIZES)) == 256 * 32 // (4 * 2)


def test_every_matrix_of_a_decoder_has_a_rule() -> None:
    for path, shape in shapes(DecoderConfig(tied=False)).items():
        assert len(shape) == 1 or None not in split(path, shape, SIZES), path


def test_a_mesh_of_more_devices_than_there_are_is_refused() -> None:
    with pytest.raises(DeviceError, match=r"needs 4096 devices, and there are \d+; make policy.mesh smaller"):
        make_mesh(MeshConfig(data=64, fsdp=64))


def test_a_single_process_joins_nobody_and_a_lonely_one_is_told_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    join(ProcessesConfig())
    assert jax.process_count() == 1

    def fails(*given: object, **named: object) -> None:
        raise ValueError("coordinator_address should be defined.")

    monkeypatch.setattr(jax.distributed, "initialize", fails)
    with pytest.raises(DeviceError, match=r"2 processes could not be joined.*JAX_COORDINATOR_ADDRESS"):
        join(ProcessesConfig(count=2))


def test_activations_that_are_computed_again_give_equal_gradients() -> None:
    def gradients(decoder: DecoderConfig) -> Any:
        trainer = Trainer(decoder, GrpoConfig(), PackingConfig(width=48, rows=4))
        packed = pack(trainer.examples(sharded_updates.batch(0), 0), 48)
        return trainer.gradients(parameters(PRESETS["micro"], 0), packed)

    kept = gradients(PRESETS["micro"])
    again = gradients(PRESETS["micro"].model_copy(update={"remat": True}))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-6), kept, again)
    assert max(float(abs(leaf).max()) for leaf in jax.tree.leaves(kept.gradients)) > 1e-3


def program(
    name: str, directory: Path, devices: int, mesh: tuple[int, int, int], *words: str
) -> subprocess.Popen[str]:
    # Without the compiler's optimisations, which take longer than ten updates of a micro decoder.
    flags = f"--xla_force_host_platform_device_count={devices} --xla_backend_optimization_level=0"
    command = ["tests/policy/sharded_updates.py", name, str(directory), "--mesh", *map(str, mesh), *words]
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT, env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=900)
    assert process.returncode == 0, err[-2000:]
    return json.loads(out.splitlines()[-1])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.slow
def test_one_device_eight_devices_and_two_processes_give_the_same_losses_and_read_each_others_checkpoints(
    tmp_path: Path,
) -> None:
    together = ("--count", "2", "--coordinator", f"127.0.0.1:{free_port()}", "--load", "one", "eight")
    started = [
        program("eight", tmp_path, 8, (2, 2, 2), "--load", "one", "two"),
        program("two", tmp_path, 1, (1, 2, 1), "--index", "0", *together),
        program("two", tmp_path, 1, (1, 2, 1), "--index", "1", *together),
    ]
    try:
        trainer = sharded_updates.trainer()
        one = sharded_updates.run(trainer, "one", tmp_path, ("eight", "two"))
        eight, first, second = [told(process) for process in started]
    finally:
        for process in started:
            process.kill()
    assert len(one["losses"]) == 10
    for other in (eight, first, second):
        assert other["losses"] == pytest.approx(one["losses"], abs=1e-4)
        assert "fsdp" in other["embedding"] and other["moment"] == other["embedding"]
    # Parts of the words by parts of the features: 1 x 1, 2 x 2, 1 x 2.
    assert [each["share"] for each in (one, eight, first, second)] == [1.0, 0.25, 0.5, 0.5]
    after = [loss for each in (one, eight, first, second) for loss in each["next"].values()]
    assert len(after) == 4 * 3
    assert after == pytest.approx([after[0]] * 12, abs=1e-4)
