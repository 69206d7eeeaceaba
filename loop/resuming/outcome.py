"""What a stage hands to the controller: everything of one step that goes into one ledger transaction."""

from dataclasses import dataclass, field
from typing import Any

from analysis.ledger import MetricRow, Row


@dataclass
class Outcome:
    """Rows, metrics and details of one step."""

    rows: list[Row] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)  # by the names of `loop.reporting.metrics_table`
    detail: dict[str, Any] = field(default_factory=dict)  # of the step's row: JSON values

    def metric_rows(self, run_id: str, step: int) -> list[Row]:
        """The metrics as rows."""
        return [
            MetricRow(run_id=run_id, step=step, name=name, value=float(value))
            for name, value in sorted(self.metrics.items())
        ]
