"""The weakness report: from graded episodes to ranked cells of what a policy fails at."""

from analysis.weakness.claims import Rules
from analysis.weakness.forgetting import Watch
from analysis.weakness.from_ledger import probes_from_rows, probes_of_step
from analysis.weakness.gradients import gradient_shares
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
    "gradient_shares",
    "probes_from_rows",
    "probes_of_step",
    "render",
    "weakness_report",
]
