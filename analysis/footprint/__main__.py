"""python -m analysis.footprint RUN [--beside RUN] | --corpus DIR [--draw K] [--seed S] [--out DIR]"""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from analysis.command import Result, command, finish
from planet.command import Parser, positive


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write the footprint of a run, or of uniform draws from a folder of worlds."""
    options = _options()
    chosen = options.parse_args(argv)
    if (chosen.run is None) == (chosen.corpus is None):
        options.error("give either a run directory or --corpus DIR")
    if chosen.corpus is not None and chosen.beside is not None:
        options.error("--beside stands beside a run; leave it out with --corpus")
    if chosen.corpus is None and (chosen.draw or chosen.environments or chosen.seed):
        options.error("--draw, --environments and --seed are for --corpus DIR; leave them out with a run")
    return finish(options, lambda: (_of_corpus(chosen) if chosen.corpus else _of_run(chosen)).show())


def _options() -> Parser:
    options = command("footprint", "What a run's training touched, beside uniform draws from the same pool.")
    options.add_argument("run", metavar="RUN", nargs="?", help="run directory, e.g. runs/NAME")
    options.add_argument(
        "--beside", metavar="RUN", help="a run of the same seed to stand beside it, e.g. of random worlds"
    )
    options.add_argument(
        "--corpus",
        metavar="DIR",
        help="instead: what draws from these worlds reach, beside what is published",
    )
    options.add_argument(
        "--draw", type=positive, metavar="K", help="tasks drawn (default: 3200 of 43260, or in proportion)"
    )
    options.add_argument("--environments", type=positive, metavar="N", help="at most so many (default: all)")
    options.add_argument("--seed", type=int, default=0, metavar="S", help="of the draw (default 0)")
    options.add_argument("--out", metavar="DIR", help="folder for the results (default: RUN/figures, or DIR)")
    return options


def _of_run(chosen: Namespace) -> Result:
    from analysis.footprint.write import write_footprint
    from analysis.run_directory import open_run

    other = open_run(chosen.beside) if chosen.beside else None
    return write_footprint(open_run(chosen.run), Path(chosen.out) if chosen.out else None, other)


def _of_corpus(chosen: Namespace) -> Result:
    from analysis.footprint.corpus import write_corpus_footprint

    folder = Path(chosen.corpus)
    out = Path(chosen.out) if chosen.out else folder
    return write_corpus_footprint(folder, out, chosen.draw, chosen.seed, chosen.environments)


if __name__ == "__main__":
    raise SystemExit(main())
