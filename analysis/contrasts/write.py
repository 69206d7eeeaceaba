"""Everything that a sweep found, as text, Markdown, CSV and figures."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.command import Result
from analysis.contrasts.aims import Aim, aims
from analysis.contrasts.arms import Arm, arms
from analysis.contrasts.contrast import Contrast, contrasts
from analysis.contrasts.coverage import Coverage, coverage, coverage_table
from analysis.contrasts.coverage_figure import write_coverage
from analysis.contrasts.curves import write_curves
from analysis.contrasts.families import FamilyOfArm, families
from analysis.contrasts.forest import HEADER as CONTRAST_HEADER
from analysis.contrasts.forest import contrast_rows, write_forest
from analysis.contrasts.remarks import remarks
from analysis.contrasts.sweep import MAIN, METHOD, SEEDS, Sweep
from analysis.contrasts.tables import Table, tables
from analysis.contrasts.verdict import power_statement, primary, verdict
from analysis.contrasts.worst_tasks import write_worst_tasks
from analysis.csv_file import write_csv


def write_contrasts(sweep: Sweep, out: Path) -> Result:
    """findings.md, CSV tables and figures in `out`."""
    described, found, of_families = arms(sweep), contrasts(sweep), families(sweep)
    judged, covered = aims(sweep, found), coverage(sweep)
    lines = [verdict(found), *_remarks(sweep, found)]
    made = [*tables(described, found, judged, of_families), *_coverage(covered)]
    page = out / "findings.md"
    out.mkdir(parents=True, exist_ok=True)
    page.write_text("\n\n".join([*lines, *(t.markdown() for t in made)]) + "\n", encoding="utf-8")
    files = [
        page,
        write_csv(out / "arms.csv", Arm._fields, [_flat(row) for row in described]),
        write_csv(out / "contrasts.csv", CONTRAST_HEADER, contrast_rows(found)),
        write_csv(out / "differences.csv", _BY_SEED, _by_seed(found)),
        write_csv(out / "families.csv", (*FamilyOfArm._fields, "gain"), [(*f, f.gain) for f in of_families]),
        write_csv(out / "aims.csv", _AIMS, [_aim(aim) for aim in judged]),
        *_figures(sweep, found, covered, out),
    ]
    return Result("\n\n".join([*lines, *(table.text() for table in made)]), tuple(files))


def _remarks(sweep: Sweep, found: Sequence[Contrast]) -> list[str]:
    """What a reader must know beside the verdict."""
    out = _provenance(sweep)
    first = primary(found)
    if first is not None:
        out.append(power_statement(first, len(sweep.named)))
    out += remarks(sweep, found)
    if few := sweep.case_study():
        which = "" if few == "a case study" else f" Here {few}."
        out.append(
            f"Fewer than {SEEDS} seeds are a case study: an example of what happens, and no evidence.{which}"
        )
    targets = Counter(cell for seed in sweep.seeds for cell in sweep.targeted(seed))
    if targets:
        told = ", ".join(f"{cell} at {targets[cell]}" for cell in sorted(targets))
        out.append(f"Targeted cells, by the first report of each of {len(sweep.seeds)} seeds: {told}.")
    return out


def _provenance(sweep: Sweep) -> list[str]:
    """Which test the scores are of, and whether one code made them all."""
    out, how = [], sweep.retested
    if how is not None:
        which = (
            f" Runs without one, {how.of - how.runs} of {how.of}, are left out." if how.runs < how.of else ""
        )
        out.append(
            "Sampled test scores of trained policies are those of a second test, "
            f"{how.rollouts} rollouts a task, made after the one that was planned; warm starts, greedy "
            "scores and validation are the first ones." + which
        )
    for what, commits in (("Runs", sweep.commits), ("Second tests", how.commits if how else ())):
        if len(commits) > 1 or any(commit.endswith("-dirty") for commit in commits):
            out.append(f"{what} are of different or uncommitted code: {', '.join(commits)}.")
    return out


def _coverage(covered: Sequence[Coverage]) -> list[Table]:
    return [table for table in (coverage_table(covered),) if table.rows]


def _figures(sweep: Sweep, found: Sequence[Contrast], covered: Sequence[Coverage], out: Path) -> list[Path]:
    main = [arm for arm in sweep.arms if arm in MAIN] or list(sweep.arms)
    others = [arm for arm in sweep.arms if arm not in main]
    beside = [METHOD] if METHOD in sweep.arms else []
    drawn = [*write_curves(sweep, main, out, "arm_curves"), *write_forest(found, out)]
    drawn += [*write_worst_tasks(sweep, main, out), *write_coverage(sweep, covered, main, out)]
    if others:
        drawn += write_curves(sweep, [*beside, *others], out, "arm_curves_others")
    return drawn


def _flat(arm: Arm) -> list[Any]:
    """An arm as one row: an interval as its text."""
    return [str(value) if hasattr(value, "low") else value for value in arm]


_BY_SEED = ("measure", "one", "other", "seed", "difference")
_AIMS = ("aim", "found", "low", "high", "aimed_low", "aimed_high", "seeds", "outcome")


def _by_seed(found: Sequence[Contrast]) -> list[tuple[Any, ...]]:
    return [
        (c.measure.name, c.one, c.other, seed, difference)
        for c in found
        for seed, difference in zip(c.seeds, c.differences, strict=True)
    ]


def _aim(aim: Aim) -> tuple[Any, ...]:
    found = aim.found or (None, None, None)
    return (aim.title, *found, aim.low, aim.high, aim.seeds, aim.outcome)
