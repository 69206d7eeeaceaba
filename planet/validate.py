"""`python -m planet.validate DIR`: the twelve checks on every world of a folder.

Exit code 0 when all worlds pass, 1 when one does not or cannot be read, 2 when the command itself is wrong.
"""

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from planet.catalog import Catalog, load_catalog
from planet.command import REFUSED, command, run
from planet.errors import StorageError
from planet.progress import tracked
from planet.records.world import World
from planet.store import read_world, world_ids
from planet.validators import VALIDATORS, ValidationReport, validate


def main(argv: list[str] | None = None) -> int:
    """Print what is wrong with each world, then a summary."""
    parser = command("validate", "The twelve structural checks on every world of a folder.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    parser.add_argument(
        "--overlay",
        "--catalog",  # its older name
        type=Path,
        metavar="DIR",
        help="own catalog entries that the worlds were made with",
    )
    return run(parser, _run, argv)


def _run(given: Namespace) -> int:
    names = world_ids(given.folder)
    load_catalog(given.overlay)  # an unusable one is told before anything is checked
    verdicts: Counter[str] = Counter()
    strangers = 0
    for name, report, stranger in _reports(given.folder, names, given.overlay):
        strangers += stranger
        lines = [report] if isinstance(report, str) else _lines(report)
        verdicts.update(["unreadable"] if isinstance(report, str) else (report.fired or ["admitted"]))
        for line in lines:
            print(f"{name}  {line}")
    print(_summary(len(names), verdicts))
    if strangers and given.overlay is None:
        print(
            f"{strangers} of {len(names)} worlds have an industry, country or kind of service that the "
            "shipped catalog has not; if they were made with an overlay, name it: --overlay DIR"
        )
    return 0 if verdicts["admitted"] == len(names) else REFUSED


def _reports(
    folder: Path, names: tuple[str, ...], overlay: Path | None
) -> Iterator[tuple[str, ValidationReport | str, bool]]:
    """The verdict on each world, or why it cannot be read, and whether it is of another catalog."""
    for name in tracked(names, "validating", len(names)):
        try:
            stored = read_world(folder, name)
        except StorageError as error:
            yield name, f"unreadable: {error}", False
        else:
            catalog = load_catalog(overlay, stored.world.brief.profile)
            yield name, validate(stored.world, stored.key, catalog), _is_stranger(stored.world, catalog)


def _is_stranger(world: World, catalog: Catalog) -> bool:
    """Whether the world names an entry that the catalog has not, and does not declare it itself."""
    kinds = {kind.kind for kind in catalog.services} | {own.kind for own in world.graph.kinds}
    return (
        world.company.industry not in {industry.name for industry in catalog.industries}
        or world.company.country not in {country.code for country in catalog.countries}
        or not {service.kind for service in world.graph.services} <= kinds
    )


def _lines(report: ValidationReport) -> list[str]:
    lines = [f"{v.validator} {v.message}" for v in report.violations]
    unchecked = [v for v, s in report.status.items() if s == "not_checked"]
    return lines + ([f"not checked: {', '.join(unchecked)}"] if unchecked else [])


def _summary(count: int, verdicts: Counter[str]) -> str:
    claims = {v.name: v.claim for v in VALIDATORS}
    lines = [f"{verdicts['admitted']} of {count} worlds pass all twelve validators"]
    for name in sorted(verdicts.keys() - {"admitted"}):
        claim = f" (holds when {claims[name]})" if name in claims else ""
        lines.append(f"{name}: {verdicts[name]}{claim}")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
