"""MLflow: a parent run per experiment, a child per arm and seed, in a local SQLite store or on any server.

A child is found by a tag with the run's key, and a point keeps the time at which its step was recorded, so a
step that is delivered twice is stored once and a resumed run never doubles.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from loop.tracking.protocol import Identity, StepRecord, TrackingError
from loop.tracking.traces import Batch, send

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "10")
os.environ.setdefault("MLFLOW_ENABLE_ASYNC_TRACE_LOGGING", "false")

KEY = "loop.run_key"
DELIVERED = "loop.delivered_step"
TRACED = "loop.traced_step"
PARENT = "loop.parent_of"
PLAN = "loop.plan"
BATCH = 800
"""Points per call; MLflow takes at most 1,000 entities."""
PARAMS = 90
"""Parameters per call; MLflow takes at most 100."""
LONGEST = 500
"""Characters of a parameter that every store takes."""


class MlflowTracker:
    """Logs to the tracking server at `uri`."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._client: Any = None
        self._run_id = self._experiment_id = self._key = ""
        self._traced = -1

    def begin(self, identity: Identity) -> int:
        """Find or make experiment, parent and child; the newest step that the child holds."""
        experiment, parent = self.parent(identity.experiment)
        with _translated(self._uri):
            child = self._find(experiment, KEY, identity.key)
            if child is None:
                child = self._new_child(experiment, parent, identity)
            self._run_id, self._experiment_id, self._key = child.info.run_id, experiment, identity.key
            self._traced = int(child.data.tags.get(TRACED, -1))
            return int(child.data.tags.get(DELIVERED, -1))

    def parent(self, name: str, plan: str | None = None) -> tuple[str, str]:
        """Find or make an experiment and its parent run; the ids of both. `plan`: kept as a tag."""
        _make_room(self._uri)
        with _translated(self._uri):
            from mlflow import MlflowClient

            self._client = MlflowClient(tracking_uri=self._uri)
            experiment = self._experiment(name)
            parent = self._find(experiment, PARENT, name)
            if parent is None:
                parent = self._client.create_run(experiment, tags={PARENT: name, "mlflow.runName": name})
                self._client.set_terminated(parent.info.run_id)
            if plan is not None:
                self._client.set_tag(parent.info.run_id, PLAN, plan)
            return experiment, parent.info.run_id

    def deliver(self, records: Sequence[StepRecord]) -> None:
        """Log all points in few calls, then note how far the child is."""
        if not records:
            return
        with _translated(self._uri):
            from mlflow.entities import Metric

            points = [
                Metric(name, value, int(1000 * r.finished), r.updates)
                for r in records
                for name, value in sorted(r.metrics.items())
            ]
            for start in range(0, len(points), BATCH):
                self._client.log_batch(self._run_id, metrics=points[start : start + BATCH])
            self._client.set_tag(self._run_id, DELIVERED, str(records[-1].step))

    @property
    def traced(self) -> int:
        """The controller step of the newest diagnosis that the child has traces of; -1: none."""
        return self._traced

    def trace(self, batch: Batch) -> None:
        """Send what is missing of a diagnosis' sample trajectories, then note that they are there."""
        with _translated(self._uri):
            import mlflow

            mlflow.set_tracking_uri(self._uri)  # traces go where the library points, not where a client does
            missing = send(self._client, self._experiment_id, self._run_id, self._key, batch)
            if not missing:
                self._client.set_tag(self._run_id, TRACED, str(batch.step))
                self._traced = batch.step
        if missing:
            raise TrackingError(
                f"MLflow at {self._uri} did not store {missing} of {len(batch.traces)} traces"
            )

    def finish(self) -> None:
        """Mark the child as finished."""
        with _translated(self._uri):
            self._client.set_terminated(self._run_id)

    def _experiment(self, name: str) -> str:
        found = self._client.get_experiment_by_name(name)
        if found is not None:
            return found.experiment_id
        return self._client.create_experiment(name, artifact_location=_artifacts(self._uri))

    def _find(self, experiment: str, tag: str, value: str) -> Any:
        pattern = value.replace("'", "_")  # any character: the filter cannot say an apostrophe
        found = self._client.search_runs([experiment], f"tags.`{tag}` LIKE '{pattern}'")
        return next((run for run in found if run.data.tags[tag] == value), None)

    def _new_child(self, experiment: str, parent: str, identity: Identity) -> Any:
        from mlflow.entities import Param

        tags = {
            KEY: identity.key,
            "mlflow.runName": f"{identity.arm}-s{identity.seed}",
            "mlflow.parentRunId": parent,
            "arm": identity.arm,
            "seed": str(identity.seed),
            "run_id": identity.run_id,
            "directory": identity.directory.as_posix(),
        }
        child = self._client.create_run(experiment, tags=tags)
        params = [Param(key, value[:LONGEST]) for key, value in flat(identity.config)]
        for start in range(0, len(params), PARAMS):
            self._client.log_batch(child.info.run_id, params=params[start : start + PARAMS])
        return child


def flat(tree: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The leaves of a configuration tree as dotted keys and text."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", str(value)


@contextmanager
def _translated(uri: str) -> Iterator[None]:
    """Whatever MLflow and its transports raise, as one TrackingError: this is their boundary."""
    try:
        yield
    except Exception as error:
        reason = " ".join(str(error).split())[:160]
        raise TrackingError(f"MLflow at {uri} cannot be reached: {reason}") from error


def _sqlite_file(uri: str) -> Path | None:
    parsed = urlparse(uri)
    if parsed.scheme != "sqlite":
        return None
    return Path(parsed.path[1:])  # sqlite:///relative.db, sqlite:////absolute.db


def _make_room(uri: str) -> None:
    """Make the folder of a local store."""
    file = _sqlite_file(uri)
    if file is None:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrackingError(f"MLflow at {uri} cannot be reached: {error}") from error


def _artifacts(uri: str) -> str | None:
    """Where artifacts go: beside a local store; None lets a server decide."""
    file = _sqlite_file(uri)
    return None if file is None else (file.resolve().parent / "mlartifacts").as_uri()
