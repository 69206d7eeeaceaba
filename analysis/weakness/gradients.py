"""Which cells the training touched between two reports of a run, read from its ledger."""

from collections import Counter

from analysis.ledger import Ledger, TaskRow

_ADMITTED = """
SELECT DISTINCT step, group_id, task_id FROM episodes
WHERE run_id = :run AND purpose = 'train' AND admitted AND step > :after AND step < :before
"""


def shares_between(ledger: Ledger, run_id: str, after: int, before: int) -> dict[str, float] | None:
    """Cell -> share of the groups whose task requires it, of those admitted between two controller steps.

    None when no group was admitted there: there is nothing of which to have a share.
    """
    admitted = ledger.query(_ADMITTED, run=run_id, after=after, before=before)
    if not admitted:
        return None
    cells = dict(ledger.columns(TaskRow, run_id, "task_id", "cells"))
    counts = Counter(cell for row in admitted for cell in set(cells[row["task_id"]]))
    return {cell: count / len(admitted) for cell, count in sorted(counts.items())}
