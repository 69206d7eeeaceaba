"""The grown part of a pool as a run directory holds it: new worlds, and more tasks of known ones."""

import re
from pathlib import Path

from analysis.ledger import BriefRow, Ledger, StepRow, WorldRow
from loop.worlds.pool import Pool
from loop.worlds.store import read_grown, read_more_tasks


def add_grown(pool: Pool, ledger: Ledger, run_id: str, worlds: Path) -> None:
    """Add everything that grew to a pool of the train split, in the order in which it was admitted: of a step
    the new worlds first, each kind in the order of the briefs."""
    iterations = {row.step: row.iteration for row in ledger.rows(StepRow, run_id)}
    new = ledger.rows(WorldRow, run_id, origin="grown")
    made = {(row.step, row.brief_id) for row in new}
    more = [
        row
        for row in ledger.rows(BriefRow, run_id)
        if row.admitted_world_id is not None and (row.step, row.brief_id) not in made
    ]
    steps = {row.step for row in new} | {row.step for row in more}
    for step in sorted(steps):
        for world in sorted((row for row in new if row.step == step), key=lambda row: _place(row.brief_id)):
            pool.add([read_grown(worlds, world.world_id, world.iteration, world.brief_id)])
        for brief in sorted((row for row in more if row.step == step), key=lambda row: _place(row.brief_id)):
            known = pool.environment(brief.admitted_world_id or "")
            pool.add([read_more_tasks(worlds, known, iterations[step], brief.brief_id)])


def _place(brief_id: str | None) -> list[int]:
    """Iteration and number of a brief: [2, 103] of "i2/b103"."""
    return [int(number) for number in re.findall("[0-9]+", brief_id or "")]
