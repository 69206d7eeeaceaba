"""python -m analysis.weakness RUN [--out DIR] [--top N]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import add_run, command, finish, positive


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write the weakness reports of a run; returns the exit code."""
    options = command("weakness", "What the policy of a run fails at, cell by cell, at each diagnosis.")
    add_run(options)
    options.add_argument("--top", type=positive, default=12, metavar="N", help="cells printed per report")
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.run_directory import open_run
        from analysis.weakness.write import write_weakness

        write_weakness(open_run(chosen.run), Path(chosen.out) if chosen.out else None, chosen.top).show()

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
