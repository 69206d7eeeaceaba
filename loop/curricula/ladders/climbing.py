"""Ladders: a cell near zero success is approached over easier rungs, and climbed as they are learned.

Nothing can be learned from a skill that never succeeds: every group of rollouts is equal. So where a report
shows a cell below `targeting.ladder.below`, its briefs ask for the lowest rung first:

    an easier neighbour, a skill with shared steps that works already (`loop.curricula.ladders.neighbours`)
    the cell itself, easier: fewer hops, one column, the policy page named, no distractors (`levels`)
    ... up to the cell as the configuration asks for it

A rung is learned when the training episodes of its own tasks pass often enough; a neighbour also when the
report says so. A cell that the report itself finds learned leaves its ladder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from analysis.weakness import Cell, WeaknessReport
from loop.config import Targeting
from loop.curricula.ladders.levels import PAGE_READING, scale, told
from loop.curricula.ladders.neighbours import neighbour, profile
from loop.curricula.protocols import GroupOutcome, State
from loop.worlds.placing import demanded
from loop.worlds.pool import PoolTask
from planet.records.world import Difficulty


@dataclass(frozen=True)
class Rung:
    """One step of a ladder."""

    cell: str  # that its briefs ask for
    difficulty: Difficulty


@dataclass
class Ladder:
    """The rungs to one cell, the lowest first, and where the policy stands."""

    goal: str
    rungs: tuple[Rung, ...]
    at: int = 0
    passes: int = 0  # training episodes of the rung's own tasks that passed, since it was reached
    episodes: int = 0

    @property
    def rung(self) -> Rung:
        """The rung that briefs ask for."""
        return self.rungs[self.at]

    @property
    def name(self) -> str:
        """How the ledger calls it, e.g. "1 of 3 to family:repair"."""
        return f"{self.at + 1} of {len(self.rungs)} to {self.goal}"

    def move(self, by: int) -> None:
        """Go up or down, within the ladder; what was counted belongs to the old rung."""
        self.at = min(max(self.at + by, 0), len(self.rungs) - 1)
        self.passes = self.episodes = 0


@dataclass
class Ladders:
    """All ladders of a run, by goal. None are made while `below` is 0."""

    standing: dict[str, Ladder] = field(default_factory=dict)

    def hear(self, report: WeaknessReport, targeting: Targeting, tasks: Sequence[PoolTask]) -> None:
        """Take a new report: take ladders away, move on them, and put new ones up."""
        for cell in report.cells:
            if cell.facet not in targeting.facets or cell.opportunities < targeting.min_opportunities:
                continue
            success, ladder = 1.0 - cell.rate, self.standing.get(cell.name)
            if ladder is not None and success >= targeting.ladder.learned:
                del self.standing[cell.name]
            elif ladder is not None:
                _climb(ladder, report, targeting)
            elif success < targeting.ladder.below:
                self.standing[cell.name] = _put_up(cell, report, targeting, tasks)

    def observe(self, outcomes: Sequence[GroupOutcome]) -> None:
        """Count the training episodes of tasks that were made for a rung on which a ladder stands."""
        by_name = {ladder.name: ladder for ladder in self.standing.values()}
        for outcome in outcomes:
            ladder = by_name.get(outcome.rung)
            if ladder is not None and ladder.rung.cell in outcome.cells:  # an earlier ladder had another rung
                ladder.passes += outcome.passes
                ladder.episodes += outcome.rollouts

    def lifted(self, weights: Mapping[str, float]) -> list[float]:
        """Weights of cells; on a ladder not below the mean, as the cell's own speaks of the ladder's top."""
        mean = fsum(weights.values()) / len(weights) if weights else 0.0
        return [max(weight, mean) if name in self.standing else weight for name, weight in weights.items()]

    def state_dict(self) -> State:
        """Every ladder."""
        return {
            goal: {
                "rungs": [[r.cell, r.difficulty.model_dump(mode="json")] for r in ladder.rungs],
                "at": ladder.at,
                "passes": ladder.passes,
                "episodes": ladder.episodes,
            }
            for goal, ladder in sorted(self.standing.items())
        }

    def load_state_dict(self, state: State) -> None:
        """Take up stored ladders."""
        self.standing = {}
        for goal, stored in state.items():
            rungs = tuple(Rung(cell, Difficulty(**difficulty)) for cell, difficulty in stored["rungs"])
            self.standing[goal] = Ladder(goal, rungs, stored["at"], stored["passes"], stored["episodes"])


def _put_up(cell: Cell, report: WeaknessReport, targeting: Targeting, tasks: Sequence[PoolTask]) -> Ladder:
    """A ladder to a cell; one stands on its first rung that the report does not show as learned."""
    reads_pages = bool(PAGE_READING & profile(cell.name, tasks).keys())
    levels = dict.fromkeys(demanded(cell.name, level) for level in scale(targeting.difficulty, reads_pages))
    rungs = [Rung(cell.name, level) for level in levels]
    near = neighbour(cell, report, tasks, targeting.ladder.below, targeting.min_opportunities)
    if near is None:
        return Ladder(cell.name, tuple(rungs))
    ladder = Ladder(cell.name, (Rung(near.name, demanded(near.name, targeting.difficulty)), *rungs))
    if 1.0 - near.rate >= targeting.ladder.learned:
        ladder.move(1)
    return ladder


def _climb(ladder: Ladder, report: WeaknessReport, targeting: Targeting) -> None:
    """Go up when the rung is learned, down when it is out of reach."""
    settings = targeting.ladder
    practised = ladder.passes / ladder.episodes if ladder.episodes >= settings.episodes else None
    beside = report.cell(ladder.rung.cell) if ladder.rung.cell != ladder.goal else None
    measured = 1.0 - beside.rate if beside is not None else None
    if max(rate for rate in (practised, measured, 0.0) if rate is not None) >= settings.learned:
        ladder.move(1)
    elif practised is not None and practised < settings.below:
        ladder.move(-1)


def words_of(ladder: Ladder) -> str:
    """The rung for a reason: its number, what is asked for, and how hard."""
    return f"rung {ladder.name}: {ladder.rung.cell} with {told(ladder.rung.difficulty)}"
