"""python -m analysis.scale DIR [--out DIR]"""

from collections.abc import Sequence
from pathlib import Path

from analysis.command import command, finish


def main(argv: Sequence[str] | None = None) -> int:
    """Print and write how many worlds there are, beside other projects; returns the exit code."""
    options = command("scale", "Worlds against services of a world, beside published figures.")
    options.add_argument("folder", metavar="DIR", help="worlds made by planet.synthesize")
    options.add_argument("--out", metavar="DIR", help="folder for the results (default: DIR)")
    chosen = options.parse_args(argv)

    def work() -> None:
        from analysis.scale.write import write_scale

        write_scale(Path(chosen.folder), Path(chosen.out or chosen.folder)).show()

    return finish(options, work)


if __name__ == "__main__":
    raise SystemExit(main())
