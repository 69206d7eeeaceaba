"""Growth: briefs become audited worlds, within a quota and a cap that all growing arms share."""

from analysis.ledger import Row, WorldRow
from loop.circle import Circle
from loop.curricula.protocols import GrowthRequest
from loop.episodes.charging import charge
from loop.episodes.recording import environment_rows
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step
from loop.stages.diagnose import report_for
from loop.worlds.admission import avoiding, refusals
from loop.worlds.asked import Asked, asked_detail, asked_metrics, asked_rows
from loop.worlds.generator import elsewhere, scenario
from loop.worlds.placing import placed
from loop.worlds.pool import Environment
from loop.worlds.splits import training_families
from loop.worlds.store import write_environments, write_more_tasks
from loop.worlds.synthesis import Synthesized, more_tasks, synthesized
from planet.identity import seed_of
from planet.records.world import Brief


def grow(circle: Circle, step: Step) -> Outcome:
    """Ask, synthesize, admit; the pool grows by what was admitted, and the shortfall is recorded."""
    config, iteration = circle.config, step.iteration or 0
    asked = _ask(circle, iteration)
    _fill(circle, asked, iteration)
    audit_steps = sum(made.audit_steps for a in asked for made in a.made)
    rows = _admit(circle, step, asked)
    for a in asked:
        rows += asked_rows(config.run_id, step.index, a)
    rows.append(charge(config.run_id, step.index, "audit", audit_steps))
    metrics = {
        **asked_metrics(asked),
        "pool/worlds": float(len(circle.training())),
        "pool/tasks": float(len(circle.training().listed)),
        **circle.grower.metrics(),
        **circle.transform.metrics(),
    }
    return Outcome(rows=rows, metrics=metrics, detail=asked_detail(asked))


def _ask(circle: Circle, iteration: int) -> list[Asked]:
    """The grower's briefs for this iteration."""
    config = circle.config
    quota = config.growth.quota
    pool = circle.training()
    request = GrowthRequest(
        iteration=iteration,
        scenarios=tuple(_scenario(circle, iteration, number, attempt=0) for number in range(quota)),
        seed=seed_of(config.learning_seed, "briefs", iteration),
        targeting=config.targeting,
        train_tasks=tuple(t for t in pool.listed if pool.environment(t.world_id).origin == "train"),
        avoid=tuple(sorted({e.world.tool_set for e in pool if e.origin == "grown"})),
        report=report_for(circle, seed_of(config.learning_seed, "report", iteration)),
    )
    asks = circle.grower.briefs(request)[:quota]
    return [
        Asked(
            f"i{iteration}/b{n:02d}",
            n,
            placed(ask.brief, circle.catalog),
            ask.aimed,
            more_in=pool.environment(ask.world_id) if ask.world_id is not None else None,
        )
        for n, ask in enumerate(asks)
    ]


def _fill(circle: Circle, asked: list[Asked], iteration: int) -> None:
    """Try every brief without a world once per round, until all have one or the cap is reached."""
    left = circle.config.growth.attempts
    existing = circle.worlds().world_ids | {e.world.id for e in circle.training()}
    while left > 0 and any(a.admitted is None for a in asked):
        for a in asked:
            if a.admitted is None and left > 0:
                left -= 1
                _attempt(circle, a, asked, existing, iteration)
                circle.advance(1)


def _attempt(circle: Circle, a: Asked, asked: list[Asked], existing: set[str], iteration: int) -> None:
    """One synthesis for a brief, or one try at more tasks in its world."""
    config = circle.config
    seed = seed_of(config.learning_seed, "grow", iteration, a.id, len(a.made))
    if a.more_in is not None:
        known = circle.training().environment(a.more_in.world.id).tasks
        known += tuple(
            t for b in asked if b.admitted and b.admitted.world is a.more_in.world for t in b.admitted.tasks
        )
        made = more_tasks(a.more_in.world, a.more_in.key, known, config.tasks_per_world, seed)
        a.made.append(made)
        a.refused.update(made.refused)
        if made.complete:
            a.admitted = Environment(a.more_in.world, a.more_in.key, made.tasks, "grown", iteration, a.id)
        return
    if a.made:
        moved = elsewhere(a.brief, _scenario(circle, iteration, a.number, len(a.made)))
        a.brief = placed(moved, circle.catalog)
    if config.growth.distinct:
        grown = [e.world for e in circle.training() if e.origin == "grown"]
        grown += [b.admitted.world for b in asked if b.admitted is not None]
        a.brief = avoiding(a.brief, grown)
    reserved = circle.worlds().reserved
    made = synthesized(
        a.brief,
        circle.author,
        circle.catalog,
        seed,
        config.tasks_per_world,
        unfit=lambda world: refusals(world, reserved, existing),
    )
    a.made.append(made)
    _judge(a, made, existing, iteration)


def _scenario(circle: Circle, iteration: int, number: int, attempt: int) -> Brief:
    """Where a brief takes place; equal for all arms of a seed and replica."""
    reserved, config = circle.worlds().reserved, circle.config
    drawn = scenario(circle.catalog, reserved, config.learning_seed, "grow", iteration, number, attempt)
    return drawn.replace(families=training_families(config))


def _judge(a: Asked, made: Synthesized, existing: set[str], iteration: int) -> None:
    """Admit a synthesized world, or count what refused it."""
    a.refused.update(made.refused)
    if made.world is None or made.key is None or made.on_target is False:
        return
    existing.add(made.world.id)
    a.admitted = Environment(made.world, made.key, made.tasks, "grown", iteration, a.id)


def _admit(circle: Circle, step: Step, asked: list[Asked]) -> list[Row]:
    """Write what was admitted, let it join the pool, and return its rows: of known worlds the tasks alone."""
    new = [a.admitted for a in asked if a.admitted is not None and a.more_in is None]
    more = [a.admitted for a in asked if a.admitted is not None and a.more_in is not None]
    write_environments(circle.directory.worlds, new)
    write_more_tasks(circle.directory.worlds, more)
    circle.training().add([*new, *more])
    rows = environment_rows(circle.config.run_id, step.index, new)
    further = environment_rows(circle.config.run_id, step.index, more)
    return rows + [row for row in further if not isinstance(row, WorldRow)]
