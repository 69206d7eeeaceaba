"""Two devices learn while six play: killed in the middle and resumed, the run is what it would have been."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.ledger import EpisodeRow, Ledger, StepRow

ROOT = Path(__file__).resolve().parents[2]


def run(place: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    # Without the compiler's optimisations, which take longer than the run.
    flags = "--xla_force_host_platform_device_count=8 --xla_backend_optimization_level=0"
    return subprocess.run(
        [sys.executable, "-m", "tests.loop.devices_run", str(place), *words],
        cwd=ROOT, env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        capture_output=True, text=True, timeout=1800,
    )  # fmt: skip


@pytest.mark.slow
def test_an_asynchronous_run_on_two_and_six_devices_killed_and_resumed_equals_an_undisturbed_one(
    tmp_path: Path,
) -> None:
    killed = run(tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    with Ledger(tmp_path / "whole" / "ledger.sqlite", create=False) as ledger:
        run_id = ledger.runs()[0].run_id
        undisturbed = ledger.dump(run_id)
        steps = ledger.rows(StepRow, run_id, kind="update")
        recorded = [row.episode_id for row in ledger.rows(EpisodeRow, run_id, purpose="train")]
    with Ledger(tmp_path / "died" / "ledger.sqlite", create=False) as ledger:
        assert ledger.last_step(run_id) == steps[1].step, "it died in its third update"
    resumed = run(tmp_path, "resume")
    assert resumed.returncode == 0, resumed.stderr[-2000:]
    with Ledger(tmp_path / "died" / "ledger.sqlite", create=False) as ledger:
        assert ledger.dump(run_id) == undisturbed

    events = [event for row in steps for event in row.detail["schedule"]]
    ages = [event["age"] for event in events if event["what"] == "consumed"]
    assert len(ages) == 4 * 2 and 0 < max(ages) <= 3  # updates x prompts
    submitted = [event["name"] for event in events if event["what"] == "submitted"]
    assert sorted(recorded) == sorted(f"{group}/g{member}" for group in submitted for member in range(4))
    pushed = [event["in_play"] for event in events if event["what"] == "pushed"]
    assert pushed[1] > 0, "episodes were in play when it was killed"
    metrics = [json.loads(line) for line in (tmp_path / "whole" / "metrics.jsonl").read_text().splitlines()]
    oldest = [line["metrics"]["policy/max_age"] for line in metrics if line["kind"] == "update"]
    assert oldest[0] == 0 and max(oldest) == max(ages)
