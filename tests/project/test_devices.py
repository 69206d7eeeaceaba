"""The device check and the update benchmark work on one device and on several."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def script(name: str, *words: str, devices: int = 1) -> subprocess.CompletedProcess[str]:
    """Run a script of tpu_scripts with so many simulated devices."""
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}", "JAX_PLATFORMS": "cpu"}
    return subprocess.run(
        [sys.executable, f"tpu_scripts/{name}", *words],
        cwd=ROOT, env={**os.environ, **flags}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("devices", [1, 8])
def test_a_sharded_product_is_right(devices: int) -> None:
    done = script("check_devices.py", devices=devices)
    assert done.returncode == 0, done.stderr[-500:]
    assert f"over {devices} devices" in done.stdout
    assert done.stdout.rstrip().endswith(": right")


@pytest.mark.slow
def test_updates_are_timed_and_the_device_is_named() -> None:
    done = script("bench_update.py", "--preset", "micro", "--episodes", "8", "--repeat", "1", devices=2)
    assert done.returncode == 0, done.stderr[-500:]
    found = re.search(r"update +(\d+) tokens/s \((\d+) tokens of 8 episodes in ([\d.]+) s; ", done.stdout)
    assert found, done.stdout
    rate, tokens, seconds = (float(group) for group in found.groups())
    assert tokens / rate == pytest.approx(seconds, abs=0.0006)  # as far as the three are rounded
    assert "peak " in done.stdout
    assert done.stdout.rstrip().endswith("device     cpu (cpu); the update used 1 of 2")


@pytest.mark.parametrize("words", [("--repeat", "0"), ("--preset", "huge")])
def test_a_benchmark_that_makes_no_sense_is_refused(words: tuple[str, str]) -> None:
    done = script("bench_update.py", *words)
    assert done.returncode == 2
    assert words[0] in done.stderr.splitlines()[-1]
