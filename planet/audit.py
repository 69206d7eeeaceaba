"""`python -m planet.audit DIR`: the thirteen rules on every task of every world of a folder."""

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from planet.command import REFUSED, Parser, command, run
from planet.errors import PlanetError
from planet.progress import tracked
from planet.store import read_world, world_ids
from planet.tasks.audit import Auditor, AuditReport
from planet.tasks.audit_rules import RULES
from planet.tasks.grow import TURNS

Row = tuple[str, AuditReport | str]
"""World id, and the report on one of its tasks, or why the world could not be audited."""


def main(argv: list[str] | None = None) -> int:
    """Print the table of rules. Exit code 0 when all tasks pass, 1 when one does not, 2 for wrong use."""
    return run(_parser(), _run, argv)


def _parser() -> Parser:
    parser = command("audit", "The thirteen audit rules on every task of every world of a folder.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    return parser


def _run(given: Namespace) -> int:
    names = world_ids(given.folder)
    verdicts: Counter[tuple[str, str]] = Counter()
    tasks = unsound = steps = 0
    for name, report in _reports(given.folder, names):
        if isinstance(report, str):
            unsound += 1
            print(f"{name}  {report}")
            continue
        tasks, steps = tasks + 1, steps + report.steps
        unsound += not report.admitted
        verdicts.update(report.status.items())
        for finding in report.findings:
            print(f"{name}  {report.task_id}  {finding.rule} {finding.message}")
    print(f"{'rule':<6}{'passed':>8}{'fired':>8}{'not checked':>13}  holds when")
    for rule in RULES:
        counts = [verdicts[rule.name, verdict] for verdict in ("passed", "fired", "not_checked")]
        print(f"{rule.name:<6}{counts[0]:>8,}{counts[1]:>8,}{counts[2]:>13,}  {rule.claim}")
    print(f"{tasks:,} tasks of {len(names):,} worlds audited in {steps:,} calls; {unsound:,} did not pass")
    return REFUSED if unsound else 0


def _reports(folder: Path, names: tuple[str, ...]) -> Iterator[Row]:
    for name in tracked(names, "auditing", len(names)):
        try:
            yield from [(name, report) for report in _audited(folder, name)]
        except PlanetError as error:
            yield name, str(error)


def _audited(folder: Path, name: str) -> list[AuditReport]:
    stored = read_world(folder, name)
    auditor = Auditor(stored.world, stored.key, TURNS[stored.world.brief.profile])
    try:
        return [auditor.audit(task) for task in stored.tasks]
    finally:
        auditor.close()


if __name__ == "__main__":
    raise SystemExit(main())
