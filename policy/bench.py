"""`python -m policy.bench`: speed of rollouts and updates, beside the matrix peak of the machine."""

from pathlib import Path

from policy.command import Parser, finish, positive
from policy.config import PRESETS


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = Parser(prog="python -m policy.bench", description=__doc__)
    parser.add_argument("--preset", choices=sorted(PRESETS), default="tiny")
    parser.add_argument("--episodes", type=positive, default=128, help="episodes of a batch (default 128)")
    parser.add_argument("--repeat", type=positive, default=3, help="repetitions; the best counts (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    given = parser.parse_args(argv)
    if given.json is not None and not given.json.parent.is_dir():
        parser.error(f"--json: {given.json.parent} is no folder; make it, or name another file")

    def work() -> int:
        from policy.measurement import measure

        measure(given.preset, given.episodes, given.repeat, given.json)
        return 0

    return finish(parser, work)


if __name__ == "__main__":
    raise SystemExit(main())
