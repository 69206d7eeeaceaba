"""A simulated run in which every free text tries to become markup."""

from analysis.ledger import BriefRow, EpisodeRow, EvidenceRow, TaskRow, ToolCallRow, TrajectoryRow, WorldRow
from tests.analysis.simulated_run import SimulatedRun

HOSTILE = (
    "</blockquote><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>\" onload=\"x"
)
"""What an author, an agent or a tool may say."""
UNPRINTABLE = "bell \x07"
"""A character that no page may hold."""


class HostileRun(SimulatedRun):
    """Writes the hostile text into every field that others fill."""

    def _end(self, kind, iteration, rows):
        super()._end(kind, iteration, [self._spoilt(row) for row in rows])

    def _spoilt(self, row):
        if isinstance(row, TaskRow):
            return row.replace(instruction=HOSTILE, role=HOSTILE)
        if isinstance(row, WorldRow):
            return row.replace(description=HOSTILE, industry=HOSTILE, services=(HOSTILE,))
        if isinstance(row, BriefRow):
            target = {"cells": [HOSTILE], "reason": HOSTILE, "difficulty": {HOSTILE: 1}}
            return row.replace(brief={"text": HOSTILE, "target": target}, refused={HOSTILE: 2})
        if isinstance(row, EpisodeRow):
            return row.replace(collateral=(HOSTILE,), penalties={HOSTILE: 0.5})
        if isinstance(row, ToolCallRow):
            return row.replace(
                tool=HOSTILE, arguments={HOSTILE: UNPRINTABLE}, ok=False, error=UNPRINTABLE + HOSTILE
            )
        if isinstance(row, EvidenceRow):
            return row.replace(target_column=HOSTILE, kind=HOSTILE)
        if isinstance(row, TrajectoryRow):
            return row.replace(trajectory={**row.trajectory, "answer": HOSTILE})
        return row
