"""What a page tells of a run, read from its ledger once and ordered by the circle."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from analysis.briefs import aimed_briefs
from analysis.compare.standing import Standing, standing
from analysis.errors import DataError
from analysis.footprint.pool import Update, read_updates
from analysis.health.updates import Health, health
from analysis.intervals import Interval, cluster_bootstrap, difference_bootstrap
from analysis.ledger import (
    BriefRow,
    EpisodeRow,
    EvidenceRow,
    ReportRow,
    Row,
    StepRow,
    TaskRow,
    ToolCallRow,
    WorldRow,
)
from analysis.run_directory import OpenRun
from analysis.weakness import ProbeEpisode, WeaknessReport
from analysis.weakness.attribution import Blame, blame
from analysis.weakness.from_ledger import probes_of_step


class Diagnosis(NamedTuple):
    """One weakness report with the episodes it was made of."""

    step: int
    id: str
    iteration: int | None  # None: after the last one
    report: WeaknessReport
    probes: tuple[ProbeEpisode, ...]
    blamed: dict[str, dict[str, Blame]]  # episode -> cells that failed in it

    def sample(self, cell: str) -> tuple[list[float], list[str]]:
        """The cell's part in the failure of each episode that requires it, and that episode's world."""
        met = [probe for probe in self.probes if cell in probe.cells]
        shares = [
            self.blamed[p.episode_id][cell].share if cell in self.blamed[p.episode_id] else 0.0 for p in met
        ]
        return shares, [probe.world_id for probe in met]

    def failure(self, cell: str) -> Interval | None:
        """The cell's failure rate with the report's own interval, or one over its worlds where the report has
        none; None when no task required it."""
        told = self.report.cell(cell)
        if told is not None and told.rate_low is not None and told.rate_high is not None:
            return Interval(told.rate, told.rate_low, told.rate_high)
        shares, worlds = self.sample(cell)
        return cluster_bootstrap(shares, worlds) if shares else None


def change(before: Diagnosis, after: Diagnosis, cell: str) -> Interval | None:
    """Failure rate after minus before, drawing the same worlds for both; None: met in different worlds."""
    (old, old_worlds), (new, new_worlds) = before.sample(cell), after.sample(cell)
    if not old or set(old_worlds) != set(new_worlds):
        return None
    return difference_bootstrap(new, new_worlds, old, old_worlds)


class Iteration(NamedTuple):
    """One turn of the circle; what did not happen yet, or not in this arm, is None or empty."""

    number: int  # from 0
    diagnosis: Diagnosis | None
    briefs: tuple[BriefRow, ...]
    aimed: frozenset[str]  # ids of briefs that aim at the report
    updates: tuple[Health, ...]
    gradients: tuple[Update, ...]  # the tasks with a gradient
    policy_version: int  # updates done at its end


class RunRecord:
    """A run as a page tells it. Everything is read when it is first asked for, and once.

    The run may go on meanwhile: what is newer than the steps that were read first is left out.
    """

    def __init__(self, run: OpenRun) -> None:
        self.run = run
        self.steps = run.ledger.rows(StepRow, run.id)

    @property
    def newest(self) -> int:
        """The newest step that is told; -1 before the first."""
        return max((step.step for step in self.steps), default=-1)

    @cached_property
    def tasks(self) -> dict[str, TaskRow]:
        return {
            row.task_id: row for row in self.run.ledger.rows(TaskRow, self.run.id) if row.step <= self.newest
        }

    @cached_property
    def worlds(self) -> dict[str, WorldRow]:
        return {
            row.world_id: row
            for row in self.run.ledger.rows(WorldRow, self.run.id)
            if row.step <= self.newest
        }

    @cached_property
    def tasks_of(self) -> dict[str, tuple[TaskRow, ...]]:
        """World id -> its tasks."""
        found: dict[str, list[TaskRow]] = {}
        for task in self.tasks.values():
            found.setdefault(task.world_id, []).append(task)
        return {world_id: tuple(tasks) for world_id, tasks in found.items()}

    @cached_property
    def standing(self) -> Standing | None:
        """Where the run stands; None before its first validation."""
        try:
            return standing(self.run)
        except DataError:
            return None

    @cached_property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """All reports, in order."""
        iterations = {step.step: step.iteration for step in self.steps}
        rows = sorted(self.run.ledger.rows(ReportRow, self.run.id), key=lambda row: row.step)
        return tuple(self.diagnosis(row, iterations[row.step]) for row in rows if row.step <= self.newest)

    @cached_property
    def health(self) -> tuple[Health, ...]:
        """How each update went."""
        return tuple(health(self.run.ledger, self.run.id)) if self._has("update") else ()

    @cached_property
    def gradients(self) -> tuple[Update, ...]:
        """The tasks with a gradient, by update, those of an extension at the end."""
        found = read_updates(self.run.ledger, self.run.id)
        return tuple(update for update in found if update.step <= self.newest)

    @property
    def planned_health(self) -> tuple[Health, ...]:
        """How each update of the iterations went, those of an extension apart."""
        numbers = {update.number for update in self.gradients if update.iteration is not None}
        return tuple(row for row in self.health if row.update in numbers)

    @cached_property
    def iterations(self) -> tuple[Iteration, ...]:
        """All iterations that have begun."""
        briefs: dict[int, list[BriefRow]] = {}
        for brief in self.run.ledger.rows(BriefRow, self.run.id):
            briefs.setdefault(brief.step, []).append(brief)
        numbers = sorted({s.iteration for s in self.steps if s.iteration is not None})
        return tuple(self._iteration(number, briefs) for number in numbers)

    @property
    def facets(self) -> tuple[str, ...]:
        """Facets whose cells a brief may aim at, in the run's own configuration."""
        targeting = self.run.run.config.get("targeting")
        named = targeting.get("facets") if isinstance(targeting, dict) else None
        return tuple(named) if named else ("family",)

    def after(self, iteration: Iteration) -> Diagnosis | None:
        """The first diagnosis after an iteration; None when there is none yet."""
        later = [d for d in self.diagnoses if d.iteration is None or d.iteration > iteration.number]
        return later[0] if later else None

    def episode_rows(self, episodes: Sequence[EpisodeRow]) -> list[Row]:
        """Episodes with their calls and evidence."""
        rows: list[Row] = [*episodes]
        for episode in episodes:
            for kind in (ToolCallRow, EvidenceRow):
                rows += self.run.ledger.rows(kind, self.run.id, episode_id=episode.episode_id)
        return rows

    def _has(self, kind: str) -> bool:
        return any(step.kind == kind for step in self.steps)

    def diagnosis(self, row: ReportRow, iteration: int | None = None) -> Diagnosis:
        """One report with its episodes."""
        probes = tuple(probes_of_step(self.run.ledger, self.run.id, row.step, self.tasks, self.worlds))
        report = WeaknessReport.model_validate(row.report)
        blamed = {probe.episode_id: blame(probe) for probe in probes}
        return Diagnosis(row.step, row.report_id, iteration, report, probes, blamed)

    def _iteration(self, number: int, briefs: Mapping[int, list[BriefRow]]) -> Iteration:
        steps = [step for step in self.steps if step.iteration == number]
        asked = tuple(brief for step in steps for brief in briefs.get(step.step, ()))
        gradients = tuple(update for update in self.gradients if update.iteration == number)
        numbers = {update.number for update in gradients}
        last = max(step.step for step in steps)
        return Iteration(
            number=number,
            diagnosis=next((d for d in self.diagnoses if d.iteration == number), None),
            briefs=asked,
            aimed=frozenset(brief.brief_id for brief in aimed_briefs(steps, asked)),
            updates=tuple(row for row in self.health if row.update in numbers),
            gradients=gradients,
            policy_version=sum(step.kind == "update" and step.step <= last for step in self.steps),
        )
