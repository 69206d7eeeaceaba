"""Records for trackers, read from the ledger: it is the spool, so a tracker that is down loses nothing."""

from pathlib import Path

from analysis.ledger import ClockRow, Ledger, MetricRow, StepRow
from loop.config import Config
from loop.tracking.protocol import Identity, StepRecord
from planet.identity import digest


def identity_of(config: Config, directory: Path) -> Identity:
    """The identity of the run in a directory."""
    place = directory.resolve()
    return Identity(
        key=digest([config.run_id, place.as_posix()]),
        run_id=config.run_id,
        experiment=config.experiment,
        arm=config.arm,
        seed=config.seed,
        directory=place,
        config=config.recorded(),
    )


def records_after(ledger: Ledger, run_id: str, step: int) -> list[StepRecord]:
    """The records of all steps after `step`, in order."""
    metrics: dict[int, dict[str, float]] = {}
    for metric in ledger.rows(MetricRow, run_id, after=step):
        if metric.value is not None:
            metrics.setdefault(metric.step, {})[metric.name] = metric.value
    clocks = {row.step: row.detail.get("finished", 0.0) for row in ledger.rows(ClockRow, run_id, after=step)}
    updates = ledger.query(_UPDATES, run=run_id, step=step)[0]["updates"]
    records = []
    for row in ledger.rows(StepRow, run_id, after=step):
        updates += row.kind == "update"
        records.append(
            StepRecord(
                step=row.step,
                kind=row.kind,
                iteration=row.iteration,
                updates=updates,
                finished=clocks.get(row.step, 0.0),
                metrics=metrics.get(row.step, {}),
            )
        )
    return records


_UPDATES = "SELECT COUNT(*) AS updates FROM steps WHERE run_id = :run AND kind = 'update' AND step <= :step"
