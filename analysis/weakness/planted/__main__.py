"""python -m analysis.weakness.planted [--repeats N] [--reports N] [--seed S] [--out DIR]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import command, finish
from planet.command import positive


def main(argv: Sequence[str] | None = None) -> int:
    """Print how well planted weaknesses are found, and what is claimed where there are none."""
    options = command(
        "weakness.planted",
        "Scripted agents on PLANET's own worlds: are planted weaknesses found, and is nothing else claimed?",
    )
    options.add_argument(
        "--repeats", type=positive, default=20, metavar="N", help="agents with planted weaknesses (20)"
    )
    options.add_argument(
        "--reports", type=positive, default=2000, metavar="N", help="reports of uniform agents (2000)"
    )
    options.add_argument("--seed", type=int, default=0, metavar="S", help="default 0")
    options.add_argument("--out", metavar="DIR", help="folder for the tables as CSV (default: not written)")
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.weakness.planted.study import study

        study(chosen.repeats, chosen.reports, chosen.seed, Path(chosen.out) if chosen.out else None)

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
