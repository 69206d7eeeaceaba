"""Worlds for a report: `python -m loop.propose REPORT --count N --out DIR [--author A] [--seed S] ...`."""

import argparse
import sys
from pathlib import Path
from typing import Any

from loop.command import FAILED, one_line_errors
from loop.config import Targeting
from loop.errors import ConfigError, DiskError, Interrupted
from loop.plugins import Plugin, make, nearest
from planet.cells import FACETS
from planet.command import Parser, positive

ALLOCATIONS = ("failure_rate", "learnability")


def parser() -> Parser:
    """The command line."""
    made = Parser(
        prog="python -m loop.propose",
        description="Write briefs and audited worlds for a weakness report, from a run or from own episodes.",
    )
    add = made.add_argument
    add("report", type=Path, metavar="REPORT", help="weakness.json of python -m analysis.weakness")
    add("--count", type=positive, required=True, metavar="N", help="briefs, and worlds at most")
    add("--out", type=Path, required=True, metavar="DIR", help="folder for the worlds; new or empty")
    add("--report-id", metavar="ID", help="which report of the file, e.g. r0 (default: the last one)")
    add("--facet", choices=FACETS, help="what to aim at (default: family, else pattern, resource, ...)")
    add(
        "--map",
        action="append",
        default=[],
        metavar="CELL=GOAL",
        help='what a cell means; GOAL "none": leave out',
    )
    add("--allocation", choices=ALLOCATIONS, default="failure_rate", help="what a cell is weighed by")
    add("--min-opportunities", type=positive, default=Targeting().min_opportunities, metavar="N",
        help="episodes below which a cell is not aimed at (default %(default)s)")  # fmt: skip
    add(
        "--author",
        default="template",
        metavar="NAME",
        help='template, llm, module:Class, or "{type: ..., ...}"',
    )
    add("--model", metavar="NAME", help="of the author llm: short for --author '{type: llm, model: NAME}'")
    add("--overlay", "--catalog", dest="catalog", type=Path, metavar="DIR", help="own catalog entries")
    add("--tasks", type=positive, default=10, metavar="N", help="tasks a world (default 10)")
    add("--seed", type=int, default=0, metavar="S", help="default 0")
    return made


def main(argv: list[str] | None = None) -> int:
    """The command. Exit code 0 when a world was written, 1 when none was, 2 for wrong use, 130 for Ctrl-C."""
    given = parser().parse_args(argv)
    with one_line_errors() as outcome:
        author = author_of(given.author, given.model)
        told = dict(meaning(text) for text in given.map)
        try:
            outcome.code = _propose(given, author, told)
        except OSError as error:
            raise DiskError(f"{given.out}: {error}; free the place, or name another with --out") from error
        except KeyboardInterrupt:
            raise Interrupted(f"stopped; the worlds made so far are in {given.out}") from None
    return outcome.code


def author_of(text: str, model: str | None) -> Plugin:
    """The author as a configuration would name it; ConfigError when the text is no name and no mapping."""
    from pydantic import ValidationError

    from planet.yaml_text import YamlProblem, parse_yaml

    try:
        plugin = Plugin.model_validate(parse_yaml(text))
    except (YamlProblem, ValidationError) as error:
        raise ConfigError(
            f"--author {text!r} cannot be read; write template, module:Class, or '{{type: llm, model: NAME}}'"
        ) from error
    return plugin if model is None else Plugin(**{**plugin.model_dump(), "model": model})


def meaning(text: str) -> tuple[str, str]:
    """(cell, goal) of one --map."""
    cell, mark, goal = text.rpartition("=")
    if not (mark and ":" in cell and goal):
        raise ConfigError(
            f"--map {text!r} is not CELL=GOAL; write e.g. tool:book_flight=resource:sales_order"
        )
    return cell, goal


def _propose(given: argparse.Namespace, plugin: Plugin, told: dict[str, str]) -> int:
    from loop.proposing import aiming, making
    from planet.catalog import load_catalog

    making.check_empty(given.out)
    author = make("author", plugin, "--author")
    catalog = load_catalog(given.catalog)
    report, stands_for, asked = _understand(given, catalog, told)
    targeting = aiming.targeting_for(
        report, given.tasks, given.min_opportunities, given.allocation, given.facet
    )
    briefs = aiming.aim(report, stands_for, targeting, catalog, given.count, given.seed)
    known = {
        "author": plugin.model_dump(mode="json"),
        "seed": given.seed,
        "tasks": given.tasks,
        "catalog": catalog.digest,
        "targeting": targeting.model_dump(mode="json"),
        "understood": [meaning._asdict() for meaning in asked],
    }
    proposals: list[Any] = []
    for proposal in making.make(briefs, author, catalog, given.out, given.tasks, given.seed):
        proposals.append(proposal)
        making.write_books(given.out, proposals, given.count, known)
        print(making.tell_proposal(proposal, given.count), flush=True)
    return _close(given.out, making.counts(proposals, given.count))


def _understand(given: argparse.Namespace, catalog: Any, told: dict[str, str]) -> tuple[Any, Any, Any]:
    """The report in cells of PLANET, what each goal stands for, and all that was asked; prints it."""
    from loop.proposing.reading import read_report
    from loop.proposing.understanding import Interpreter, tell, understand_report

    report = read_report(given.report, given.report_id)
    cells = [cell.name for cell in report.cells]
    for cell in told:
        if cell not in cells:
            raise ConfigError(
                f"--map {cell}={told[cell]}: the report has no cell {cell}; {nearest(cell, cells)}"
            )
    understood = understand_report(report, Interpreter(catalog, told), given.min_opportunities)
    print(*tell(understood[2]), sep="\n")
    if report.abstains:
        print("the report abstains: nothing in it stands out from chance, so aiming is as good as a draw")
    return understood


def _close(out: Path, found: dict[str, Any]) -> int:
    """The last lines: what came out, and what to type next."""
    from loop.proposing.making import tell_counts

    print(*tell_counts(found), sep="\n")
    if not found["worlds"]:
        print(f"no world; briefs.jsonl and summary.json in {out} say what refused them")
        return FAILED
    print(f"in {out}; look at one with: python -m planet.inspect {out} WORLD")
    return 0


if __name__ == "__main__":
    sys.exit(main())
