"""A finished run as a result record: everything is read from its directory and ledger."""

import subprocess
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path

from analysis.footprint.pool import read_pool, read_updates
from analysis.footprint.shares import footprint
from analysis.ledger import ChargeRow, Ledger
from analysis.run_result import CurvePoint, Extension, Grown, Made, Reached, RunResult, TargetedCell
from analysis.weakness import WeaknessReport
from loop.config import Config
from loop.curricula.targeting import allocation_of, apportion, eligible, targeted_count
from loop.errors import SweepError
from loop.run_directory import RunDirectory, stored_config
from loop.sweep.records import Records, read_records
from loop.sweep.tested import parts_of_test, tested_tasks

DRAWS = 200
"""Uniform draws behind the expectation of the footprint in a result; the footprint of one run takes more."""


def measure(path: Path) -> RunResult:
    """The result of the finished run in a directory; SweepError when it is not finished."""
    config, directory = stored_config(path), RunDirectory(path)
    if not directory.finished:
        raise SweepError(f"{path}: the run is not finished; resume it first")
    with Ledger(config.ledger or directory.ledger, create=False) as ledger:
        records = read_records(ledger, config.run_id)
        reached = _footprint(ledger, config.run_id)
    if not records.steps:
        raise SweepError(f"{path}: its ledger holds nothing of {config.run_id}; restore the directory")
    first = records.steps[0].detail
    updates = [s for s in records.of_kind("update") if s.step < records.planned]
    return RunResult(
        experiment=config.experiment,
        arm=config.arm,
        seed=config.seed,
        run_id=config.run_id,
        config_digest=config.digest,
        splits_digest=first["splits_digest"],
        plan_digest=config.plan,
        warm_start=records.of_kind("warm_start")[0].detail["key"],
        temperature=config.evaluation.temperature,
        updates=len(updates),
        charged=_sums(c for c in records.charges if c.charged and c.step < records.planned),
        uncharged=_sums(c for c in records.charges if not c.charged),
        tasks=tested_tasks(records, parts_of_test(directory, config)),
        curve=_curve(records),
        targeted=_targeted(records, config),
        footprint=reached,
        growth=_growth(records),
        extension=_extension(records, config),
        made=_made(records),
    )


def _footprint(ledger: Ledger, run_id: str) -> tuple[Reached, ...]:
    """Both scopes at the last update of every iteration."""
    updates = [u for u in read_updates(ledger, run_id) if u.iteration is not None]
    if not updates:
        return ()
    last = {update.iteration: update.number for update in updates}
    return tuple(
        Reached(
            dimension=r.dimension,
            scope=r.scope,  # type: ignore[arg-type]  # it is one of the two
            iteration=r.iteration or 0,
            reached=r.reached,
            pool=r.pool,
            expected=r.expected,
            low=r.low,
            high=r.high,
        )
        for r in footprint(read_pool(ledger, run_id), updates, draws=DRAWS)
        if last[r.iteration] == r.update
    )


def _sums(charges: Iterable[ChargeRow]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for charge in charges:
        sums[charge.purpose] = sums.get(charge.purpose, 0) + charge.steps
    return dict(sorted(sums.items()))


def _curve(records: Records) -> tuple[CurvePoint, ...]:
    updates = list(accumulate(step.kind == "update" for step in records.steps))
    played: dict[int, int] = {}
    for e in records.episodes:
        played[e.step] = played.get(e.step, 0) + 1
    prefix = "validate/all_pass/"
    return tuple(
        CurvePoint(
            updates=updates[step.step],
            charged_steps=int(metrics["budget/charged_steps"]),
            episodes=played[step.step],
            all_pass=metrics["validate/all_pass"],
            reward=metrics["validate/reward"],
            families={
                name.removeprefix(prefix): value
                for name, value in sorted(metrics.items())
                if name.startswith(prefix)
            },
        )
        for step in records.of_kind("validate")
        for metrics in [records.metrics[step.step]]
    )


def _targeted(records: Records, config: Config) -> tuple[TargetedCell, ...]:
    """The cells of the first report that may be aimed at, and what the rule gives each of them."""
    if not records.reports:
        return ()
    first = min(records.reports, key=lambda row: row.step)
    report, rule = WeaknessReport.model_validate(first.report), config.targeting
    cells = eligible(report.cells, rule.facets, rule)
    weights = allocation_of(rule).weights(cells)
    seats = apportion(weights, targeted_count(config.growth.quota, rule.share))
    ranked = sorted(zip(cells, weights, seats, strict=True), key=lambda found: (-found[1], found[0].name))
    return tuple(
        TargetedCell(
            cell=cell.name,
            rank=rank,
            weight=worth,
            seats=count,
            opportunities=cell.opportunities,
            rate=cell.rate,
        )
        for rank, (cell, worth, count) in enumerate(ranked, 1)
    )


def _growth(records: Records) -> tuple[Grown, ...]:
    grown = []
    for step in records.of_kind("grow"):
        found = records.metrics[step.step]
        grown.append(
            Grown(
                iteration=step.iteration or 0,
                briefs=int(found["grow/briefs"]),
                syntheses=int(found["grow/syntheses"]),
                targeted=int(found["grow/targeted_worlds"]),
                on_target=int(found["grow/on_target_worlds"]),
                admitted=int(found["grow/admitted"]),
                refused=step.detail["refused"],
            )
        )
    return tuple(grown)


def _extension(records: Records, config: Config) -> Extension | None:
    budget = config.budget.charged_steps
    further = [step for step in records.of_kind("update") if step.step >= records.planned]
    if budget is None or not further:
        return None
    spent = sum(c.steps for c in records.charges if c.charged)
    return Extension(
        updates=len(further),
        charged=_sums(c for c in records.charges if c.charged and c.step >= records.planned),
        budget=budget,
        reached=spent >= budget,
    )


def _made(records: Records) -> Made:
    kinds = {step.step: step.kind for step in records.steps}
    seconds: dict[str, float] = {}
    for clock in records.clocks:
        seconds[kinds[clock.step]] = seconds.get(kinds[clock.step], 0.0) + clock.seconds
    rounded = {kind: round(value, 3) for kind, value in sorted(seconds.items())}
    return Made(commit=commit(), seconds=round(sum(seconds.values()), 3), seconds_by_kind=rounded)


def commit() -> str | None:
    """The commit of this code, with "-dirty" when files were changed; None outside of a checkout."""
    here = Path(__file__).resolve().parent
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(asked, cwd=here, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None
