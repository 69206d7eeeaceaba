"""The weakness report: from graded episodes to ranked cells of what a policy fails at."""

from analysis.weakness.from_ledger import probes_from_rows, probes_of_step
from analysis.weakness.probe import PlannedProbe, ProbeCall, ProbeEpisode, ProbeEvidence
from analysis.weakness.report import Cell, WeaknessReport, weakness_report
from analysis.weakness.text import render

__all__ = [
    "Cell",
    "PlannedProbe",
    "ProbeCall",
    "ProbeEpisode",
    "ProbeEvidence",
    "WeaknessReport",
    "probes_from_rows",
    "probes_of_step",
    "render",
    "weakness_report",
]
