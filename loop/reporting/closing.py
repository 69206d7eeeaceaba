"""The last lines of a run: what was found, with its interval, and where everything is."""

from typing import NamedTuple

from analysis.intervals import Interval, difference_bootstrap
from analysis.ledger import ClockRow, Ledger, StepRow
from loop.config import Config
from loop.reporting.stopwatch import time_line
from loop.reporting.summary import targeted_cells
from loop.resuming.extension import EXTENDED, charged_until
from loop.run_directory import RunDirectory


class Scores(NamedTuple):
    """Test outcomes of one policy under one way of sampling."""

    passes: list[float]  # 1.0 per all-pass episode, else 0.0
    worlds: list[str]  # of each episode

    @property
    def mean(self) -> float:
        """All-pass share."""
        return sum(self.passes) / len(self.passes)


def test_scores(ledger: Ledger, config: Config, subject: str, variant: str) -> Scores:
    """The test episodes of the warm start, the final policy, or the one that went on."""
    step = tested(ledger, config)[subject]
    rows = ledger.query(
        "SELECT all_pass, world_id FROM episode_outcomes "
        "WHERE run_id = :run AND step = :step AND variant = :variant ORDER BY episode_id",
        run=config.run_id,
        step=step,
        variant=variant,
    )
    return Scores([float(row["all_pass"]) for row in rows], [row["world_id"] for row in rows])


def tested(ledger: Ledger, config: Config) -> dict[str, int]:
    """Subject -> step of its test."""
    return {row.detail["subject"]: row.step for row in ledger.rows(StepRow, config.run_id, kind="test")}


def gain(
    ledger: Ledger, config: Config, variant: str, subject: str = "final"
) -> tuple[Scores, Scores, Interval]:
    """(warm start, subject, difference) on the test worlds; the interval resamples worlds, paired."""
    before = test_scores(ledger, config, "warm_start", variant)
    after = test_scores(ledger, config, subject, variant)
    difference = difference_bootstrap(
        after.passes,
        after.worlds,
        before.passes,
        before.worlds,
        seed=config.seed,
        draws=config.evaluation.resamples,
        level=config.evaluation.confidence,
    )
    return before, after, difference


def closing_lines(ledger: Ledger, config: Config, directory: RunDirectory) -> list[str]:
    """What was found, and where it is."""
    lines = [verdict(ledger, config, config.evaluation.variant, "sampled")]
    lines.append(verdict(ledger, config, "greedy", "greedy"))
    if EXTENDED in tested(ledger, config):
        spent = charged_until(ledger, config.run_id, tested(ledger, config)[EXTENDED])
        how = f"sampled, {spent:,} steps charged"
        lines.append(verdict(ledger, config, config.evaluation.variant, how, EXTENDED))
    lines += [
        f"  targeted {cell}: failure rate {_rate(before)} before, {_rate(after)} after"
        for cell, before, after in targeted_cells(ledger, config)
    ]
    if (times := time_line(ledger.rows(ClockRow, config.run_id))) is not None:
        lines.append(times)
    lines += [
        f"run        {directory.path}",
        *([f"figures    {directory.figures}"] if config.figures else []),
        *([f"page       {page}"] if (page := directory.path / "report.html").exists() else []),
        f"compare    python -m analysis.compare {directory.path} OTHER_RUN",
    ]
    if config.tracking.mlflow is not None:
        lines.append(f"mlflow     {mlflow_command(config.tracking.mlflow)}")
    return lines


def verdict(ledger: Ledger, config: Config, variant: str, name: str, subject: str = "final") -> str:
    """One sentence with its interval."""
    before, after, difference = gain(ledger, config, variant, subject)
    if difference.low > 0:
        moved = "rose"
    elif difference.high < 0:
        moved = "fell"
    else:
        moved = "did not change beyond its interval"
    worlds = len(set(after.worlds))
    return (
        f"test all-pass ({name}) {moved}: {before.mean:.1%} after the warm start, "
        f"{after.mean:.1%} at the end, "
        f"{_points(difference.mean)} [{_points(difference.low)}, {_points(difference.high)}] points "
        f"({config.evaluation.confidence:.0%} interval over {worlds} worlds, one seed)"
    )


def mlflow_command(uri: str) -> str:
    """How to look at the tracked runs."""
    if not uri.startswith("sqlite:///"):
        return uri
    return f"MLFLOW_DISABLE_TELEMETRY=true mlflow ui --backend-store-uri {uri}"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _rate(rate: float | None) -> str:
    return "not measured" if rate is None else f"{rate:.0%}"
