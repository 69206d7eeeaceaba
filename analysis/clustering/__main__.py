"""python -m analysis.clustering RUN | --tasks FILE.jsonl [--out DIR] [--clusters K] [--seed S]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import command, finish
from planet.command import positive


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write clusters of tasks by text and by tools; returns the exit code."""
    options = command(
        "clustering", "Do tasks that read alike need the same tools? Text against tool clusters."
    )
    options.add_argument("run", metavar="RUN", nargs="?", help="run directory, e.g. runs/NAME")
    options.add_argument("--tasks", metavar="FILE", help="JSON lines of {id, text, tools, metadata} instead")
    options.add_argument("--out", metavar="DIR", help="folder for the results (default: RUN/figures, or .)")
    options.add_argument("--clusters", type=positive, default=8, metavar="K", help="clusters in each space")
    options.add_argument("--seed", type=int, default=0, metavar="S", help="of KMeans and permutations")
    chosen = options.parse_args(argv)
    if (chosen.run is None) == (chosen.tasks is None):
        options.error("give either a run directory or --tasks FILE")
    if not 0 <= chosen.seed < 2**32:
        options.error(f"argument --seed: {chosen.seed} is no seed of KMeans; give 0 to 4294967295")

    def work() -> None:
        from analysis.clustering.items import items_of_file, items_of_run
        from analysis.clustering.write import write_clustering
        from analysis.run_directory import open_run

        run = open_run(chosen.run) if chosen.run is not None else None
        items = items_of_run(run) if run else items_of_file(chosen.tasks)
        default = run.figures if run else Path()
        out = Path(chosen.out) if chosen.out else default
        write_clustering(items, out, chosen.clusters, chosen.seed).show()

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
