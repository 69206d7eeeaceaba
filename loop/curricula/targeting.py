"""From a weakness report to briefs: which cells, how many worlds for each, and why.

Scenarios (industry, country, words) come from the training generator and are the same whatever is aimed at,
so that arms differ in the cells of their targets and in nothing else.
"""

import random
from collections.abc import Sequence

from analysis.weakness import Cell, WeaknessReport
from loop.config import Targeting
from loop.worlds.pool import PoolTask
from planet.records.world import Brief, Target


def targeted_count(quota: int, share: float) -> int:
    """How many of `quota` briefs aim at the report; the rest explore. Halves round up: 8 x 0.7 gives 6."""
    return int(quota * share + 0.5)


def weight(cell: Cell, allocation: str) -> float:
    """What a cell is worth under an allocation rule: its failure rate, or its learnability."""
    return cell.posterior_mean if allocation == "failure_rate" else cell.learnability


def eligible(cells: Sequence[Cell], facets: Sequence[str], targeting: Targeting) -> list[Cell]:
    """Cells of the given facets that were probed often enough and failed at least once, in a fixed order."""
    chosen = [
        c
        for c in cells
        if c.facet in facets and c.opportunities >= targeting.min_opportunities and c.failures > 0
    ]
    return sorted(chosen, key=lambda c: c.name)


def apportion(weights: Sequence[float], seats: int) -> list[int]:
    """Whole numbers that sum to `seats`, by largest remainder of the weights; ties to the first."""
    total = sum(weights)
    if total <= 0:
        return [0] * len(weights)
    exact = [seats * w / total for w in weights]
    counts = [int(e) for e in exact]
    order = sorted(range(len(exact)), key=lambda i: (counts[i] - exact[i], i))
    for index in order[: seats - sum(counts)]:
        counts[index] += 1
    return counts


def aimed_at_report(
    scenarios: Sequence[Brief],
    report: WeaknessReport,
    targeting: Targeting,
    avoid: tuple[str, ...],
    seed: int,
) -> list[Brief]:
    """One brief per scenario, aimed at the report's cells in proportion to their weights."""
    chosen = eligible(report.cells, targeting.facets, targeting)
    seats = apportion([weight(c, targeting.allocation) for c in chosen], len(scenarios))
    goals = [cell for cell, count in zip(chosen, seats, strict=True) for _ in range(count)]
    hints = eligible(report.cells, targeting.hints, targeting)
    rng = random.Random(seed)
    briefs = []
    for scenario, goal in zip(scenarios, goals, strict=False):
        hint = _draw(rng, hints, [weight(c, targeting.allocation) for c in hints])
        aimed = (goal,) if hint is None else (goal, hint)
        briefs.append(_brief(scenario, tuple(c.name for c in aimed), targeting, avoid, reason(goal)))
    return briefs


def aimed_at_random(
    scenarios: Sequence[Brief],
    train_tasks: Sequence[PoolTask],
    targeting: Targeting,
    avoid: tuple[str, ...],
    seed: int,
) -> list[Brief]:
    """One brief per scenario, with the cells of a task that the training generator made, drawn at random."""
    rng = random.Random(seed)
    briefs = []
    for scenario in scenarios:
        task = rng.choice(list(train_tasks))
        goal = rng.choice(_cells(task, targeting.facets))
        hints = _cells(task, targeting.hints)
        names = (goal, rng.choice(hints)) if hints else (goal,)
        briefs.append(_brief(scenario, names, targeting, avoid, "drawn from the training generator"))
    return briefs


def reason(cell: Cell) -> str:
    """The failure in one sentence built from counts."""
    worlds = "1 world" if cell.worlds == 1 else f"{cell.worlds} worlds"
    return (
        f"tasks of {cell.facet} {cell.value} failed in {cell.failures:.4g} of {cell.opportunities} episodes "
        f"over {worlds} (posterior failure rate {cell.posterior_mean:.2f})"
    )


def _brief(
    scenario: Brief, cells: tuple[str, ...], targeting: Targeting, avoid: tuple[str, ...], why: str
) -> Brief:
    hinted = dict(cell.split(":", 1) for cell in cells[1:])
    return scenario.replace(
        resources=(hinted["resource"],) if "resource" in hinted else scenario.resources,
        services=(hinted["service"],) if "service" in hinted else scenario.services,
        target=Target(
            cells=cells, quota=targeting.tasks, difficulty=targeting.difficulty, avoid=avoid, reason=why
        ),
    )


def _cells(task: PoolTask, facets: Sequence[str]) -> list[str]:
    return sorted(cell for cell in task.cells if cell.split(":", 1)[0] in facets)


def _draw(rng: random.Random, cells: Sequence[Cell], weights: Sequence[float]) -> Cell | None:
    return rng.choices(cells, weights)[0] if cells and sum(weights) > 0 else None
