"""The device check works on one device and on several."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("devices", [1, 8])
def test_a_sharded_product_is_right(devices: int) -> None:
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "tpu_scripts/check_devices.py"],
        cwd=ROOT, env={**os.environ, **flags}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    assert f"over {devices} devices" in done.stdout
    assert done.stdout.rstrip().endswith(": right")
