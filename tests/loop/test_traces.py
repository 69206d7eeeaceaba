"""Sample trajectories of the newest diagnosis are MLflow traces: few, whole, and stored once."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from analysis.ledger import Ledger
from analysis.run_directory import open_run
from loop.tracking.delivery import main as deliver
from loop.tracking.traces import (
    EPISODE,
    FAILED,
    PASSED,
    Batch,
    CallSpan,
    SampleTrace,
    newest_diagnosis,
    read_batch,
    send,
    stored_episodes,
)
from tests.analysis.simulated_run import SimulatedRun

ROOT = Path(__file__).resolve().parents[2]


class Page(list):
    """Some traces of a search, and the token of the next page."""

    token = None


class FakeClient:
    """Keeps what it is sent, two traces a page; `broken` names episodes that it drops without a word."""

    def __init__(self, broken: tuple[str, ...] = ()) -> None:
        self.broken, self.traces, self.spans, self.ended = broken, [], [], []

    def search_traces(self, locations, filter_string, include_spans, max_results, page_token):
        assert filter_string == "tags.`loop.run_key` = 'k'" and locations == ["exp"] and not include_spans
        start = int(page_token or 0)
        kept = [SimpleNamespace(info=SimpleNamespace(tags=tags)) for _, tags in self.traces]
        page = Page(kept[start : start + 2])
        page.token = str(start + 2) if start + 2 < len(kept) else None
        return page

    def start_trace(self, name, *, tags, **_):
        if tags[EPISODE] not in self.broken:
            self.traces.append((name, tags))
        return SimpleNamespace(trace_id=tags[EPISODE], span_id="root")

    def start_span(self, name, *, trace_id, start_time_ns, **_):
        self.spans.append((trace_id, name, start_time_ns))
        return SimpleNamespace(span_id=name)

    def end_span(self, trace_id, span_id, *, status, end_time_ns, **_):
        self.ended.append((trace_id, span_id, status, end_time_ns))

    def end_trace(self, trace_id, *, status, end_time_ns, **_):
        self.ended.append((trace_id, "root", status, end_time_ns))


def trace(episode: str, passed: bool = False) -> SampleTrace:
    calls = (
        CallSpan("get_x", {"id": "X"}, {"id": "X"}, True),
        CallSpan("update_x", {}, {"error": "no id"}, False),
    )
    return SampleTrace(episode, "update", passed, {}, {}, calls, {EPISODE: episode})


def test_a_trace_has_a_span_per_call_one_after_the_other() -> None:
    client = FakeClient()
    assert send(client, "exp", "run", "k", Batch(3, 2.0, (trace("a", passed=True),))) == 0
    # 2 s are 2e9 ns; each call takes a millisecond, 1e6 ns
    assert client.spans == [("a", "get_x", 2_000_000_000), ("a", "update_x", 2_001_000_000)]
    assert client.ended == [
        ("a", "get_x", "OK", 2_001_000_000),
        ("a", "update_x", "ERROR", 2_002_000_000),
        ("a", "root", "OK", 2_003_000_000),
    ]


def test_what_is_there_is_not_sent_again_and_what_was_lost_is_counted() -> None:
    client = FakeClient(broken=("c",))
    batch = Batch(3, 0.0, tuple(trace(name) for name in "abcde"))
    send(client, "exp", "run", "k", Batch(3, 0.0, (trace("b"),)))
    assert send(client, "exp", "run", "k", batch) == 1
    assert [tags[EPISODE] for _, tags in client.traces] == ["b", "a", "d", "e"]
    client.broken = ()
    assert send(client, "exp", "run", "k", batch) == 0
    assert stored_episodes(client, "exp", "k") == set("abcde") and len(client.traces) == 5


def test_a_batch_holds_a_bounded_choice_of_the_newest_diagnosis(tmp_path: Path) -> None:
    run = open_run(SimulatedRun(tmp_path / "run").write())
    step = newest_diagnosis(run.ledger, run.id)
    assert step == 15  # worlds, warm start, validate, 2 iterations of 6 steps, the last diagnosis
    batch = read_batch(run.ledger, run.run, run.path, step)
    assert 0 < sum(not t.passed for t in batch.traces) <= FAILED
    assert 0 < sum(t.passed for t in batch.traces) <= PASSED
    assert {t.tags["report"] for t in batch.traces} == {"r2"}
    call = batch.traces[0].calls[0]
    assert call.ok and call.tool.startswith("update_") and call.result == {"id": "X-0001", "created": False}
    assert batch.traces == read_batch(run.ledger, run.run, run.path, step).traces


def test_before_the_first_diagnosis_there_is_nothing_to_trace(tmp_path: Path) -> None:
    run = open_run(SimulatedRun(tmp_path / "run", iterations=1).write())
    with Ledger(run.path / "ledger.sqlite") as ledger:
        ledger.truncate_after(run.id, 2)
        assert newest_diagnosis(ledger, run.id) is None


@pytest.mark.slow
def test_a_run_leaves_its_traces_in_the_store_once(tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    command = [
        sys.executable, "-m", "loop.run", "experiments/micro.yaml", "learner=tests.loop.fakes:NoisyOracle",
        f"cache={tmp_path}/cache", "--run-dir", f"{tmp_path}/run", f"tracking.mlflow={uri}",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stdout
    run = open_run(tmp_path / "run")
    batch = read_batch(run.ledger, run.run, run.path, newest_diagnosis(run.ledger, run.id))
    traces = stored(uri)
    newest = {
        t.info.tags[EPISODE]: t for t in traces if t.info.tags["report"] == batch.traces[0].tags["report"]
    }
    assert set(newest) == {t.episode_id for t in batch.traces} and len(traces) <= 2 * (FAILED + PASSED)
    for sample in batch.traces:
        root, *calls = newest[sample.episode_id].data.spans
        assert root.inputs["instruction"] == sample.inputs["instruction"]
        assert root.outputs["reward"] == sample.outputs["reward"]
        assert [(c.name, c.inputs) for c in calls] == [(c.tool, c.arguments) for c in sample.calls]
    assert deliver([f"{tmp_path}/run", "--mlflow", uri]) == 0
    assert len(stored(uri)) == len(traces)


def stored(uri: str) -> list:
    """All traces of the micro experiment."""
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("micro").experiment_id
    return list(client.search_traces(locations=[experiment], max_results=500))
