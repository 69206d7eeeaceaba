"""python -m analysis.compare RUN [RUN ...] [--out DIR]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import command, finish


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write a comparison of runs; returns the exit code."""
    options = command("compare", "Runs side by side: test scores, costs, forgetting, learning curves.")
    options.add_argument("runs", metavar="RUN", nargs="+", help="run directories; the first is the reference")
    options.add_argument(
        "--out", metavar="DIR", help="folder for the results (default: figures of the first)"
    )
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.compare.write import write_comparison
        from analysis.run_directory import open_run

        runs = [open_run(path) for path in chosen.runs]
        write_comparison(runs, Path(chosen.out) if chosen.out else runs[0].figures).show()

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
