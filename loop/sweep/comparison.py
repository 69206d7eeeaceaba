"""What a finished sweep found: contrasts over its result files, and for one seed the runs side by side."""

from loop.sweep.places import Places
from loop.sweep.runs import Sweep


def compare(sweep: Sweep, places: Places) -> int:
    """Print and write the comparison; its exit code."""
    from analysis.compare.__main__ import main as side_by_side
    from analysis.contrasts.__main__ import main as contrasts

    code = contrasts([str(places.results), "--out", str(places.comparison)])
    runs = [places.run(arm.name, sweep.seeds[0]) for arm in sweep.arms]
    if len(sweep.seeds) == 1 and len(runs) > 1 and all((run / "finished").exists() for run in runs):
        code = code or side_by_side([*map(str, runs), "--out", str(places.comparison)])
    return code
