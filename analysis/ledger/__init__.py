"""The ledger: the exact record of what a run touched, charged and learned.

`loop` writes it, one transaction per controller step; `analysis` reads it. `rows` holds one record per table,
`views` the documented SQL views, `database` the `Ledger` itself, `entries` turns PLANET's records into rows.
"""

from analysis.ledger.database import Ledger, Transaction
from analysis.ledger.entries import episode_rows, task_row, world_row
from analysis.ledger.rows import (
    SCHEMA_VERSION,
    AuthorCallRow,
    BriefRow,
    ChargeRow,
    ClockRow,
    EpisodeRow,
    EvidenceRow,
    MetricRow,
    ReportRow,
    Row,
    RunRow,
    StepRow,
    TaskRow,
    ToolCallRow,
    TrajectoryRow,
    UpdateRow,
    WorldRow,
)

__all__ = [
    "SCHEMA_VERSION",
    "AuthorCallRow",
    "BriefRow",
    "ChargeRow",
    "ClockRow",
    "EpisodeRow",
    "EvidenceRow",
    "Ledger",
    "MetricRow",
    "ReportRow",
    "Row",
    "RunRow",
    "StepRow",
    "TaskRow",
    "ToolCallRow",
    "TrajectoryRow",
    "Transaction",
    "UpdateRow",
    "WorldRow",
    "episode_rows",
    "task_row",
    "world_row",
]
