"""Two real processes on loopback run what one process runs, are killed, and go on."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.ledger import Ledger

ROOT = Path(__file__).resolve().parents[2]
POLICY = (
    "policy.mesh.data=2", "curriculum.gate=tests.loop.fakes:OpenGate", "policy.grpo.entropy=0.01",
)  # fmt: skip
"""Two devices; updated in every step: by its entropy, where no reward tells it anything."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def begun(
    place: Path, *more: str, devices: int = 1, kill: tuple[str, int] | None = None
) -> subprocess.Popen[str]:
    """A run that has been started. Without the compiler's optimisations, which take longer than the run."""
    flags = f"--xla_force_host_platform_device_count={devices} --xla_backend_optimization_level=0"
    module = ["tests.loop.killed_run", kill[0], str(kill[1])] if kill else ["loop.run"]
    words = ["experiments/micro.yaml", *POLICY, f"cache={place / 'cache'}", "--run-dir", str(place / "run")]
    return subprocess.Popen(
        [sys.executable, "-m", *module, *words, *more],
        cwd=ROOT, env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def both(
    place: Path, *more: str, second: tuple[str, ...] = (), kill: tuple[str, int] | None = None
) -> list[subprocess.Popen[str]]:
    """Two processes of one run; `kill` is planted in process 0."""
    joined = ("--processes", "2", "--coordinator", f"127.0.0.1:{free_port()}")
    return [
        begun(place, *more, *joined, "--process", "0", kill=kill),
        begun(place, *more, *second, *joined, "--process", "1"),
    ]


def ended(processes: list[subprocess.Popen[str]]) -> list[tuple[int, str, str]]:
    """(exit code, output, errors) of each."""
    try:
        told = [process.communicate(timeout=400) for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [(process.returncode, *each) for process, each in zip(processes, told, strict=True)]


def recorded(place: Path) -> list[str]:
    """The ordered dump of a run's ledger."""
    with Ledger(place / "run" / "ledger.sqlite", create=False) as ledger:
        return ledger.dump(ledger.runs()[0].run_id)


@pytest.mark.slow
def test_two_processes_of_which_one_was_killed_record_what_one_process_records(tmp_path: Path) -> None:
    alone, together = tmp_path / "alone", tmp_path / "together"
    [(code, _, errors)] = ended([begun(alone, devices=2)])
    assert code == 0, errors

    # The first checkpoint is the warm start's: stored by both, recorded by neither. A later one costs more.
    killed, left = ended(both(together, kill=("checkpoint", 1)))
    assert killed[0] == -signal.SIGKILL
    assert left[0] != 0 and left[1] == "" and left[2].count("\n") == 1
    assert left[2].startswith("process 1 of 2 ends because another one ended or cannot be reached")

    first, second = ended(both(together, "--resume"))
    assert first[0] == second[0] == 0, first[2] + second[2]
    assert "resuming at step" in first[1] and (second[1], second[2]) == ("", "")
    assert recorded(together) == recorded(alone)


@pytest.mark.slow
def test_a_second_process_with_another_configuration_ends_both_before_anything_is_made(
    tmp_path: Path,
) -> None:
    for code, output, errors in ended(both(tmp_path, second=("iterations=2",))):
        assert (code, output) == (2, "")
        assert errors.startswith("process 1 has configuration micro-") and errors.count("\n") == 1
        assert "start all with the same configuration file and overrides" in errors
    assert not (tmp_path / "run").exists()
