"""A run killed anywhere and resumed equals one that was not: metrics and ledger, clocks apart."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.ledger import Ledger
from tests.planet.overlays import ELBONIA, write

ROOT = Path(__file__).resolve().parents[2]
SCRIPTED = ("learner=tests.loop.fakes:NoisyOracle", "iterations=2")
DECODER = ("curriculum.gate=tests.loop.fakes:OpenGate", "policy.grpo.entropy=0.01")
"""A real decoder that is updated in every step: by its entropy, where no reward tells it anything."""
SAO = ("policy.algorithm=sao", "policy.sao.critic.warmup_updates=0", "policy.sao.entropy=0.01")
"""The same with single rollouts and a critic."""


def run(
    cache: Path,
    directory: Path,
    *more: str,
    policy: tuple[str, ...] = SCRIPTED,
    kill: tuple[str, int] | None = None,
) -> "subprocess.CompletedProcess[str]":
    module = ["tests.loop.killed_run", kill[0], str(kill[1])] if kill else ["loop.run"]
    command = [
        sys.executable,
        "-m",
        *module,
        "experiments/micro.yaml",
        *policy,
        f"cache={cache}",
        "--run-dir",
        str(directory),
        *more,
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


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


def test_a_run_killed_in_an_update_and_resumed_equals_an_undisturbed_one(
    whole: tuple[Path, Path], tmp_path: Path
) -> None:
    cache, undisturbed = whole
    killed = run(cache, tmp_path / "run", kill=("update", 3))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = run(cache, tmp_path / "run", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert dump(tmp_path / "run") == dump(undisturbed)
    assert lines(tmp_path / "run") == lines(undisturbed)


def test_a_run_killed_again_and_again_at_every_kind_of_point_equals_an_undisturbed_one(
    whole: tuple[Path, Path], tmp_path: Path
) -> None:
    cache, undisturbed = whole
    # Of each process: the validation's rows, the first update, the second synthesis of the next iteration,
    # a checkpoint that is stored and not recorded, and the rows of an update.
    kills = [("ledger", 1), ("update", 1), ("synthesis", 2), ("checkpoint", 2), ("ledger", 1)]
    for attempt, kill in enumerate(kills):
        killed = run(cache, tmp_path / "run", *(["--resume"] if attempt else []), kill=kill)
        assert killed.returncode == -signal.SIGKILL, (kill, killed.stderr)
    assert run(cache, tmp_path / "run", "--resume").returncode == 0
    assert dump(tmp_path / "run") == dump(undisturbed)
    assert lines(tmp_path / "run") == lines(undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [DECODER, SAO], ids=["grpo", "sao"])
def test_a_decoder_killed_between_checkpoint_and_record_goes_on_bit_by_bit(
    policy: tuple[str, ...], tmp_path: Path
) -> None:
    cache, undisturbed = tmp_path / "cache", tmp_path / "whole"
    assert run(cache, undisturbed, policy=policy).returncode == 0
    # The fourth checkpoint, after warm start, growth and the first update, is that of the second update.
    killed = run(cache, tmp_path / "run", policy=policy, kill=("checkpoint", 4))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = run(cache, tmp_path / "run", "--resume", policy=policy)
    assert resumed.returncode == 0, resumed.stderr
    assert dump(tmp_path / "run") == dump(undisturbed)
    losses = [line["metrics"]["policy/loss"] for line in lines(undisturbed) if line["kind"] == "update"]
    assert len(losses) == 2 and losses[0] != losses[1]


def test_another_ledger_or_a_changed_catalog_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    overlay = write(tmp_path / "catalog", {"countries.yaml": [ELBONIA]})
    cache, place, own = tmp_path / "cache", tmp_path / "run", f"catalog={overlay}"
    killed = run(cache, place, own, kill=("update", 1))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    before, as_it_ran = dump(place), (place / "config.json").read_bytes()
    other = run(cache, place, "--resume", own, f"ledger=sqlite:///{tmp_path}/other.db")
    assert other.returncode == 1 and "other.db: holds nothing of this run" in other.stderr
    write(overlay, {"countries.yaml": [{**ELBONIA, "name": "Lower Elbonia"}]})
    changed = run(cache, place, "--resume", own)
    assert changed.returncode == 1 and "catalog: hashes to" in changed.stderr
    assert dump(place) == before and (place / "config.json").read_bytes() == as_it_ran


def test_a_second_directory_of_a_run_does_not_cost_a_shared_ledger_its_records(tmp_path: Path) -> None:
    cache, shared = tmp_path / "cache", f"ledger=sqlite:///{tmp_path}/shared.db"
    assert run(cache, tmp_path / "first", shared).returncode == 0
    with Ledger(f"sqlite:///{tmp_path}/shared.db", create=False) as ledger:
        run_id = ledger.runs()[0].run_id
        before = ledger.dump(run_id)
    again = run(cache, tmp_path / "second", shared)
    assert again.returncode == 1 and again.stderr.count("\n") == 1
    assert f"{run_id}: its ledger holds this run, which was made in another directory" in again.stderr
    with Ledger(f"sqlite:///{tmp_path}/shared.db", create=False) as ledger:
        assert ledger.dump(run_id) == before
