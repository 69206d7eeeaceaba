"""From a weakness report to briefs: which cells, how many worlds for each, and why.

Scenarios (industry, country, words) come from the training generator and are the same whatever is aimed at,
so that arms differ in the cells of their targets, in the difficulty asked where a rule says so, and in
nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from analysis.weakness import Cell, WeaknessReport
from loop.config import Targeting
from loop.curricula.ladders.climbing import Ladders, words_of
from loop.curricula.protocols import Allocation
from loop.plugins import make
from loop.worlds.pool import PoolTask
from planet.identity import stream
from planet.records.world import Brief, Difficulty, Target


@dataclass(frozen=True)
class Goal:
    """What one brief aims at."""

    cell: str
    reason: str
    difficulty: Difficulty
    rung: str = ""  # of a ladder; empty: none


def allocation_of(targeting: Targeting) -> Allocation:
    """The allocation rule that a configuration names, without any memory."""
    allocation: Allocation = make("allocation", targeting.allocation, "targeting.allocation")
    return allocation


def may_aim(report: WeaknessReport, targeting: Targeting) -> bool:
    """Whether to aim at a report: not at one that shows nothing, where that is to be heeded."""
    return not (targeting.heed_abstention and report.abstains)


def targeted_count(quota: int, share: float) -> int:
    """How many of `quota` briefs aim at the report; the rest explore. Halves round up: 8 x 0.7 gives 6."""
    return int(quota * share + 0.5)


def probed(cells: Sequence[Cell], facets: Sequence[str], targeting: Targeting) -> list[Cell]:
    """Cells of the given facets that a brief can ask for and that were probed often enough, by name."""
    chosen = [
        c
        for c in cells
        if c.facet in facets and c.opportunities >= targeting.min_opportunities and can_be_asked_for(c.name)
    ]
    return sorted(chosen, key=lambda c: c.name)


def eligible(cells: Sequence[Cell], facets: Sequence[str], targeting: Targeting) -> list[Cell]:
    """Those of them that failed at least once."""
    return [cell for cell in probed(cells, facets, targeting) if cell.failures > 0]


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


def evenly(cells: Sequence[Cell], seats: int, seed: int) -> list[Cell]:
    """A cell for each of `seats`, all cells alike; what cannot be divided evenly goes by lot."""
    order = stream(seed, "evenly").sample(cells, len(cells))
    return [cell for cell, count in zip(order, apportion([1.0] * len(order), seats), strict=True)
            for _ in range(count)]  # fmt: skip


def aimed_at_report(
    scenarios: Sequence[Brief],
    report: WeaknessReport,
    targeting: Targeting,
    avoid: tuple[str, ...],
    seed: int,
    allocation: Allocation | None = None,
    ladders: Ladders | None = None,
) -> list[Brief]:
    """One brief per scenario, aimed at the report's cells in proportion to their weights.

    allocation: None: as `targeting` names it, without a memory. ladders: None: no cell stands on one.
    """
    rule, climbing = allocation or allocation_of(targeting), ladders or Ladders()
    chosen = eligible(report.cells, targeting.facets, targeting)
    weights = climbing.lifted(dict(zip((c.name for c in chosen), rule.weights(chosen), strict=True)))
    seats = apportion(weights, len(scenarios))
    goals = [
        _goal(cell, targeting, climbing)
        for cell, count in zip(chosen, seats, strict=True)
        for _ in range(count)
    ]
    return aimed_at_goals(scenarios, goals, report, targeting, avoid, seed, rule)


def aimed_at_goals(
    scenarios: Sequence[Brief],
    goals: Sequence[Goal],
    report: WeaknessReport,
    targeting: Targeting,
    avoid: tuple[str, ...],
    seed: int,
    allocation: Allocation,
) -> list[Brief]:
    """One brief per scenario and goal, with a hint of where to practise, drawn by the worth of its cell."""
    hints = eligible(report.cells, targeting.hints, targeting)
    worth = allocation.weights(hints) if hints else []
    rng = stream(seed, "hints")
    briefs = []
    for scenario, goal in zip(scenarios, goals, strict=False):
        hint = _draw(rng, hints, worth)
        cells = (goal.cell,) if hint is None else (goal.cell, hint.name)
        briefs.append(_brief(scenario, cells, targeting, avoid, goal))
    return briefs


def aimed_at_random(
    scenarios: Sequence[Brief],
    train_tasks: Sequence[PoolTask],
    targeting: Targeting,
    avoid: tuple[str, ...],
    seed: int,
) -> list[Brief]:
    """One brief per scenario, with the cells of a task that the training generator made, drawn at random.

    Where no task requires a cell of the facets, the scenarios as they are.
    """
    with_goal = [task for task in train_tasks if cells_of_facets(task, targeting.facets)]
    if not with_goal:
        return list(scenarios)
    rng = stream(seed, "exploring")
    why = "drawn from the training generator"
    briefs = []
    for scenario in scenarios:
        task = rng.choice(with_goal)
        goal = rng.choice(cells_of_facets(task, targeting.facets))
        names = _with_hint(goal, task, targeting, rng)
        briefs.append(_brief(scenario, names, targeting, avoid, Goal(goal, why, targeting.difficulty)))
    return briefs


def aimed_evenly(
    scenarios: Sequence[Brief],
    goals: Sequence[str],
    train_tasks: Sequence[PoolTask],
    targeting: Targeting,
    avoid: tuple[str, ...],
    seed: int,
) -> list[Brief]:
    """One brief per scenario and cell, the hint drawn from a training task that requires the cell."""
    rng = stream(seed, "hints")
    why = "every cell equally often"
    briefs = []
    for scenario, goal in zip(scenarios, goals, strict=True):
        task = rng.choice([t for t in train_tasks if goal in t.cells])
        names = _with_hint(goal, task, targeting, rng)
        briefs.append(_brief(scenario, names, targeting, avoid, Goal(goal, why, targeting.difficulty)))
    return briefs


def cells_of_facets(task: PoolTask, facets: Sequence[str]) -> list[str]:
    """The task's cells of some facets that a brief can ask for, sorted."""
    return sorted(c for c in task.cells if c.split(":", 1)[0] in facets and can_be_asked_for(c))


def can_be_asked_for(cell: str) -> bool:
    """Whether a task can be made for a cell: it has to write what owns it, so reading is no goal."""
    if cell.startswith(("operation:", "tool:")):
        return cell.startswith(("operation:update", "tool:update_"))
    return True


def _with_hint(goal: str, task: PoolTask, targeting: Targeting, rng: Random) -> tuple[str, ...]:
    """The goal, and beside it a cell of the task that says where to practise, if it has one."""
    hints = cells_of_facets(task, targeting.hints)
    return (goal, rng.choice(hints)) if hints else (goal,)


def reason(cell: Cell) -> str:
    """The failure in one sentence built from counts."""
    worlds = "1 world" if cell.worlds == 1 else f"{cell.worlds} worlds"
    return (
        f"tasks of {cell.facet} {cell.value} failed in {cell.failures:.4g} of {cell.opportunities} episodes "
        f"over {worlds} (posterior failure rate {cell.posterior_mean:.2f})"
    )


def _goal(cell: Cell, targeting: Targeting, ladders: Ladders) -> Goal:
    """The cell itself, or the rung on which its ladder stands."""
    ladder = ladders.standing.get(cell.name)
    if ladder is None:
        return Goal(cell.name, reason(cell), targeting.difficulty)
    why = f"{reason(cell)}; {words_of(ladder)}"
    return Goal(ladder.rung.cell, why, ladder.rung.difficulty, ladder.name)


def _brief(
    scenario: Brief, cells: tuple[str, ...], targeting: Targeting, avoid: tuple[str, ...], goal: Goal
) -> Brief:
    hinted = dict(cell.split(":", 1) for cell in cells[1:])
    return scenario.replace(
        resources=(hinted["resource"],) if "resource" in hinted else scenario.resources,
        services=(hinted["service"],) if "service" in hinted else scenario.services,
        target=Target(
            cells=cells,
            quota=targeting.tasks,
            difficulty=goal.difficulty,
            avoid=avoid,
            reason=goal.reason,
            rung=goal.rung,
        ),
    )


def _draw(rng: Random, cells: Sequence[Cell], weights: Sequence[float]) -> Cell | None:
    return rng.choices(cells, weights)[0] if cells and sum(weights) > 0 else None
