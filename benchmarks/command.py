"""What the benchmarks' commands share: arguments, progress, one-line complaints, and a file of figures."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.sides import Figures, Side, SideError, cores
from planet.command import Parser, positive
from policy import command
from policy.command import new_file


def parser(name: str, description: str | None) -> Parser:
    """The parser of `python -m benchmarks.<name>` with the arguments that all have."""
    made = Parser(prog=f"python -m benchmarks.{name}", description=description)
    made.add_argument(
        "--peer-python", default=sys.executable, metavar="PYTHON",
        help="interpreter that has the packages of the other program (default: this one)",
    )  # fmt: skip
    made.add_argument(
        "--rounds", type=positive, default=2, help="times that every program is started (default 2)"
    )
    made.add_argument("--repeat", type=positive, default=3, help="measurements of one start (default 3)")
    made.add_argument("--threads", type=positive, default=cores(), help="of either program (default: cores)")
    made.add_argument("--json", type=new_file, metavar="FILE", help="also write all figures there")
    return made


def progressed(side: Side, number: int) -> None:
    """A line on what is measured now."""
    print(f"round {number}: {side.name} ...", file=sys.stderr, flush=True)


def finish(made: Parser, work: Callable[[], int]) -> int:
    """Do the work of a command; what a user can act on ends as one line and exit code 2."""
    return command.finish(made, work, SideError)


def write(figures: Figures, place: Path) -> None:
    """Write all figures, whole or not at all."""
    part = place.with_name(f"{place.name}.part")
    part.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(part, place)
