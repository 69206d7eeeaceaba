"""`python -m planet.census DIR`: how large and varied a folder of worlds is, beside the library's design.

An environment is a world with its slice; those with fewer than ten tasks are no part of the RL corpus. What
tasks drawn uniformly from it reach stands beside: coverage alone proves nothing, a uniform draw covers a lot.
It reads and counts; whether worlds are sound and as they were written is what `planet.validate` checks.
"""

import json
from argparse import Namespace
from pathlib import Path

from planet.census.environment import read_environments
from planet.command import Parser, command, positive, run
from planet.refusals import read_refusals
from planet.whole_file import write_whole

SMALL = (
    "Counts of different values grow with the number of worlds: their deviation is told from "
    "95 % of the designed size on."
)


def main(argv: list[str] | None = None) -> int:
    """Print and write the census. Exit code 0, or 2 for wrong use."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command(
        "census",
        "How large and how varied a folder of worlds is, beside the library's design. It reads and counts; "
        "planet.validate checks.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for census.json and census.md (default: DIR)"
    )
    parser.add_argument("--environments", type=positive, metavar="N", help="at most so many (default: all)")
    parser.add_argument(
        "--draw", type=positive, metavar="K", help="tasks drawn (default: 3200 of 43260, or in proportion)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the draw (default 0)")
    return parser


def _run(given: Namespace) -> int:
    from planet.census.measure import as_json, take
    from planet.census.tables import as_markdown, as_text, tables

    worlds = list(read_environments(given.folder))
    census = take(
        worlds, read_refusals(given.folder), given.folder, given.environments, given.draw, given.seed
    )
    found = list(tables(census))
    out = given.out or given.folder
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "census.json", json.dumps(as_json(census), indent=1))
    write_whole(out / "census.md", "\n".join([*map(as_markdown, found), SMALL, ""]))
    print("\n\n".join(map(as_text, found)))
    print(f"\n{SMALL}\nwritten: {out / 'census.json'}, {out / 'census.md'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
