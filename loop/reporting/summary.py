"""What a run says: a line per stage, a block per iteration, and what was found, all read from the ledger."""

from collections.abc import Sequence

from analysis.briefs import aimed_briefs, goals
from analysis.footprint.pool import read_pool, read_updates
from analysis.footprint.shares import footprint
from analysis.ledger import BriefRow, Ledger, MetricRow, ReportRow, StepRow
from analysis.weakness import WeaknessReport
from loop.config import Config
from loop.resuming.steps import Step, steps_of

Metrics = dict[str, float]

FOOTPRINT = ("tasks", "worlds", "tools", "combinations")
"""What the footprint is told of in the line of an iteration; the figures have more."""
FOOTPRINT_DRAWS = 200
"""Uniform draws behind the expectation of that line."""


def lines_after(ledger: Ledger, config: Config, step: Step) -> list[str]:
    """The lines to print once a step is recorded; none for a step within an iteration."""
    if step.kind == "worlds":
        return [_worlds_line(_metrics(ledger, config, step.index))]
    if step.kind == "warm_start":
        return [_warm_start_line(_metrics(ledger, config, step.index))]
    if step.kind == "validate" and step.subject is not None:
        metrics = _metrics(ledger, config, step.index)
        spent = f"{metrics['budget/charged_steps']:,.0f} steps charged"
        return [f"going on: {spent}; {_score('validation', 'validate', metrics)}"]
    if step.kind == "validate" and step.iteration is None:
        return [f"warm start: {_score('validation', 'validate', _metrics(ledger, config, step.index))}"]
    if step.kind == "validate":
        return iteration_block(ledger, config, step.iteration or 0)
    if step.kind == "test":
        return [_test_line(config, step, _metrics(ledger, config, step.index))]
    return []


def iteration_block(ledger: Ledger, config: Config, iteration: int) -> list[str]:
    """One iteration: scores, weakest cells, worlds, footprint."""
    steps = [step for step in steps_of(config) if step.iteration == iteration]
    updates = [_metrics(ledger, config, step.index) for step in steps if step.kind == "update"]
    by_kind = {step.kind: step.index for step in steps}
    train = {name: _mean(updates, f"train/{name}") for name in ("all_pass", "reward")}
    validation = _metrics(ledger, config, by_kind["validate"])
    return [
        f"iteration {iteration + 1}/{config.iterations}: "
        f"train all-pass {train['all_pass']:.1%}, reward {train['reward']:.3f}; "
        f"{_score('validation', 'validate', validation)}",
        f"  weakest cells: {_weakest(ledger, config, by_kind['diagnose'])}",
        f"  {_worlds_grown(ledger, config, by_kind['grow'])}",
        f"  footprint so far: {footprint_line(ledger, config)}",
    ]


def footprint_line(ledger: Ledger, config: Config) -> str:
    """Shares of the pool that have received a gradient, beside what uniform draws would have reached."""
    reached = footprint(
        read_pool(ledger, config.run_id), read_updates(ledger, config.run_id), draws=FOOTPRINT_DRAWS
    )
    newest = max(r.update for r in reached)
    parts = [
        f"{r.dimension} {r.share:.0%} (uniform {r.expected:.0%})"
        for r in reached
        if r.scope == "cumulated" and r.update == newest and r.dimension in FOOTPRINT
    ]
    return ", ".join(parts)


def targeted_cells(ledger: Ledger, config: Config) -> list[tuple[str, float | None, float | None]]:
    """(cell, failure rate in the first report, in the last one) of every cell that briefs aimed at."""
    reports = _reports(ledger, config)
    last = reports.get(f"r{config.iterations}")
    found: dict[str, tuple[float | None, float | None]] = {}
    steps = ledger.rows(StepRow, config.run_id, kind="grow")
    for cell in goals(aimed_briefs(steps, ledger.rows(BriefRow, config.run_id))):
        first = next((r.cell(cell) for r in reports.values() if r.cell(cell)), None)
        after = last.cell(cell) if last else None
        found[cell] = (first.rate if first else None, after.rate if after else None)
    return [(cell, before, after) for cell, (before, after) in sorted(found.items())]


def _reports(ledger: Ledger, config: Config) -> dict[str, WeaknessReport]:
    """Report id -> report, in the order of the diagnoses."""
    rows = sorted(ledger.rows(ReportRow, config.run_id), key=lambda row: row.step)
    return {row.report_id: WeaknessReport.model_validate(row.report) for row in rows}


def _metrics(ledger: Ledger, config: Config, step: int) -> Metrics:
    rows = ledger.rows(MetricRow, config.run_id, step=step)
    return {row.name: row.value for row in rows if row.value is not None}


def _mean(all_metrics: Sequence[Metrics], name: str) -> float:
    values = [m[name] for m in all_metrics if name in m]
    return sum(values) / len(values) if values else 0.0


def _score(title: str, prefix: str, metrics: Metrics) -> str:
    return f"{title} all-pass {metrics[f'{prefix}/all_pass']:.1%}, reward {metrics[f'{prefix}/reward']:.3f}"


def _worlds_line(metrics: Metrics) -> str:
    return f"worlds: {metrics['pool/worlds']:.0f} in the training pool with {metrics['pool/tasks']:.0f} tasks"


def _warm_start_line(metrics: Metrics) -> str:
    shown = f"warm start: {metrics['warm_start/demonstrations']:.0f} demonstrations"
    right = metrics.get("warm_start/token_accuracy")
    if right is None:  # a policy that learns nothing from them
        return f"{shown}, not learned from"
    return f"{shown}, {right:.1%} of their tokens right at the end"


def _test_line(config: Config, step: Step, metrics: Metrics) -> str:
    subject = step.subject or ""
    scores = [
        f"{variant} {metrics[f'test/{subject}/{variant}/all_pass']:.1%}"
        for variant in (config.evaluation.variant, "greedy")
    ]
    return f"test of the {subject.replace('_', ' ')} policy: all-pass {', '.join(scores)}"


def _weakest(ledger: Ledger, config: Config, step: int) -> str:
    rows = ledger.rows(ReportRow, config.run_id, step=step)
    if not rows:
        return "none"
    report = WeaknessReport.model_validate(rows[0].report)
    cells = report.ranked(("family",))[:3]
    return ", ".join(f"{c.name} fails {c.rate:.0%} of {c.opportunities}" for c in cells)


def _worlds_grown(ledger: Ledger, config: Config, step: int) -> str:
    metrics = _metrics(ledger, config, step)
    if not metrics.get("grow/briefs"):
        return f"worlds: {metrics['pool/worlds']:.0f} in the pool, none asked for"
    detail = ledger.rows(StepRow, config.run_id, step=step)[0].detail
    text = (
        f"worlds: {metrics['grow/admitted']:.0f} admitted of {metrics['grow/briefs']:.0f} briefs "
        f"({metrics['grow/syntheses']:.0f} syntheses), {metrics['pool/worlds']:.0f} in the pool"
    )
    if metrics.get("grow/targeted_worlds"):
        text += (
            f"; {metrics['grow/on_target_worlds']:.0f} of the {metrics['grow/targeted_worlds']:.0f} "
            "made for targets on target"
        )
    if detail.get("rungs"):
        text += f"; ladders: {', '.join(f'rung {rung} x {n}' for rung, n in detail['rungs'].items())}"
    refused = {rule: n for rule, n in detail["refused"].items() if n}
    if refused:
        named = ", ".join(f"{rule} {count}" for rule, count in sorted(refused.items()))
        text += f"; refused by {named}"
    return text
