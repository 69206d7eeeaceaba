"""Several machines: seeds through Ray, runs that share a PostgreSQL ledger, one MLflow parent."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from analysis.compare.standing import standing
from analysis.ledger import Ledger
from analysis.run_directory import open_run
from analysis.run_result import read_results
from loop.config import Config
from loop.errors import SweepError
from loop.sweep import backend
from loop.sweep.backend import Attached, Job, run_jobs
from loop.tracking.mlflow_store import MlflowTracker
from loop.tracking.parent import main as make_parent
from loop.tracking.protocol import Identity
from loop.tracking.records import identity_of
from tests.analysis.postgresql_server import new_database, server
from tests.fakes_ray import pretend_ray
from tests.loop.sweeps import ROOT, command, write_sweep

TWO = [Job(seed, (), Path("log"), Path()) for seed in (10, 11)]
MICRO = ["experiments/micro.yaml", "learner=tests.loop.fakes:NoisyOracle"]


@pytest.mark.parametrize(("address", "cpus"), [(None, 2), ("ray://head:10001", None)])
def test_a_ray_of_this_machine_has_room_for_the_seeds_side_by_side(
    address: str | None, cpus: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = pretend_ray(monkeypatch, address)
    monkeypatch.setattr(backend, "run_job", lambda job: job.seed - 10)
    assert run_jobs(TWO, 2, "ray", lambda job, line: None, Attached()) == {10: 0, 11: 1}
    assert asked == [{"include_dashboard": False, "log_to_driver": True, "num_cpus": cpus}]


def test_a_sweep_without_ray_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    with pytest.raises(SweepError, match=r"--backend ray: Ray cannot be imported .*; install the extra: pip"):
        run_jobs(TWO, 2, "ray", lambda job, line: None, Attached())


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install -e '.[cluster]'")
def test_seeds_run_through_a_local_ray(tmp_path: Path) -> None:
    file = write_sweep(tmp_path, arms=("static",))
    home = {**os.environ, "HOME": str(tmp_path), "RAY_TMPDIR": "/tmp"}  # Ray writes into both
    asked = command(file, tmp_path, "--backend", "ray", "--jobs", "2")
    done = subprocess.run(asked, cwd=ROOT, env=home, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert [(r.arm, r.seed) for r in read_results(tmp_path / "results")] == [("static", 10), ("static", 11)]


@pytest.mark.slow
def test_two_runs_that_share_a_postgresql_ledger_lose_nothing(tmp_path: Path) -> None:
    def start(arm: str, ledger: str | None, place: Path) -> "subprocess.Popen[str]":
        more = [] if ledger is None else [f"ledger={ledger}"]
        asked = [*MICRO, f"arm={arm}", f"name={arm}", f"curriculum.grower={arm}", *more]
        asked += [f"cache={tmp_path}/cache-{arm}", "--run-dir", str(place / arm)]
        words, pipe = [sys.executable, "-m", "loop.run", *asked], subprocess.PIPE
        return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=pipe, text=True)

    arms = ("closed_loop", "random_worlds")
    with server() as url:
        shared = new_database(url, "shared")
        for ledger, place in ((shared, tmp_path / "shared"), (None, tmp_path / "alone")):
            runs = [start(arm, ledger, place) for arm in arms]
            for run in runs:
                _, err = run.communicate(timeout=120)
                assert run.returncode == 0, err
        with Ledger(shared, create=False) as together:
            assert len(together.runs()) == 2
            for arm in arms:
                alone = open_run(tmp_path / "alone" / arm)
                assert together.dump(alone.id) == alone.ledger.dump(alone.id)
                found = open_run(tmp_path / "shared" / arm)
                assert found.id == alone.id and standing(found) == standing(alone)


@pytest.mark.slow
def test_the_children_of_a_sweep_find_the_parent_that_was_made_for_them(tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    assert make_parent([uri, "tiny", "--plan", "0123"]) == 0
    for arm in ("static", "closed_loop"):
        for seed in (10, 11):
            who = Identity(f"{arm}{seed}", f"{arm}-s{seed}", "tiny", arm, seed, tmp_path, {})
            assert MlflowTracker(uri).begin(who) == -1

    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=uri)
    runs = client.search_runs([client.get_experiment_by_name("tiny").experiment_id])
    children = [r for r in runs if "mlflow.parentRunId" in r.data.tags]
    (parent,) = [r for r in runs if r not in children]
    assert parent.data.tags["loop.plan"] == "0123"
    assert {r.data.tags["mlflow.parentRunId"] for r in children} == {parent.info.run_id}
    assert sorted(r.info.run_name for r in children) == [
        "closed_loop-s10", "closed_loop-s11", "static-s10", "static-s11"
    ]  # fmt: skip


def test_a_store_that_is_down_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert make_parent([f"sqlite:///{tmp_path}/file/mlflow.db", "tiny"]) == 1
    error = capsys.readouterr().err
    assert "cannot be reached" in error and error.count("\n") == 1


def test_no_tracker_and_no_ledger_gets_the_ledgers_url_and_its_password(tmp_path: Path) -> None:
    config = Config(ledger="postgresql://me:secret@host/db")
    assert "secret" not in str(identity_of(config, tmp_path).config)
    assert "secret" not in str(config.recorded())
