"""`python -m planet.mutations --out DIR`: does each check see what it is there to see?

    DIR/validators.confusion.csv   corruptions meant for each validator, by the validators that fired
    DIR/validators.cases.csv       every case: how it was corrupted, what fired, what was said
    DIR/rules.confusion.csv, DIR/rules.cases.csv    the same over the rules of the audit, with --audit
    DIR/mutations.md, DIR/mutations.json            tables for a reader, and counts by way

With --collapse N a scripted model also proposes rules inside one service, N times, and has nothing to go by
but what it is told.
"""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from planet.command import REFUSED, Parser, command, positive, run
from planet.errors import StorageError
from planet.mutations.collapse import Collapse, collapses, told
from planet.mutations.files import write_study
from planet.mutations.matrix import verdict
from planet.mutations.study import study
from planet.mutations.trial import Outcome, Part
from planet.progress import tracked
from planet.records.world import Profile

_SHOWN = 10


def main(argv: list[str] | None = None) -> int:
    """Exit code 0 when every corruption was seen by its check, 1 when one was not, 2 for wrong use."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command("mutations", "Sound worlds corrupted in one way each: does the check meant for it fire?")
    add = parser.add_argument
    add("--out", type=Path, required=True, metavar="DIR", help="folder for the files")
    add("--per-check", type=positive, default=200, metavar="N", help="corruptions a check (default 200)")
    add("--profile", choices=get_args(Profile), default="compact", help="size of a world (default compact)")
    add("--seed", type=int, default=0, metavar="S", help="default 0")
    add("--jobs", type=positive, default=1, metavar="N", help="processes (default 1)")
    add("--audit", action="store_true", help="also the thirteen rules of the audit, on tasks")
    add("--collapse", type=positive, metavar="N", help="also N rules collapsed by a scripted model")
    return parser


def _run(given: Namespace) -> int:
    if given.out.exists() and not given.out.is_dir():
        raise StorageError(f"{given.out} is no folder; name another with --out")
    parts: tuple[Part, ...] = ("validators", "rules") if given.audit else ("validators",)
    found: dict[Part, list[Outcome]] = {
        part: study(part, given.per_check, given.seed, given.profile, given.jobs, _tracked) for part in parts
    }
    collapsed = collapses(given.collapse, given.seed, given.profile) if given.collapse else []
    made_by = {"per_check": given.per_check, "profile": given.profile, "seed": given.seed}
    paths = write_study(given.out, found, made_by, collapsed)
    every = [outcome for outcomes in found.values() for outcome in outcomes]
    _tell(every, collapsed, given.out / paths[-1].name)
    whole = all(outcome.seen for outcome in every) and all(c.caught and c.repaired for c in collapsed)
    return 0 if whole else REFUSED


def _tracked(outcomes: Iterator[list[Outcome]], part: str, worlds: int) -> Iterator[list[Outcome]]:
    return tracked(outcomes, f"{part}, corrupting", worlds)


def _tell(outcomes: list[Outcome], collapsed: list[Collapse], where: Path) -> None:
    missed = [outcome for outcome in outcomes if not outcome.seen]
    for outcome in missed[:_SHOWN]:
        fired = ", ".join(outcome.fired) or "nothing"
        print(f"missed by {outcome.check}: {outcome.way} in world {outcome.number}; fired: {fired}")
    if len(missed) > _SHOWN:
        print(f"and {len(missed) - _SHOWN} more, in the files of cases")
    if collapsed:
        print(told(collapsed))
    print(f"in {where.parent}")
    print(verdict(outcomes))


if __name__ == "__main__":
    raise SystemExit(main())
