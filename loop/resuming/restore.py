"""Resuming: back to the newest step that ledger and checkpoints both have."""

from collections.abc import Sequence

from analysis.ledger import Ledger, ReportRow, StepRow
from analysis.weakness import WeaknessReport
from loop.circle import Circle
from loop.errors import RunError
from loop.resuming.steps import Step
from loop.worlds.final_pool import require_same_source
from loop.worlds.grown import add_grown
from loop.worlds.pool import Pool
from loop.worlds.splits import Splits
from loop.worlds.store import is_written, read_splits


def restore(circle: Circle, ledger: Ledger, steps: Sequence[Step]) -> int:
    """Bring the circle to the newest common step and cut both records there; the next step's index."""
    run_id = circle.config.run_id
    last = ledger.last_step(run_id)
    if last is None:
        _refuse_another(circle, ledger)
        _refuse_empty(circle)
        return 0
    practised = any(step.changes_state for step in steps[: last + 1])
    circle.splits = _recorded_splits(circle, ledger, practised)  # before anything is cut
    newest, checkpoint = newest_common(steps, last, set(circle.checkpoints.steps()))
    ledger.truncate_after(run_id, newest)
    circle.checkpoints.drop_after(newest)
    _restore_worlds(circle, ledger)
    if checkpoint is not None:
        circle.load_curriculum_state(circle.checkpoints.load(checkpoint))
    circle.report = _newest_report(ledger, run_id)
    circle.enriched = _newest_enriched(ledger, run_id)
    return newest + 1


def _refuse_another(circle: Circle, ledger: Ledger) -> None:
    """RunError when the directory's own ledger holds a run under another name, e.g. of an older version."""
    others = [run.run_id for run in ledger.runs()] if circle.config.ledger is None else []
    if others:
        raise RunError(
            f"{circle.directory.path}: its ledger holds run {others[0]}, not {circle.config.run_id}: an "
            "older version began it; give another --run-dir to start anew"
        )


def _refuse_empty(circle: Circle) -> None:
    """RunError when the ledger knows nothing of a run that has checkpoints: it is not the one that it began
    with."""
    if circle.checkpoints.steps():
        raise RunError(
            f"{circle.config.ledger or circle.directory.ledger}: holds nothing of this run, whose "
            f"checkpoints are in {circle.directory.checkpoints}; give the ledger with which it began"
        )


def newest_common(steps: Sequence[Step], last: int, stored: set[int]) -> tuple[int, int | None]:
    """(newest step whose state can be restored, its checkpoint); the checkpoint is None before the first one.

    A step's state is that of the newest checkpoint at or before it, so it can be restored unless a step in
    between changed the state and its checkpoint is missing.
    """
    checkpoint: int | None = None
    unstored: int | None = None  # first step after the checkpoint whose change is lost
    for step in steps[: last + 1]:
        if step.index in stored:
            checkpoint, unstored = step.index, None
        elif step.changes_state and unstored is None:
            unstored = step.index
    return (last if unstored is None else unstored - 1), checkpoint


def _restore_worlds(circle: Circle, ledger: Ledger) -> None:
    """Pool, with worlds in the order in which they were admitted."""
    circle.pool = Pool()
    circle.pool.add(circle.split("train"))
    add_grown(circle.pool, ledger, circle.config.run_id, circle.directory.recorded_worlds)


def _recorded_splits(circle: Circle, ledger: Ledger, practised: bool) -> Splits:
    """The splits of the directory. RunError unless they, catalog and starting pool are as in the ledger."""
    here = is_written(circle.directory.recorded_worlds) and (circle.checkpoints.steps() or not practised)
    if circle.config.ledger is not None and not here:
        raise RunError(
            f"{circle.config.run_id}: its ledger holds this run, which was made in another directory than "
            f"{circle.directory.path}; resume it there, or give another ledger or name"
        )
    splits = read_splits(circle.directory.recorded_worlds)
    recorded = ledger.rows(StepRow, circle.config.run_id, step=0)[0].detail
    if splits.digest != recorded["splits_digest"]:
        raise RunError(
            f"{circle.directory.recorded_worlds}: the splits hash to {splits.digest}, the ledger has "
            f"{recorded['splits_digest']}; the files were changed, so this run cannot be resumed"
        )
    if circle.catalog.digest != recorded["catalog_digest"]:
        raise RunError(
            f"{circle.config.catalog or 'the catalog'}: hashes to {circle.catalog.digest}, the ledger has "
            f"{recorded['catalog_digest']}; undo what was changed, or give another --run-dir to start anew"
        )
    require_same_source(circle.config, recorded)
    return splits


def _newest_report(ledger: Ledger, run_id: str) -> WeaknessReport | None:
    rows = sorted(ledger.rows(ReportRow, run_id), key=lambda row: row.step)
    return WeaknessReport.model_validate(rows[-1].report) if rows else None


def _newest_enriched(ledger: Ledger, run_id: str) -> WeaknessReport | None:
    """The newest report of more probes, which stands in the detail of its diagnosis."""
    steps = sorted(ledger.rows(StepRow, run_id, kind="diagnose"), key=lambda row: row.step)
    found = [row.detail["enriched"] for row in steps if "enriched" in row.detail]
    return WeaknessReport.model_validate(found[-1]) if found else None
