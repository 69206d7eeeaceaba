"""The section on configuration and environment: enough to know which run this is, and to repeat it."""

import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from analysis.ledger import ClockRow
from analysis.report.markup import Html, element, folded, section, table
from analysis.report.record import RunRecord


def settings_section(record: RunRecord) -> Html:
    """Identity, splits, versions, and the whole configuration tree."""
    return section(
        2,
        "Configuration and environment",
        table(("what", "value"), [*_identity(record), *_splits(record), *_environment()], words=(0, 1)),
        folded("The whole configuration", element("pre", _tree(record))),
    )


def _identity(record: RunRecord) -> list[tuple[str, object]]:
    run = record.run.run
    clocks = record.run.ledger.rows(ClockRow, record.run.id)
    ends = [float(row.detail["finished"]) for row in clocks if "finished" in row.detail]
    when = f"{datetime.fromtimestamp(max(ends), UTC):%Y-%m-%d %H:%M} UTC" if ends else "not recorded"
    return [
        ("run", run.run_id),
        ("experiment, arm, seed", f"{run.name}, {run.arm}, {run.seed}"),
        ("digest of the configuration", run.config_digest),
        ("controller steps recorded", len(record.steps)),
        ("newest one recorded at", when),
        ("schema of the ledger", run.schema_version),
    ]


def _splits(record: RunRecord) -> list[tuple[str, object]]:
    detail = next((step.detail for step in record.steps if step.kind == "worlds"), {})
    named = {
        "splits_digest": "digest of the splits",
        "catalog_digest": "digest of the catalog",
        "unseen_industry": "industry held out for the test",
    }
    found: list[tuple[str, object]] = [(words, detail[key]) for key, words in named.items() if key in detail]
    if detail.get("reserved_pairs"):
        pairs = ", ".join(" and ".join(pair) for pair in detail["reserved_pairs"])
        found.append(("service pairs held out for the test", pairs))
    return found


def _environment() -> list[tuple[str, object]]:
    try:
        ours = version("closed-loop-curricula")
    except PackageNotFoundError:
        ours = "not installed"
    return [
        ("page written with", f"closed-loop-curricula {ours}, Python {platform.python_version()}"),
        ("on", f"{platform.system()} {platform.machine()}"),
    ]


def _tree(record: RunRecord) -> str:
    import yaml

    return yaml.safe_dump(record.run.run.config, sort_keys=True, allow_unicode=True)
