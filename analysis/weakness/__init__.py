"""The weakness report: from graded episodes to ranked cells of what a policy fails at.

It needs no database: what reads probes from one is `analysis.weakness.from_ledger`.
"""

from analysis.weakness.claims import Rules
from analysis.weakness.forgetting import Watch
from analysis.weakness.probe import PlannedProbe, ProbeCall, ProbeEpisode, ProbeEvidence
from analysis.weakness.record import Cell, EqualOdds, Forgotten, Mastery, WeaknessReport
from analysis.weakness.report import weakness_report
from analysis.weakness.text import render

__all__ = [
    "Cell",
    "EqualOdds",
    "Forgotten",
    "Mastery",
    "PlannedProbe",
    "ProbeCall",
    "ProbeEpisode",
    "ProbeEvidence",
    "Rules",
    "Watch",
    "WeaknessReport",
    "render",
    "weakness_report",
]
