"""python -m analysis.report RUN-or-SWEEP [--out FILE]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import command, finish


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page of a run, or of a folder of runs; returns the exit code."""
    options = command("report", "One HTML page about a run or a sweep, to open in any browser.")
    options.add_argument("path", metavar="RUN-or-SWEEP", help="a run directory, or a folder that holds some")
    options.add_argument("--out", metavar="FILE", help="the page (default: report.html in the folder)")
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.report.write import write_report

        write_report(Path(chosen.path), Path(chosen.out) if chosen.out else None).show()

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
