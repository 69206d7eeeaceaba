"""python -m analysis.contrasts RESULTS_DIR [--retest] [--out DIR] [--page FILE]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import command, finish


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write what a sweep found; returns the exit code."""
    options = command("contrasts", "Arms of a sweep contrasted, paired by seed, on both budgets.")
    options.add_argument("results", metavar="RESULTS_DIR", help="folder of result files of one sweep")
    options.add_argument(
        "--retest",
        action="store_true",
        help="scores of python -m loop.sweep.retest, of the runs that have any",
    )
    options.add_argument(
        "--out",
        metavar="DIR",
        help="folder for the results (default: RESULTS_DIR/contrasts, or RESULTS_DIR/retest/contrasts)",
    )
    options.add_argument(
        "--page", metavar="FILE", help="Markdown page whose place for findings is filled anew"
    )
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.contrasts.page import fill
        from analysis.contrasts.sweep import read_sweep
        from analysis.contrasts.write import write_contrasts
        from analysis.retest import RETEST

        folder = Path(chosen.results)
        tested = folder / RETEST if chosen.retest else folder
        out = Path(chosen.out) if chosen.out else tested / "contrasts"
        write_contrasts(read_sweep(folder, chosen.retest), out).show()
        if chosen.page:
            fill(Path(chosen.page), (out / "findings.md").read_text(encoding="utf-8"))
            print(f"filled: {chosen.page}")

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
