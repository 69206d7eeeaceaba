"""Diagnosis: the policy is probed on the diagnose split, and a weakness report is made of it."""

from collections.abc import Sequence

from analysis.ledger import ReportRow, Row, TaskRow, WorldRow
from analysis.weakness import ProbeEpisode, WeaknessReport, weakness_report
from analysis.weakness.from_ledger import probes_from_rows
from loop.circle import Circle
from loop.episodes.charging import charge, steps_of
from loop.episodes.playing import Played, Wanted, repeated
from loop.episodes.recording import environment_rows, outcome_metrics, played_rows
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step

PART = 512
"""Episodes of the further probing that are in memory at a time."""


def diagnose(circle: Circle, step: Step) -> Outcome:
    """Probe, report, and make the report the circle's newest one.

    The probing is charged when this arm's grower reads the report before another update; otherwise it only
    serves to compare arms. `freeze` is charged too: it asks what looping adds, at the price of looping.
    """
    config = circle.config
    wanted = repeated(
        circle.split("diagnose"),
        config.evaluation.diagnose_rollouts,
        f"s{step.index:04d}",
        f"diagnose/{step.index}",
    )
    episodes = circle.play(wanted, config.evaluation.temperature)
    rows = played_rows(config.run_id, step.index, episodes, "diagnose", circle.variant)
    shares = circle.practice.shares()
    report = weakness_report(_probes(circle, step, rows), previous=circle.report, gradient_shares=shares)
    circle.report = report
    read = circle.grower.reads_report and step.iteration is not None
    number = config.iterations if step.iteration is None else step.iteration
    outcome = Outcome(
        rows=[
            *rows,
            ReportRow(
                run_id=config.run_id,
                step=step.index,
                report_id=f"r{number}",
                report=report.model_dump(mode="json"),
            ),
            charge(config.run_id, step.index, "diagnose", steps_of(episodes), charged=read),
        ],
        metrics=outcome_metrics("diagnose", episodes, families=True),
        detail={"report_id": f"r{number}"},
    )
    if read and circle.transform.probes > 1:
        _enrich(circle, step, outcome)
    return outcome


def _enrich(circle: Circle, step: Step, outcome: Outcome) -> None:
    """A second report, for the grower alone: of many more probes, whose steps are recorded apart.

    Its episodes are counted and not kept; the report stands in the step's detail.
    """
    config = circle.config
    rollouts = circle.transform.probes * config.evaluation.diagnose_rollouts
    label, stream = f"s{step.index:04d}/oracle", f"oracle/{step.index}"
    wanted = repeated(circle.split("diagnose"), rollouts, label, stream)
    probes: list[ProbeEpisode] = []
    executed = 0
    for start in range(0, len(wanted), PART):
        played = _played(circle, wanted[start : start + PART])
        executed += steps_of(played)
        rows = played_rows(config.run_id, step.index, played, "diagnose", circle.variant, whole=0)
        probes += _probes(circle, step, rows)
    report = weakness_report(probes, previous=circle.enriched)
    circle.enriched = report
    outcome.rows.append(charge(config.run_id, step.index, "oracle_probe", executed))
    outcome.detail["enriched"] = report.model_dump(mode="json")


def _played(circle: Circle, wanted: Sequence[Wanted]) -> list[Played]:
    return circle.play(wanted, circle.config.evaluation.temperature)


def _probes(circle: Circle, step: Step, rows: Sequence[Row]) -> list[ProbeEpisode]:
    """The probe episodes of some rows."""
    known = environment_rows(circle.config.run_id, step.index, circle.split("diagnose"))
    tasks = {row.task_id: row for row in known if isinstance(row, TaskRow)}
    worlds = {row.world_id: row for row in known if isinstance(row, WorldRow)}
    return probes_from_rows(rows, tasks, worlds)


def report_for(circle: Circle, seed: int) -> WeaknessReport | None:
    """The newest report as the grower is told it; None for a grower that reads none."""
    report = circle.enriched if circle.transform.probes > 1 else circle.report
    if not circle.grower.reads_report or report is None:
        return None
    services = {name: resource.service for name, resource in circle.catalog.resources.items()}
    return circle.transform.apply(report, services, seed)
