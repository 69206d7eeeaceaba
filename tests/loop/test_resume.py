"""A run killed anywhere and resumed equals one that was not: metrics and ledger, clocks apart."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.ledger import Ledger

ROOT = Path(__file__).resolve().parents[2]
MICRO = ["experiments/micro.yaml", "learner=tests.loop.fakes:NoisyOracle", "iterations=2"]


def run(
    cache: Path, directory: Path, *more: str, kill: tuple[str, int] | None = None
) -> subprocess.CompletedProcess:
    module = ["tests.loop.killed_run", kill[0], str(kill[1])] if kill else ["loop.run"]
    command = [sys.executable, "-m", *module, *MICRO, f"cache={cache}", "--run-dir", str(directory), *more]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def dump(directory: Path) -> list[str]:
    with Ledger(directory / "ledger.sqlite", create=False) as ledger:
        return ledger.dump(ledger.runs()[0].run_id)


def lines(directory: Path) -> list[dict]:
    return [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(cache, directory) of a run that nobody disturbed."""
    place = tmp_path_factory.mktemp("whole")
    finished = run(place / "cache", place / "run")
    assert finished.returncode == 0, finished.stderr
    return place / "cache", place / "run"


@pytest.mark.parametrize(
    "kill",
    [
        ("update", 3),
        ("checkpoint", 2),
        ("checkpoint", 3),
        ("synthesis", 2),
        ("synthesis", 5),
        ("ledger", 2),
        ("ledger", 6),
    ],
    ids=lambda kill: f"{kill[0]}-{kill[1]}",
)
def test_a_run_killed_by_sigkill_and_resumed_equals_an_undisturbed_one(
    whole: tuple[Path, Path], tmp_path: Path, kill: tuple[str, int]
) -> None:
    cache, undisturbed = whole
    killed = run(cache, tmp_path / "run", kill=kill)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = run(cache, tmp_path / "run", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert dump(tmp_path / "run") == dump(undisturbed)
    assert lines(tmp_path / "run") == lines(undisturbed)


def test_a_run_killed_three_times_at_different_points_equals_an_undisturbed_one(
    whole: tuple[Path, Path], tmp_path: Path
) -> None:
    cache, undisturbed = whole
    for attempt, kill in enumerate([("ledger", 3), ("update", 1), ("synthesis", 1)]):
        more = ["--resume"] if attempt else []
        assert run(cache, tmp_path / "run", *more, kill=kill).returncode == -signal.SIGKILL
    assert run(cache, tmp_path / "run", "--resume").returncode == 0
    assert dump(tmp_path / "run") == dump(undisturbed)
    assert lines(tmp_path / "run") == lines(undisturbed)
