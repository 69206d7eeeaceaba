"""Which environment steps count against the budget. One step is one call executed by a session."""

from collections.abc import Sequence

from analysis.ledger import ChargeRow
from analysis.ledger.rows import ChargePurpose
from loop.episodes.playing import Played

CHARGED: dict[ChargePurpose, bool] = {
    "train": True,  # episodes of groups that were learned from, or still may be
    "rejected": True,  # episodes of groups that the gate dropped
    "stale": True,  # episodes whose policy was too old to learn from
    "diagnose": True,  # probing, by arms that learn from the report
    "oracle_probe": False,  # further probing, by the arm that asks how much a noisy report loses
    "audit": True,  # calls that audited grown worlds
    "warm_start": False,
    "validate": False,
    "test": False,
}
"""Purpose -> whether its steps are charged."""


def charge(
    run_id: str, step: int, purpose: ChargePurpose, steps: int, *, charged: bool | None = None
) -> ChargeRow:
    """The row for some steps; `charged` overrides the rule, e.g. for probing that nobody reads."""
    counts = CHARGED[purpose] if charged is None else charged
    return ChargeRow(run_id=run_id, step=step, purpose=purpose, steps=steps, charged=counts)


def steps_of(episodes: Sequence[Played]) -> int:
    """Calls executed in some episodes."""
    return sum(played.steps for played in episodes)
