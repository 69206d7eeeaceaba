"""Growth: briefs become audited worlds, within a quota and a cap that all growing arms share."""

from collections import Counter
from dataclasses import dataclass, field

from analysis.ledger import AuthorCallRow, BriefRow, Row
from loop.circle import Circle
from loop.curricula.protocols import GrowthRequest
from loop.episodes.charging import charge
from loop.episodes.recording import environment_rows
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step
from loop.worlds.admission import refusals
from loop.worlds.generator import scenario
from loop.worlds.pool import Environment
from loop.worlds.store import write_environments
from loop.worlds.synthesis import Synthesized, synthesized
from planet.identity import seed_of
from planet.records.world import Brief


@dataclass
class _Asked:
    """One brief and what became of it."""

    id: str
    number: int  # within the iteration
    brief: Brief  # as it was tried last
    aimed: bool  # at the report, not at random
    made: list[Synthesized] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)  # validator, audit or admission rule -> count
    admitted: Environment | None = None


def grow(circle: Circle, step: Step) -> Outcome:
    """Ask, synthesize, admit; the pool grows by what was admitted, and the shortfall is recorded."""
    config, iteration = circle.config, step.iteration or 0
    asked = _ask(circle, iteration)
    _fill(circle, asked, iteration)
    admitted = [a.admitted for a in asked if a.admitted is not None]
    write_environments(circle.directory.worlds, admitted)
    circle.training().add(admitted)
    audit_steps = sum(made.audit_steps for a in asked for made in a.made)
    rows: list[Row] = environment_rows(config.run_id, step.index, admitted)
    for a in asked:
        rows += _rows(config.run_id, step.index, a)
    rows.append(charge(config.run_id, step.index, "audit", audit_steps))
    return Outcome(rows=rows, metrics=_metrics(circle, asked), detail=_detail(asked))


def _ask(circle: Circle, iteration: int) -> list[_Asked]:
    """The grower's briefs for this iteration."""
    config = circle.config
    quota = config.growth.quota
    pool = circle.training()
    request = GrowthRequest(
        iteration=iteration,
        scenarios=tuple(_scenario(circle, iteration, number, attempt=0) for number in range(quota)),
        seed=seed_of(config.seed, "briefs", iteration),
        targeting=config.targeting,
        train_tasks=tuple(t for t in pool.listed if pool.environment(t.world_id).origin == "train"),
        avoid=tuple(sorted({e.world.tool_set for e in pool if e.origin == "grown"})),
        report=circle.report if circle.grower.reads_report else None,
    )
    asks = circle.grower.briefs(request)[:quota]
    return [_Asked(f"i{iteration}/b{n:02d}", n, ask.brief, ask.aimed) for n, ask in enumerate(asks)]


def _fill(circle: Circle, asked: list[_Asked], iteration: int) -> None:
    """Try every brief without a world once per round, until all have one or the cap is reached."""
    config = circle.config
    existing = circle.worlds().world_ids | {e.world.id for e in circle.training()}
    left = config.growth.attempts
    while left > 0 and any(a.admitted is None for a in asked):
        for a in asked:
            if a.admitted is None and left > 0:
                left -= 1
                if a.made:
                    a.brief = _elsewhere(a.brief, _scenario(circle, iteration, a.number, len(a.made)))
                seed = seed_of(config.seed, "grow", iteration, a.id, len(a.made))
                made = synthesized(a.brief, circle.author, circle.catalog, seed, config.tasks_per_world)
                a.made.append(made)
                _judge(a, made, circle, existing, iteration)
                circle.advance(1)


def _scenario(circle: Circle, iteration: int, number: int, attempt: int) -> Brief:
    """Where a brief takes place; equal for all arms of a seed."""
    reserved = circle.worlds().reserved
    return scenario(circle.catalog, reserved, circle.config.seed, "grow", iteration, number, attempt)


def _elsewhere(brief: Brief, place: Brief) -> Brief:
    """A brief that was refused, in another industry and country: the old one may be what stood in its way."""
    return brief.replace(text=place.text, industry=place.industry, country=place.country)


def _judge(a: _Asked, made: Synthesized, circle: Circle, existing: set[str], iteration: int) -> None:
    """Admit a synthesized world, or count what refused it."""
    a.refused.update(made.refused)
    if not made.complete or made.world is None or made.key is None:
        return
    broken = refusals(made.world, circle.worlds().reserved, existing, made.on_target)
    if broken:
        a.refused.update(broken)
        return
    existing.add(made.world.id)
    a.admitted = Environment(made.world, made.key, made.tasks, "grown", iteration, a.id)


def _rows(run_id: str, step: int, a: _Asked) -> list[Row]:
    """The brief and its author calls."""
    verdicts = [made.on_target for made in a.made if made.complete]
    rows: list[Row] = [
        BriefRow(
            run_id=run_id,
            step=step,
            brief_id=a.id,
            brief=a.brief.model_dump(mode="json"),
            admitted_world_id=a.admitted.world.id if a.admitted is not None else None,
            on_target=verdicts[-1] if verdicts else None,
            refused=dict(sorted(a.refused.items())),
        )
    ]
    attempts = [(made.author, attempt) for made in a.made for attempt in made.attempts]
    for index, (author, attempt) in enumerate(attempts):
        rows.append(
            AuthorCallRow(
                run_id=run_id,
                step=step,
                brief_id=a.id,
                call_index=index,
                link=attempt.link,
                attempt=attempt.attempt,
                author=author,
                accepted=attempt.problem is None,
                refused=attempt.report,
                tokens_in=attempt.cost.tokens,
                dollars=attempt.cost.dollars,
            )
        )
    return rows


def _metrics(circle: Circle, asked: list[_Asked]) -> dict[str, float]:
    made = [m for a in asked for m in a.made]
    aimed = [m for a in asked if a.aimed for m in a.made if m.complete]
    on_target = sum(m.on_target is True for m in aimed)
    admitted = sum(a.admitted is not None for a in asked)
    metrics = {
        "grow/briefs": float(len(asked)),
        "grow/syntheses": float(len(made)),
        "grow/admitted": float(admitted),
        "grow/shortfall": float(len(asked) - admitted),
        "grow/targeted_worlds": float(len(aimed)),
        "grow/on_target_worlds": float(on_target),
        "grow/audit_steps": float(sum(m.audit_steps for m in made)),
        "pool/worlds": float(len(circle.training())),
        "pool/tasks": float(len(circle.training().listed)),
        **circle.grower.metrics(),
    }
    if aimed:
        metrics["grow/on_target_share"] = on_target / len(aimed)
    return metrics


def _detail(asked: list[_Asked]) -> dict[str, object]:
    refused: Counter[str] = Counter()
    for a in asked:
        refused.update(a.refused)
    return {
        "refused": dict(sorted(refused.items())),
        "aimed_briefs": [a.id for a in asked if a.aimed],
        "targets": sorted({a.brief.target.cells[0] for a in asked if a.aimed and a.brief.target is not None}),
    }
