"""Charged steps are what the sessions executed, and a run that went on resumes like any other."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.ledger import ChargeRow, Ledger, RunRow, StepRow, ToolCallRow, episode_rows
from loop.episodes.reconciliation import reconcile
from loop.errors import RunError
from planet.records.episode import Call, Grade, Trajectory
from planet.world.session import AFTER_ANSWER
from tests.loop.sweeps import ROOT

RUN = "toy-s0"


def written(ledger: Ledger, steps: int, late: int = 0) -> None:
    """A diagnosis of one episode with three calls, recorded as `steps`, and an audit of 50."""
    call = Call(tool="get_x", arguments={}, payload={}, error=None)
    after = Call(tool="get_x", arguments={}, payload=None, error=AFTER_ANSWER)
    calls = (call,) * 3 + (after,) * late
    trajectory = Trajectory(task_id="t", world_id="w", calls=calls, answer="", ended="answer")
    grade = Grade(task_id="t", evidence=(), score=0, floor=0, raw_reward=0, reward=0, all_pass=False,
                  penalties={}, collateral=())  # fmt: skip
    with ledger.transaction() as transaction:
        transaction.add(
            RunRow(run_id=RUN, name="toy", arm="static", seed=0, config_digest="0", config={}),
            StepRow(run_id=RUN, step=0, kind="diagnose", iteration=0),
            ChargeRow(run_id=RUN, step=0, purpose="diagnose", steps=steps, charged=True),
            ChargeRow(run_id=RUN, step=0, purpose="audit", steps=50, charged=True),
            *episode_rows(RUN, 0, "e", trajectory, grade, purpose="diagnose", variant="t1", tokens=1,
                          policy_version=0),
        )  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path):
    with Ledger(tmp_path / "ledger.sqlite") as opened:
        yield opened


def test_equal_counts_pass_and_a_call_after_the_answer_is_not_an_executed_one(ledger: Ledger) -> None:
    written(ledger, steps=3, late=2)
    assert len(ledger.rows(ToolCallRow, RUN)) == 5  # 3 executed and 2 after the answer
    reconcile(ledger, RUN, executed=3, first=0)


def test_sessions_that_executed_more_than_was_recorded_are_an_error_that_names_both(ledger: Ledger) -> None:
    written(ledger, steps=3)
    with pytest.raises(
        RunError, match="records 3 environment steps from step 0 on, the sessions executed 4;"
    ):
        reconcile(ledger, RUN, executed=4, first=0)


def test_a_charge_that_the_recorded_calls_do_not_bear_out_is_an_error_that_names_both(ledger: Ledger) -> None:
    written(ledger, steps=4)
    with pytest.raises(
        RunError, match="4 environment steps are recorded for diagnose, but the ledger holds 3"
    ):
        reconcile(ledger, RUN, executed=4, first=0)


def test_steps_of_an_earlier_process_are_not_expected_of_this_ones_sessions(ledger: Ledger) -> None:
    written(ledger, steps=3)
    reconcile(ledger, RUN, executed=0, first=1)


def going_on(place: Path, *more: str, kill: int | None = None) -> "subprocess.CompletedProcess[str]":
    """A run of two updates that goes on to 60 charged steps; `kill`: after which checkpoint."""
    module = ["loop.run"] if kill is None else ["tests.loop.killed_run", "checkpoint", str(kill)]
    asked = [
        sys.executable, "-m", *module, "experiments/micro.yaml", "learner=tests.loop.fakes:NoisyOracle",
        "curriculum={grower: none, gate: 'tests.loop.fakes:OpenGate'}", "budget.charged_steps=60",
        f"cache={place.parent}/cache", "--run-dir", str(place), *more,
    ]  # fmt: skip
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_a_run_killed_while_it_goes_on_and_resumed_equals_an_undisturbed_one(tmp_path: Path) -> None:
    whole = going_on(tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    assert "going on: " in whole.stdout and "test of the extended policy" in whole.stdout
    # Checkpoints: warm start, growth of nothing, two planned updates; the fifth is the first beyond them.
    killed = going_on(tmp_path / "run", kill=5)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = going_on(tmp_path / "run", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    files = [(tmp_path / name / "metrics.jsonl").read_text() for name in ("whole", "run")]
    assert files[0] == files[1]
    dumps = []
    for name in ("whole", "run"):
        with Ledger(tmp_path / name / "ledger.sqlite", create=False) as ledger:
            dumps.append(ledger.dump(ledger.runs()[0].run_id))
    assert dumps[0] == dumps[1]
    last = json.loads(files[0].splitlines()[-1])
    assert last["kind"] == "test" and last["metrics"]["budget/charged_steps"] >= 60
