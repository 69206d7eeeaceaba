"""The charged steps of the ledger against two independent counts of the same calls.

One is the sessions' own counters, which nothing resets; the other the calls that the ledger holds one by one.
Audits run in sessions of PLANET's own and are charged as PLANET counts them.
"""

from analysis.ledger import Ledger
from loop.errors import RunError
from planet.world.session import AFTER_ANSWER


def reconcile(ledger: Ledger, run_id: str, executed: int, first: int) -> None:
    """RunError with both numbers unless everything that was executed is recorded, and nothing else.

    executed: calls by the counters of this process's sessions; first: the first step this process did.
    """
    recorded = _recorded(ledger, run_id, first)
    if recorded != executed:
        raise RunError(
            f"run {run_id}: the ledger records {recorded} environment steps from step {first} on, the "
            f"sessions executed {executed}; the costs of this run are not to be trusted, report it as a bug"
        )
    for purpose, charges, calls in _by_purpose(ledger, run_id):
        if charges != calls:
            raise RunError(
                f"run {run_id}: {charges} environment steps are recorded for {purpose}, but the ledger holds "
                f"{calls} calls of these episodes; the ledger was changed, run anew"
            )


def _recorded(ledger: Ledger, run_id: str, first: int) -> int:
    found = ledger.query(
        "SELECT COALESCE(SUM(steps), 0) AS steps FROM charges "
        "WHERE run_id = :run AND step >= :first AND purpose <> 'audit'",
        run=run_id,
        first=first,
    )
    return int(found[0]["steps"])


_CHARGES = """
SELECT CASE WHEN purpose IN ('rejected', 'stale') THEN 'train' ELSE purpose END AS purpose,
       SUM(steps) AS steps
FROM charges WHERE run_id = :run GROUP BY 1
"""
_CALLS = """
SELECT e.purpose, COUNT(*) AS calls
FROM episodes e JOIN tool_calls c ON c.run_id = e.run_id AND c.episode_id = e.episode_id
WHERE e.run_id = :run AND (c.error IS NULL OR c.error <> :late) GROUP BY e.purpose
"""


def _by_purpose(ledger: Ledger, run_id: str) -> list[tuple[str, int, int]]:
    """(purpose, steps recorded, calls held) of every purpose whose episodes the ledger holds."""
    charges = {row["purpose"]: int(row["steps"]) for row in ledger.query(_CHARGES, run=run_id)}
    held = ledger.query(_CALLS, run=run_id, late=AFTER_ANSWER)
    calls = {row["purpose"]: int(row["calls"]) for row in held}
    return [
        (purpose, charges.get(purpose, 0), calls.get(purpose, 0))
        for purpose in ("train", "diagnose", "validate", "test")
    ]
