"""python -m analysis.health RUN [--out DIR]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import add_run, command, finish


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write the health of a run; returns the exit code."""
    options = command("health", "How each update of a run went: reward, length, failures, gradient.")
    add_run(options)
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.health.write import write_health
        from analysis.run_directory import open_run

        write_health(open_run(chosen.run), Path(chosen.out) if chosen.out else None).show()

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
