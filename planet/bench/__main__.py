"""`python -m planet.bench`: how fast worlds run and are made, as ratios to raw SQLite of the same run.

--library N     library worlds instead of compact ones, N of them for what is told per world
--sessions N    instead: N sessions open at once over some library worlds
"""

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from planet.bench.row import Row, table
from planet.command import Parser, command, positive, run
from planet.records.world import Profile
from planet.whole_file import write_whole

COMPACT_WORLDS = 20
"""Compact worlds that are made, unless library worlds are asked for."""


def main(argv: list[str] | None = None) -> int:
    """Exit code 0 when everything was measured; 2 for wrong use, or for more sessions than fit."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command(
        "bench", "How fast worlds run and are made, as ratios to raw SQLite measured in the same run."
    )
    add = parser.add_argument
    add("--repeats", type=positive, default=2_000, metavar="N", help="of each call (default %(default)s)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--library", type=positive, metavar="N", help="N library worlds, not compact ones")
    what.add_argument("--sessions", type=positive, metavar="N", help="instead: N sessions open at once")
    add("--worlds", type=positive, default=8, metavar="N", help="worlds of --sessions (default %(default)s)")
    add("--json", type=Path, metavar="FILE", help="write every number there, too")
    return parser


def _run(given: Namespace) -> int:
    if given.json and not given.json.absolute().parent.is_dir():
        raise FileNotFoundError(f"{given.json}: its folder does not exist; make it, or name another file")
    found = _many(given.sessions, given.worlds) if given.sessions else _speed(given.library, given.repeats)
    if given.json:
        from planet.bench.machine import described

        content = {"machine": described(), "unit": "CPU microseconds", **found}
        write_whole(given.json, f"{json.dumps(content, indent=1)}\n")
        print(f"in {given.json}")
    return 0


def _speed(library: int | None, repeats: int) -> dict[str, Any]:
    """Episodes, calls, grades, and the making of worlds."""
    from planet.bench.calls import call_rows
    from planet.bench.episodes import episode_rows
    from planet.bench.making import making_rows, verdict
    from planet.bench.stage import set_stage

    profile: Profile = "library" if library else "compact"
    worlds = library or COMPACT_WORLDS
    stage = set_stage(profile)
    running = [*episode_rows(stage, repeats), *call_rows(stage, repeats)]
    tables = stage.world.seed.rows
    size = f"{len(tables)} tables, {sum(map(len, tables.values())):,} rows"
    stage.close()
    making = making_rows(profile, worlds)
    _print([*running, *making])
    print(f"episodes, calls and grades in a {profile} world of {size}; the others over {worlds} worlds")
    print(*verdict(making, profile), sep="\n")
    return {"profile": profile, "worlds": worlds, "rows": [row.plain for row in (*running, *making)]}


def _many(sessions: int, worlds: int) -> dict[str, Any]:
    """Sessions that are open together."""
    from planet.bench.crowd import crowd
    from planet.bench.machine import UNIT

    found = crowd(sessions, worlds)
    _print(found.rows)
    begun, played = found.memory.begun / UNIT, found.memory.played / UNIT
    print(
        f"{sessions:,} sessions over {found.worlds} library worlds: {begun:.3f} MB each when begun, "
        f"{played:.3f} MB when played and graded, {sessions * played:,.0f} MB in all"
    )
    return {**found.model_dump(mode="json", exclude={"rows"}), "rows": [row.plain for row in found.rows]}


def _print(rows: Sequence[Row]) -> None:
    print(*table(rows), sep="\n", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
