"""The result files of one sweep, checked to be comparable."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from analysis.errors import DataError
from analysis.retest import RetestedHow, retested
from analysis.run_result import PLAN, RunResult, read_results
from planet.identity import digest

METHOD = "closed_loop"
CONTROLS = ("random_worlds", "balanced_worlds", "placebo", "static", "stale")
"""What the method is held against, the arm that asks the sharpest question first."""
NAMED = tuple((METHOD, control) for control in CONTROLS)
"""The contrasts of a sweep whose plan names none, as far as it has their arms."""

MAIN = (METHOD, *CONTROLS)
"""Arms of the main figures; the others have learning curves of their own, beside the method."""

ARMS = (
    *MAIN,
    "oracle",
    "final_pool",
    "task_scaling",
    "plr",
    "sfl",
    "trace",
    "harden_soften",
    "difficulty_pools",
)
"""The protocol's order; arms of other names come after these."""

SEEDS = 10
"""An arm with fewer is a case study, and is called one."""


class Sweep(NamedTuple):
    """The runs of several arms at several seeds."""

    name: str
    runs: tuple[RunResult, ...]  # by arm in the protocol's order, then by seed
    named: tuple[tuple[str, str], ...]  # contrasts named before the first run, as (arm, control)
    retested: RetestedHow | None = None  # None: scores are those of the first test

    @property
    def arms(self) -> tuple[str, ...]:
        """In the protocol's order."""
        return tuple(dict.fromkeys(run.arm for run in self.runs))

    @property
    def seeds(self) -> tuple[int, ...]:
        """All seeds, ascending."""
        return tuple(sorted({run.seed for run in self.runs}))

    def of(self, arm: str) -> tuple[RunResult, ...]:
        """The runs of an arm, by seed."""
        return tuple(run for run in self.runs if run.arm == arm)

    def pairs(self, one: str, other: str) -> list[tuple[RunResult, RunResult]]:
        """The runs of two arms at the seeds that both have."""
        theirs = {run.seed: run for run in self.of(other)}
        return [(run, theirs[run.seed]) for run in self.of(one) if run.seed in theirs]

    def at(self, seed: int) -> tuple[RunResult, ...]:
        """The runs of a seed, by arm."""
        return tuple(run for run in self.runs if run.seed == seed)

    @property
    def commits(self) -> tuple[str, ...]:
        """Of the code that made the runs, where it is known."""
        return tuple(sorted({run.made.commit for run in self.runs if run.made.commit is not None}))

    def families(self) -> tuple[str, ...]:
        """Families that every run was tested on."""
        each = [{task.family for task in run.tasks} for run in self.runs]
        return tuple(sorted(set.intersection(*each)))

    def targeted(self, seed: int) -> frozenset[str]:
        """The cells that the first report of a seed sends more than their even share of briefs to.

        The report and its ranking are common to the seed's arms; the method's own is taken where it ran. All
        cells that failed have a claim to some briefs, so the even share parts those aimed at from the rest.
        """
        runs = sorted(self.at(seed), key=lambda run: run.arm != METHOD)
        cells = next((run.targeted for run in runs if run.targeted), ())
        even = sum(cell.seats for cell in cells) / len(cells) if cells else 0.0
        above = frozenset(cell.cell for cell in cells if cell.seats > even)
        return above or frozenset(cell.cell for cell in cells if cell.seats)

    def case_study(self, arms: Sequence[str] | None = None) -> str:
        """Which of some arms (None: all) have fewer seeds than claims need, in words; empty: none of them."""
        return case_study({arm: len(self.of(arm)) for arm in (self.arms if arms is None else arms)})


def case_study(seeds: Mapping[str, int]) -> str:
    """Which arms have fewer seeds than claims need, in words; empty when none has. seeds: of each arm."""
    few = {arm: count for arm, count in seeds.items() if count < SEEDS}
    if not few:
        return ""
    if len(few) == len(seeds):
        return "a case study"
    told = ", ".join(f"{arm} ({of_seeds(count)})" for arm, count in few.items())
    return f"case studies: {told}"


def of_seeds(count: int) -> str:
    """How many seeds, in words."""
    return f"{count} seed{'s' if count != 1 else ''}"


def read_sweep(folder: Path, retest: bool = False) -> Sweep:
    """The results in a folder as one sweep, with its plan. DataError when they do not belong together.

    `retest`: those that were tested again, with what was found then.
    """
    results, how = read_results(folder), None
    named = named_contrasts(folder / PLAN, results)
    if retest:
        results, how = retested(folder, results)
    return as_sweep(folder.name, results, named)._replace(retested=how)


def named_contrasts(file: Path, results: Sequence[RunResult]) -> tuple[tuple[str, str], ...]:
    """The contrasts that a plan file names; none without a file.

    DataError when the file is none or not the plan that the results were made under, or is missing where they
    were made under one.
    """
    if not file.is_file():
        planned = next((result for result in results if result.plan_digest is not None), None)
        if planned is not None:
            raise DataError(
                f"{file} is missing, but {planned.name} was made under a plan ({planned.plan_digest}); p is "
                "adjusted over the contrasts that it names, so put the file back"
            )
        return ()
    try:
        plan = json.loads(file.read_text(encoding="utf-8"))
        named = tuple((str(arm), str(control)) for arm, control in plan["contrasts"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise DataError(f"{file} cannot be read as a plan ({error!r}); restore it") from error
    for result in results:
        if result.plan_digest != digest(plan):
            raise DataError(
                f"{file} is not the plan of {result.name}: its digest is {digest(plan)}, the result was made "
                f"under {result.plan_digest or 'none'}; contrasts are named before the first run, restore "
                "the file"
            )
    return named


def as_sweep(name: str, results: Sequence[RunResult], named: tuple[tuple[str, str], ...] = ()) -> Sweep:
    """Results as one sweep. DataError when a run stands twice, or a seed's runs do not share their start.

    named: by its plan, all of them, also those of which no run is there yet; none: the protocol's.
    """
    ranked = sorted(results, key=lambda run: (_place(run.arm), run.arm, run.seed))
    for first, second in pairwise(ranked):
        if (first.arm, first.seed) == (second.arm, second.seed):
            raise DataError(f"{first.arm} at seed {first.seed} stands twice in {name}; keep one of its files")
    _require_one("plan_digest", "plan", ranked, name)
    for seed in sorted({run.seed for run in ranked}):
        runs = [run for run in ranked if run.seed == seed]
        _require_one("splits_digest", "splits", runs, f"seed {seed} of {name}")
        _require_one("warm_start", "warm start", runs, f"seed {seed} of {name}")
        _require_one("temperature", "temperature", runs, f"seed {seed} of {name}")
        _require_one("tested", "test tasks", runs, f"seed {seed} of {name}")
    arms = {run.arm for run in ranked}
    return Sweep(name, tuple(ranked), named or tuple(pair for pair in NAMED if arms.issuperset(pair)))


def _require_one(field: str, what: str, runs: Sequence[RunResult], where: str) -> None:
    """DataError unless all runs have the same value of a field."""
    for run in runs[1:]:
        if getattr(run, field) != getattr(runs[0], field):
            raise DataError(
                f"{where}: {runs[0].name} and {run.name} differ in their {what} "
                f"({getattr(runs[0], field)} and {getattr(run, field)}) and cannot be compared; "
                "keep the files of one sweep in one folder"
            )


def _place(arm: str) -> int:
    return ARMS.index(arm) if arm in ARMS else len(ARMS)
