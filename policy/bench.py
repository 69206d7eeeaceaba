"""`python -m policy.bench`: speed of rollouts and updates, beside the matrix peak of the machine."""

from planet.command import Parser, positive
from policy.command import finish, new_file

PRESETS = ("micro", "small", "tiny")
"""Shapes that are made for words, as the tasks are; published ones have vocabularies of their own."""


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = Parser(prog="python -m policy.bench", description=__doc__)
    parser.add_argument(
        "--preset",
        choices=PRESETS,
        default="tiny",
        help="shape, with a row for every word (default tiny); published shapes have other vocabularies",
    )
    parser.add_argument("--episodes", type=positive, default=128, help="episodes of a batch (default 128)")
    parser.add_argument("--repeat", type=positive, default=3, help="repetitions; the best counts (default 3)")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="also write the figures there")
    given = parser.parse_args(argv)

    def work() -> int:
        from policy.measurement import measure

        measure(given.preset, given.episodes, given.repeat, given.json)
        return 0

    return finish(parser, work)


if __name__ == "__main__":
    raise SystemExit(main())
