"""One brief of a grower, what became of it, and its rows in the ledger."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from analysis.ledger import AuthorCallRow, BriefRow, Row
from loop.worlds.pool import Environment
from loop.worlds.synthesis import AuthorCall, Synthesized
from planet.records.world import Brief


@dataclass
class Asked:
    """One brief and what became of it."""

    id: str
    number: int  # within the iteration
    brief: Brief  # as it was tried last
    aimed: bool  # at the report, not at random
    more_in: Environment | None = None  # the world that more tasks are asked for in; None: a new world
    made: list[Synthesized] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)  # validator, audit or admission rule -> count
    admitted: Environment | None = None


def asked_rows(run_id: str, step: int, a: Asked) -> list[Row]:
    """The brief and its author calls."""
    verdicts = [made.on_target for made in a.made if made.complete]
    brief = BriefRow(
        run_id=run_id,
        step=step,
        brief_id=a.id,
        brief=a.brief.model_dump(mode="json"),
        admitted_world_id=a.admitted.world.id if a.admitted is not None else None,
        on_target=verdicts[-1] if verdicts else None,
        refused=dict(sorted(a.refused.items())),
    )
    return [brief, *author_call_rows(run_id, step, a.id, [call for made in a.made for call in made.calls])]


def author_call_rows(run_id: str, step: int, brief_id: str, calls: Sequence[AuthorCall]) -> list[Row]:
    """The calls of an author for one brief, in order."""
    return [
        AuthorCallRow(
            run_id=run_id,
            step=step,
            brief_id=brief_id,
            call_index=index,
            link=call.link,
            attempt=call.attempt,
            author=call.author,
            accepted=call.accepted,
            refused=call.refused,
            tokens_in=call.cost.tokens_in,
            tokens_out=call.cost.tokens_out,
            dollars=call.cost.dollars,
        )
        for index, call in enumerate(calls)
    ]


def asked_metrics(asked: Sequence[Asked]) -> dict[str, float]:
    """What was asked, tried, admitted and on target."""
    made = [m for a in asked for m in a.made]
    aimed = [m for a in asked if a.aimed for m in a.made if m.complete]
    on_target = sum(m.on_target is True for m in aimed)
    admitted = sum(a.admitted is not None for a in asked)
    metrics = {
        "grow/briefs": float(len(asked)),
        "grow/syntheses": float(len(made)),
        "grow/valid": float(sum(m.valid for m in made)),
        "grow/admitted": float(admitted),
        "grow/shortfall": float(len(asked) - admitted),
        "grow/targeted_worlds": float(len(aimed)),
        "grow/on_target_worlds": float(on_target),
        "grow/audit_steps": float(sum(m.audit_steps for m in made)),
    }
    if aimed:
        metrics["grow/on_target_share"] = on_target / len(aimed)
    return metrics


def asked_detail(asked: Sequence[Asked]) -> dict[str, object]:
    """What was refused by which rule, which briefs aimed at the report, at what, and on which rungs."""
    refused: Counter[str] = Counter()
    for a in asked:
        refused.update(a.refused)
    targets = [a.brief.target for a in asked if a.aimed and a.brief.target is not None]
    return {
        "refused": dict(sorted(refused.items())),
        "aimed_briefs": [a.id for a in asked if a.aimed],
        "targets": sorted({target.cells[0] for target in targets}),
        "rungs": dict(sorted(Counter(f"{t.rung}: {t.cells[0]}" for t in targets if t.rung).items())),
    }
