"""What a finished sweep found: contrasts over its result files, and a few runs of one seed side by side."""

from loop.sweep.places import Places
from loop.sweep.runs import Sweep

COLUMNS = 4
"""Runs that are put side by side: more do not fit a terminal."""


def compare(sweep: Sweep, places: Places) -> int:
    """Print and write the comparison; its exit code."""
    from analysis.compare.__main__ import main as side_by_side
    from analysis.contrasts.__main__ import main as contrasts

    code = contrasts([str(places.results), "--out", str(places.comparison)])
    runs = [places.run(arm.name, sweep.seeds[0]) for arm in sweep.arms]
    some = len(sweep.seeds) == 1 and 1 < len(runs) <= COLUMNS
    if some and all((run / "finished").exists() for run in runs):
        code = code or side_by_side([*map(str, runs), "--out", str(places.comparison)])
    return code
