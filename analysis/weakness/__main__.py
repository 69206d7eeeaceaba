"""python -m analysis.weakness RUN | --episodes FILE.jsonl [FILE.jsonl ...] [--out DIR] [--top N]"""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from analysis.command import command, finish
from planet.command import Parser, positive


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write weakness reports, of a run or of anyone's episodes; returns the exit code."""
    options = _options()
    chosen = options.parse_args(argv)
    if (chosen.run is not None) + (chosen.episodes is not None) + chosen.schema != 1:
        options.error("give one of: a run directory, --episodes FILE, --schema")
    if chosen.skip_bad and chosen.episodes is None:
        options.error("--skip-bad belongs to --episodes")
    return finish(options, lambda: _work(chosen))


def _options() -> Parser:
    options = command("weakness", "What a policy fails at, cell by cell: of a run, or of anyone's episodes.")
    options.add_argument("run", metavar="RUN", nargs="?", help="run directory, e.g. runs/NAME")
    options.add_argument(
        "--episodes",
        metavar="FILE",
        nargs="+",
        help="JSON lines, one graded episode each, of any trainer; several files: of one policy over time",
    )
    options.add_argument("--skip-bad", action="store_true", help="leave bad lines out, and list them")
    options.add_argument(
        "--schema", action="store_true", help="print the JSON Schema of such a line, and end"
    )
    options.add_argument(
        "--out", metavar="DIR", help="folder for the results (default: RUN/figures, weakness)"
    )
    options.add_argument("--top", type=positive, default=12, metavar="N", help="cells printed per report")
    return options


def _work(chosen: Namespace) -> None:
    out = Path(chosen.out) if chosen.out else None
    if chosen.schema:
        from analysis.weakness.own.episode import schema_text

        print(schema_text(), end="")
    elif chosen.episodes:
        from analysis.weakness.own.report import write_own_weakness

        write_own_weakness(chosen.episodes, out or Path("weakness"), chosen.top, chosen.skip_bad).show()
    else:
        from analysis.run_directory import open_run
        from analysis.weakness.write import write_weakness

        write_weakness(open_run(chosen.run), out, chosen.top).show()


if __name__ == "__main__":
    raise SystemExit(main())
