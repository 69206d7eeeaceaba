"""Sample trajectories of the newest diagnosis as MLflow traces: a span per tool call, the grade at the root.

A trace carries the run's key and the episode's id, and what is there already is not sent again, so a delivery
that was cut short or repeated leaves every trace once. Calls are not timed one by one: the spans of a trace
follow each other by a millisecond each, from the time at which the diagnosis was recorded.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.ledger import ClockRow, Ledger, ReportRow, RunRow

FAILED, PASSED = 16, 8
"""Traces per diagnosis, at most: exemplars of its cells, and passes of different families."""
RUN_KEY, EPISODE = "loop.run_key", "loop.episode"
"""Tags by which a trace is found again."""
CALL_NS = 1_000_000
PAGE = 200
"""Traces per page of a search."""


@dataclass(frozen=True)
class CallSpan:
    """One executed tool call."""

    tool: str  # "unreadable": the output could not be read as a call
    arguments: dict[str, Any]
    result: dict[str, Any]  # the payload, or {"error": ...}
    ok: bool


@dataclass(frozen=True)
class SampleTrace:
    """One episode as a trace."""

    episode_id: str
    name: str
    passed: bool
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    calls: tuple[CallSpan, ...]
    tags: dict[str, str]


@dataclass(frozen=True)
class Batch:
    """The traces of one diagnosis."""

    step: int  # of the controller
    recorded: float  # unix time in seconds
    traces: tuple[SampleTrace, ...]


def newest_diagnosis(ledger: Ledger, run_id: str) -> int | None:
    """The controller step of the newest report; None before the first."""
    found = ledger.query("SELECT MAX(step) AS step FROM reports WHERE run_id = :run", run=run_id)
    return found[0]["step"]


def read_batch(ledger: Ledger, run: RunRow, directory: Path, step: int) -> Batch:
    """The samples of the diagnosis of a controller step, as a report page chooses them."""
    from analysis.report.episodes import read_sample
    from analysis.report.record import RunRecord
    from analysis.report.samples import Limits, diagnosed
    from analysis.run_directory import OpenRun

    record = RunRecord(OpenRun(directory, ledger, run))
    (report,) = ledger.rows(ReportRow, run.run_id, step=step)
    diagnosis = record.diagnosis(report)
    ids = diagnosed(record, diagnosis, Limits(exemplars=FAILED, passed=PASSED))
    clocks = ledger.rows(ClockRow, run.run_id, step=step)
    return Batch(
        step=step,
        recorded=float(clocks[0].detail.get("finished", 0.0)) if clocks else 0.0,
        traces=tuple(_trace(read_sample(record, episode), diagnosis.id) for episode in ids),
    )


def _trace(sample: Any, report_id: str) -> SampleTrace:
    """`sample`: `analysis.report.episodes.Sample`."""
    episode, task, world = sample.episode, sample.task, sample.world
    return SampleTrace(
        episode_id=episode.episode_id,
        name=task.family,
        passed=episode.all_pass,
        inputs={"instruction": task.instruction, "role": task.role, "tools": list(world.tools)},
        outputs={
            "answer": sample.answer,
            "ended": episode.ended,
            "reward": episode.reward,
            "evidence": {item.name: item.satisfied for item in sample.evidence},
            "penalties": episode.penalties,
            "collateral": list(episode.collateral),
        },
        calls=tuple(_call(call, sample.results) for call in sample.calls),
        tags={
            EPISODE: episode.episode_id,
            "report": report_id,
            "family": task.family,
            "all_pass": str(episode.all_pass).lower(),
            "policy_version": str(episode.policy_version),
            "world": world.world_id,
            "blamed": json.dumps(sorted(sample.blamed)),
        },
    )


def _call(call: Any, results: Any) -> CallSpan:
    kept = results[call.turn] if results is not None else None
    return CallSpan(
        tool=call.tool or "unreadable",
        arguments=call.arguments,
        result={"error": call.error} if not call.ok else (kept or {}),
        ok=call.ok,
    )


def stored_episodes(client: Any, experiment: str, key: str) -> set[str]:
    """Ids of the episodes of a run that have a trace."""
    found: set[str] = set()
    token = None
    while True:
        page = client.search_traces(
            locations=[experiment],
            filter_string=f"tags.`{RUN_KEY}` = '{key}'",
            include_spans=False,
            max_results=PAGE,
            page_token=token,
        )
        found |= {trace.info.tags.get(EPISODE, "") for trace in page}
        token = page.token
        if not token:
            return found


def send(client: Any, experiment: str, run: str, key: str, batch: Batch) -> int:
    """Send the traces that are not there yet; how many of the batch are missing after that.

    The library logs what it cannot store instead of raising it, hence the second look.
    """
    there = stored_episodes(client, experiment, key)
    missing = [trace for trace in batch.traces if trace.episode_id not in there]
    for trace in missing:
        _send_one(client, experiment, run, key, trace, int(1e9 * batch.recorded))
    if not missing:
        return 0
    there = stored_episodes(client, experiment, key)
    return sum(trace.episode_id not in there for trace in missing)


def _send_one(client: Any, experiment: str, run: str, key: str, trace: SampleTrace, start: int) -> None:
    root = client.start_trace(
        trace.name,
        span_type="AGENT",
        inputs=trace.inputs,
        tags={RUN_KEY: key, **trace.tags},
        experiment_id=experiment,
        start_time_ns=start,
        run_id=run,
    )
    now = start
    for call in trace.calls:
        span = client.start_span(
            call.tool,
            trace_id=root.trace_id,
            parent_id=root.span_id,
            span_type="TOOL",
            inputs=call.arguments,
            start_time_ns=now,
        )
        now += CALL_NS
        status = "OK" if call.ok else "ERROR"
        client.end_span(root.trace_id, span.span_id, outputs=call.result, status=status, end_time_ns=now)
    status = "OK" if trace.passed else "ERROR"
    client.end_trace(root.trace_id, outputs=trace.outputs, status=status, end_time_ns=now + CALL_NS)
