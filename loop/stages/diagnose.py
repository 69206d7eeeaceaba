"""Diagnosis: the policy is probed on the diagnose split, and a weakness report is made of it."""

from analysis.ledger import ReportRow, TaskRow, WorldRow
from analysis.weakness import probes_from_rows, weakness_report
from loop.circle import Circle
from loop.episodes.charging import charge, steps_of
from loop.episodes.playing import repeated
from loop.episodes.recording import environment_rows, outcome_metrics, played_rows
from loop.resuming.outcome import Outcome
from loop.resuming.steps import Step


def diagnose(circle: Circle, step: Step) -> Outcome:
    """Probe, report, and make the report the circle's newest one.

    The probing is charged when this arm's grower learns from the report before another update; otherwise it
    only serves to compare arms.
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
    known = environment_rows(config.run_id, step.index, circle.split("diagnose"))
    tasks = {row.task_id: row for row in known if isinstance(row, TaskRow)}
    worlds = {row.world_id: row for row in known if isinstance(row, WorldRow)}
    report = weakness_report(probes_from_rows(rows, tasks, worlds), previous=circle.report)
    circle.report = report
    read = circle.grower.reads_report and step.iteration is not None
    number = config.iterations if step.iteration is None else step.iteration
    return Outcome(
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
