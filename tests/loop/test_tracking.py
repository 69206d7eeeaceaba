"""Trackers mirror the ledger: no step is stored twice, and a tracker that is down costs one warning."""

import json
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

from analysis.ledger import Ledger
from loop.loading import load
from loop.reporting.metrics_table import METRICS, line_of, markdown
from loop.run_directory import create
from loop.tracking.delivery import deliver as deliver_all
from loop.tracking.delivery import main as deliver
from loop.tracking.jsonl import JsonLinesTracker
from loop.tracking.mlflow_store import MlflowTracker, flat
from loop.tracking.protocol import Identity, StepRecord, TrackingError

ROOT = Path(__file__).resolve().parents[2]
MICRO = ["experiments/micro.yaml", "learner=tests.loop.fakes:NoisyOracle"]


def identity(directory: Path, key: str = "k") -> Identity:
    return Identity(key, "toy-s0", "toy", "static", 0, directory, {"a": {"b": 1}, "c": [1, 2]})


def record(step: int, **metrics: float) -> StepRecord:
    return StepRecord(step, "update", 0, step, 1000.0 + step, metrics or {"train/reward": step / 10})


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loop.run", *MICRO, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180)


def test_json_lines_go_on_after_the_last_whole_line(tmp_path: Path) -> None:
    first = JsonLinesTracker()
    assert first.begin(identity(tmp_path)) == -1
    first.deliver([record(0), record(1)])
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 2, "metr')  # cut short by a kill
    second = JsonLinesTracker()
    assert second.begin(identity(tmp_path)) == 1
    second.deliver([record(2)])
    steps = [json.loads(line)["step"] for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert steps == [0, 1, 2]


def test_configuration_trees_become_dotted_parameters() -> None:
    assert list(flat({"a": {"b": 1, "c": None}, "d": [1]})) == [("a.b", "1"), ("a.c", "None"), ("d", "[1]")]


def test_every_metric_of_a_run_has_a_line_in_the_table(tmp_path: Path) -> None:
    done = run(f"cache={tmp_path}/cache", "--run-dir", f"{tmp_path}/run", "curriculum.sampler=sfl")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    names = {name for line in lines for name in line["metrics"]}
    assert {name for name in names if line_of(name) is None} == set()
    of_others = ("(plr)", "(difficulty_pools)", "(expected_gain)")  # parts that this run does not have
    own = [m for m in METRICS if not m.meaning.endswith(of_others)]
    unused = {m.name for m in own if not any(line_of(name) == m for name in names)}
    # a scripted policy writes no tokens, and plays nothing across updates
    assert unused <= {"warm_start/unwritable", "update/in_play", "update/stale"}


def test_the_documentation_shows_the_table_of_metrics() -> None:
    assert markdown() in (ROOT / "docs" / "curricula.md").read_text(encoding="utf-8")


def test_a_tracker_that_is_down_costs_one_warning_and_no_record(tmp_path: Path) -> None:
    down = "tracking.extra=['tests.loop.fakes:DownTracker']"
    done = run(f"cache={tmp_path}/cache", "--run-dir", f"{tmp_path}/run", down)
    assert done.returncode == 0, done.stderr
    warning = "warning: the tracker cannot be reached: nobody answers; the run goes on, and the ledger keeps"
    assert done.stdout.count(warning) == 1
    assert f"to deliver the records later: python -m loop.tracking.delivery {tmp_path}/run" in done.stdout


@pytest.mark.slow
def test_mlflow_holds_each_step_once_and_children_under_one_parent(tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path}/store/mlflow.db"
    for key, arm in (("a", "static"), ("b", "closed_loop")):
        who = Identity(key, f"{arm}-s0", "toy", arm, 0, tmp_path, {"seed": 0})
        tracker = MlflowTracker(uri)
        assert tracker.begin(who) == -1
        tracker.deliver([record(0), record(1)])
        tracker.deliver([record(1), record(2)])  # the second delivery of step 1 changes nothing
        again = MlflowTracker(uri)
        assert again.begin(who) == 2
        again.finish()

    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("toy")
    assert experiment.artifact_location == f"file://{tmp_path}/store/mlartifacts"
    runs = client.search_runs([experiment.experiment_id])
    children = [r for r in runs if "mlflow.parentRunId" in r.data.tags]
    assert sorted(r.info.run_name for r in children) == ["closed_loop-s0", "static-s0"]
    assert len(runs) == 3 and len({r.data.tags["mlflow.parentRunId"] for r in children}) == 1
    for child in children:
        history = client.get_metric_history(child.info.run_id, "train/reward")
        assert [(m.step, m.value) for m in history] == [(0, 0.0), (1, 0.1), (2, 0.2)]
        assert child.info.status == "FINISHED"


def test_an_apostrophe_in_a_name_makes_no_second_parent(tmp_path: Path) -> None:
    uri, parents = f"sqlite:///{tmp_path}/mlflow.db", set()
    for name in ("o'hare", "o'hare", "o_hare"):
        parents.add(MlflowTracker(uri).parent(name)[1])
    assert len(parents) == 2


@pytest.mark.slow
def test_an_unreachable_server_is_one_line_and_the_records_follow_later(tmp_path: Path) -> None:
    with pytest.raises(TrackingError, match=r"MLflow at http://127\.0\.0\.1:9 cannot be reached") as caught:
        MlflowTracker("http://127.0.0.1:9").begin(identity(tmp_path))
    assert "\n" not in str(caught.value)
    done = run(f"cache={tmp_path}/cache", "--run-dir", f"{tmp_path}/run")
    assert done.returncode == 0, done.stderr
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    assert deliver([f"{tmp_path}/run", "--mlflow", uri]) == 0
    assert deliver([f"{tmp_path}/run", "--mlflow", uri]) == 0

    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=uri)
    (child,) = [
        r
        for r in client.search_runs([client.get_experiment_by_name("micro").experiment_id])
        if "mlflow.parentRunId" in r.data.tags
    ]
    assert child.data.tags["loop.delivered_step"] == "10" and child.info.status == "FINISHED"
    assert len(client.get_metric_history(child.info.run_id, "train/reward")) == 2


def test_a_store_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(TrackingError, match="cannot be reached") as caught:
        MlflowTracker(f"sqlite:///{tmp_path}/file/mlflow.db").begin(identity(tmp_path))
    assert "\n" not in str(caught.value)


class Down:
    """A tracker that fails, as its parameter says."""

    def __init__(self, how: str) -> None:
        self._error = TrackingError("it is down") if how == "down" else ValueError("a fault")

    def begin(self, identity: Identity) -> int:
        raise self._error


class Served:
    """A tracker that counts how often it was begun and finished."""

    calls: ClassVar[list[str]] = []

    def begin(self, identity: Identity) -> int:
        self.calls.append("begin")
        return -1

    def deliver(self, records: list[StepRecord]) -> None:
        self.calls.append("deliver")

    def finish(self) -> None:
        self.calls.append("finish")


@pytest.mark.parametrize(("how", "said"), [("down", "it is down"), ("broken", "Down: ValueError")])
def test_a_tracker_that_is_down_or_broken_is_told_and_does_not_starve_the_others(
    tmp_path: Path, how: str, said: str
) -> None:
    place = "tests.loop.test_tracking"
    extra = f"tracking.extra=[{{type: {place}:Down, how: {how}}}, {place}:Served]"
    config = load(ROOT / "experiments" / "micro.yaml", ("tracking.mlflow=null", extra))
    directory = create(tmp_path / "run", config)
    Ledger(directory.ledger).close()
    Served.calls.clear()
    with pytest.raises(TrackingError, match=said):
        deliver_all(directory.path, None, finish=True)
    assert Served.calls == ["begin", "deliver", "finish"]


def test_a_tracker_that_cannot_be_made_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    done = run(f"cache={tmp_path}/cache", "--run-dir", f"{tmp_path}/run", "tracking.extra=[nowhere:Tracker]")
    assert (done.returncode, (tmp_path / "run").exists()) == (2, False)
    assert "tracking.extra.0.type: 'nowhere:Tracker' cannot be imported" in done.stderr
