"""Which cells the training touched between two reports of a run, read from its ledger."""

from collections import Counter
from collections.abc import Collection, Iterable

from analysis.ledger import Ledger, TaskRow

_ADMITTED = """
SELECT DISTINCT step, group_id, task_id FROM episodes
WHERE run_id = :run AND purpose = 'train' AND admitted AND step > :after AND step < :before
"""


def gradient_shares(groups: Iterable[Collection[str]]) -> dict[str, float]:
    """Cell -> share of the groups whose task requires it. groups: the cells of each admitted group's task."""
    listed = [set(cells) for cells in groups]
    counts = Counter(cell for cells in listed for cell in cells)
    return {cell: count / len(listed) for cell, count in sorted(counts.items())}


def shares_between(ledger: Ledger, run_id: str, after: int, before: int) -> dict[str, float] | None:
    """The same of the groups admitted in the controller steps after `after` and before `before`.

    None when no group was admitted there: there is nothing of which to have a share.
    """
    admitted = ledger.query(_ADMITTED, run=run_id, after=after, before=before)
    if not admitted:
        return None
    cells = {row.task_id: row.cells for row in ledger.rows(TaskRow, run_id)}
    return gradient_shares(cells[row["task_id"]] for row in admitted)
