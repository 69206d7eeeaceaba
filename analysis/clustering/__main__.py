"""python -m analysis.clustering RUN | --tasks FILE.jsonl | --corpus DIR [--sample N] [--out DIR]"""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from analysis.command import command, finish
from planet.command import Parser, positive

SAMPLE = 10_000


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write clusters of tasks by text and by tools; returns the exit code."""
    options = _options()
    chosen = options.parse_args(argv)
    if sum(source is not None for source in (chosen.run, chosen.tasks, chosen.corpus)) != 1:
        options.error("give either a run directory, --tasks FILE or --corpus DIR")
    if not 0 <= chosen.seed < 2**32:
        options.error(f"argument --seed: {chosen.seed} is no seed of KMeans; give 0 to 4294967295")
    if chosen.corpus is None and chosen.tool_sets != "called":
        options.error(f"--tool-sets {chosen.tool_sets} is for --corpus DIR; leave it out")
    return finish(options, lambda: _work(chosen))


def _options() -> Parser:
    options = command(
        "clustering", "Do tasks that read alike need the same tools? Text against tool clusters."
    )
    options.add_argument("run", metavar="RUN", nargs="?", help="run directory, e.g. runs/NAME")
    options.add_argument("--tasks", metavar="FILE", help="JSON lines of {id, text, tools, metadata} instead")
    options.add_argument("--corpus", metavar="DIR", help="worlds made by planet.synthesize instead")
    options.add_argument(
        "--sample", type=positive, default=SAMPLE, metavar="N",
        help=f"of more tasks than this, so many are drawn (default {SAMPLE})",
    )  # fmt: skip
    options.add_argument(
        "--tool-sets", choices=("called", "offered"), default="called",
        help="of a corpus: tools that the solution calls, or that the environment offers",
    )  # fmt: skip
    options.add_argument(
        "--without-tool-words", action="store_true",
        help="take ids, and words that tools are named with, out of the texts first",
    )  # fmt: skip
    options.add_argument("--out", metavar="DIR", help="folder for the results (default: RUN/figures, or .)")
    options.add_argument("--clusters", type=positive, default=8, metavar="K", help="clusters in each space")
    options.add_argument("--seed", type=int, default=0, metavar="S", help="of KMeans, permutations, sample")
    return options


def _work(chosen: Namespace) -> None:
    from analysis.clustering.corpus import items_of_corpus
    from analysis.clustering.items import items_of_file, items_of_run, some, without_tool_words
    from analysis.clustering.write import write_clustering
    from analysis.run_directory import open_run

    run = open_run(chosen.run) if chosen.run is not None else None
    if chosen.corpus is not None:
        items = items_of_corpus(Path(chosen.corpus), chosen.sample, chosen.seed, chosen.tool_sets)
    else:
        items = some(items_of_run(run) if run else items_of_file(chosen.tasks), chosen.sample, chosen.seed)
    if chosen.without_tool_words:
        items = without_tool_words(items)
    out = Path(chosen.out) if chosen.out else run.figures if run else Path()
    write_clustering(items, out, chosen.clusters, chosen.seed).show()


if __name__ == "__main__":
    raise SystemExit(main())
