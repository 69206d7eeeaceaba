"""The grown part of a pool as a run directory holds it: new worlds, and more tasks of known ones."""

from pathlib import Path

from analysis.ledger import BriefRow, Ledger, StepRow, TaskRow, WorldRow
from loop.worlds.pool import Pool
from loop.worlds.store import read_grown, read_more_tasks

Admitted = tuple[int, str, WorldRow | BriefRow]
"""(step, brief, the new world, or the brief by which a known one got more tasks)."""


def add_grown(pool: Pool, ledger: Ledger, run_id: str, worlds: Path) -> None:
    """Add everything that grew to a pool of the train split, in the order in which it was admitted."""
    iterations = {row.step: row.iteration for row in ledger.rows(StepRow, run_id)}
    worlds_made = ledger.rows(WorldRow, run_id, origin="grown")
    new: list[Admitted] = [(row.step, row.brief_id or "", row) for row in worlds_made]
    made = {row.world_id for row in worlds_made}
    further = {row.world_id for row in ledger.rows(TaskRow, run_id, split="grown")} - made
    more: list[Admitted] = [
        (row.step, row.brief_id, row)
        for row in ledger.rows(BriefRow, run_id)
        if row.admitted_world_id in further
    ]
    for step, brief_id, row in sorted([*new, *more], key=lambda entry: entry[:2]):
        if isinstance(row, WorldRow):
            pool.add([read_grown(worlds, row.world_id, row.iteration, row.brief_id)])
        else:
            known = pool.environment(row.admitted_world_id or "")
            pool.add([read_more_tasks(worlds, known, iterations[step], brief_id)])
