"""One row of health per policy update."""

from collections.abc import Sequence
from math import fsum
from typing import Any, NamedTuple

from analysis.errors import DataError
from analysis.ledger import EpisodeRow, Ledger, UpdateRow


class Health(NamedTuple):
    """How one update went. Shares and means are over its sampled episodes, dropped groups included."""

    update: int
    episodes: int
    reward: float  # mean, after penalties
    raw_reward: float  # mean, before penalties
    all_pass: float  # share
    tokens: float  # sampled per episode
    calls: float  # per episode
    truncated: float  # share cut by the turn or token limit
    malformed: float  # share of calls that could not be read
    penalised: float  # share with any behaviour penalty: degenerate output
    collateral: float  # share that changed what it was not asked to change
    dropped: float  # share of groups with equal reward in all members: no gradient
    shortfall: int  # groups still missing after the refill
    trainer: dict[str, float]  # what the trainer measured, e.g. entropy and gradient_norm

    def value(self, name: str) -> float | None:
        """A number by its name, the trainer's ones included; None: not measured."""
        if name in self._fields and name != "trainer":
            found: float = getattr(self, name)
            return found
        return self.trainer.get(name)


def health(ledger: Ledger, run_id: str) -> list[Health]:
    """The health of every update of a run, in order. DataError when there is none yet."""
    updates = ledger.rows(UpdateRow, run_id)
    if not updates:
        raise DataError("the run has no updates yet; its health shows after the first one")
    episodes: dict[int, list[EpisodeRow]] = {}
    for row in ledger.rows(EpisodeRow, run_id, purpose="train"):
        episodes.setdefault(row.step, []).append(row)
    return [
        health_of(u, episodes.get(u.step, []))
        for u in sorted(updates, key=lambda update: update.update_index)
    ]


def health_of(update: UpdateRow, episodes: Sequence[EpisodeRow]) -> Health:
    """The health of one update from its episodes."""
    if not episodes:
        raise DataError(f"update {update.update_index} has no episodes in the ledger; it is inconsistent")

    def mean(values: list[Any]) -> float:
        return fsum(values) / len(episodes)

    return Health(
        update=update.update_index,
        episodes=len(episodes),
        reward=mean([e.reward for e in episodes]),
        raw_reward=mean([e.raw_reward for e in episodes]),
        all_pass=mean([e.all_pass for e in episodes]),
        tokens=mean([e.tokens for e in episodes]),
        calls=mean([e.calls for e in episodes]),
        truncated=mean([e.ended != "answer" for e in episodes]),
        malformed=sum(e.malformed for e in episodes) / max(1, sum(e.calls for e in episodes)),
        penalised=mean([bool(e.penalties) for e in episodes]),
        collateral=mean([bool(e.collateral) for e in episodes]),
        dropped=update.dropped / update.groups if update.groups else 0.0,
        shortfall=update.refill_shortfall,
        trainer={k: float(v) for k, v in update.metrics.items() if isinstance(v, int | float)},
    )
