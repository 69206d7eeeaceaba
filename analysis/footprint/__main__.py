"""python -m analysis.footprint RUN [--beside RUN] [--out DIR]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import add_run, command, finish


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write the footprint of a run; returns the exit code."""
    options = command("footprint", "What a run's training touched, beside uniform draws from the same pool.")
    add_run(options)
    options.add_argument(
        "--beside", metavar="RUN", help="a run of the same seed to stand beside it, e.g. of random worlds"
    )
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.footprint.write import write_footprint
        from analysis.run_directory import open_run

        other = open_run(chosen.beside) if chosen.beside else None
        write_footprint(open_run(chosen.run), Path(chosen.out) if chosen.out else None, other).show()

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
