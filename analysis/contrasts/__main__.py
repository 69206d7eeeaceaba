"""python -m analysis.contrasts RESULTS_DIR [--out DIR]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import command, finish


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write what a sweep found; returns the exit code."""
    options = command("contrasts", "Arms of a sweep contrasted, paired by seed, on both budgets.")
    options.add_argument("results", metavar="RESULTS_DIR", help="folder of result files of one sweep")
    options.add_argument(
        "--out", metavar="DIR", help="folder for the results (default: RESULTS_DIR/contrasts)"
    )
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.contrasts.sweep import read_sweep
        from analysis.contrasts.write import write_contrasts

        folder = Path(chosen.results)
        write_contrasts(read_sweep(folder), Path(chosen.out) if chosen.out else folder / "contrasts").show()

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
