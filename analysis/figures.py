"""All tables and figures of one run, as a finished run leaves them in its directory."""

from pathlib import Path

from analysis.clustering.items import items_of_run
from analysis.clustering.write import write_clustering
from analysis.compare.write import write_comparison
from analysis.errors import DataError
from analysis.footprint.write import write_footprint
from analysis.health.write import write_health
from analysis.result import Result
from analysis.run_directory import OpenRun
from analysis.weakness.write import write_weakness


def write_figures(run: OpenRun, out: Path | None = None) -> dict[str, Result]:
    """Analysis -> its result, in `out` (None: the run's figures).

    An analysis whose data the run does not have, e.g. a footprint without updates, is left out.
    """
    out = out or run.figures
    works = {
        "compare": lambda: write_comparison([run], out),
        "weakness": lambda: write_weakness(run, out),
        "footprint": lambda: write_footprint(run, out),
        "health": lambda: write_health(run, out),
        "clustering": lambda: write_clustering(items_of_run(run), out),
    }
    results: dict[str, Result] = {}
    for name, work in works.items():
        try:
            results[name] = work()
        except DataError:
            continue  # the message is for who asks for this analysis alone
    return results
