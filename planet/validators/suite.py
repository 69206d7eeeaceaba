"""The twelve, and how they are run.

One file per link of PLANET; the rules have four: what they name (`rules`), how their checks are written
(`checks`) and behave (`probes`), and the pages that state them (`pages`).
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from planet.author.artifacts import Link
from planet.catalog import Catalog, load_catalog
from planet.records.world import World, WorldKey
from planet.validators.checks import checks_are_selects
from planet.validators.company import company_is_sound
from planet.validators.execution import world_runs
from planet.validators.graph import graph_is_sound
from planet.validators.pages import pages_state_rules
from planet.validators.probes import checks_hold_and_bite
from planet.validators.report import Status, ValidationReport, Violation
from planet.validators.rules import rules_cross_services
from planet.validators.schema import references_are_sound, tables_are_sound, tools_are_sound
from planet.validators.seed import no_reference_dangles, rows_load
from planet.validators.subject import Subject


class Validator(NamedTuple):
    """One of the twelve."""

    name: str  # "V01" to "V12"
    link: Link | Literal["all"]  # the link it judges
    claim: str  # what holds when it passes, in one line
    needs: tuple[str, ...]  # validators that must have passed before this one can be checked
    check: Callable[[Subject], list[Violation]]


VALIDATORS: tuple[Validator, ...] = (
    Validator(
        "V01", "company", "the company is complete, anonymised, and fits its country", (), company_is_sound
    ),
    Validator(
        "V02", "graph", "services are of declared kinds and the graph is connected", (), graph_is_sound
    ),
    Validator("V03", "schema", "tables have keys and typed, uniquely named columns", (), tables_are_sound),
    Validator(
        "V04",
        "schema",
        "references name existing tables, each of them once; required ones have no cycle",
        (),
        references_are_sound,
    ),
    Validator(
        "V05",
        "schema",
        "every table with tools has exactly its four, with matching schemas",
        (),
        tools_are_sound,
    ),
    Validator("V06", "seed", "seed rows load, and there are enough of them", ("V03",), rows_load),
    Validator(
        "V07", "seed", "no reference dangles, also across services", ("V04", "V06"), no_reference_dangles
    ),
    Validator(
        "V08", "rules", "every trigger and its effect lie in different services", (), rules_cross_services
    ),
    Validator(
        "V09", "rules", "hidden checks are single read-only SELECTs in bounds", ("V06",), checks_are_selects
    ),
    Validator(
        "V10",
        "rules",
        "every check holds on the seed and is not vacuous",
        ("V08", "V09"),
        checks_hold_and_bite,
    ),
    Validator(
        "V11", "rules", "every rule has a page that is found and reveals no key", (), pages_state_rules
    ),
    Validator(
        "V12",
        "all",
        "tools answer, updates stay inside the episode, reload is equal",
        ("V04", "V06"),
        world_runs,
    ),
)


def validate(world: World, key: WorldKey, catalog: Catalog | None = None) -> ValidationReport:
    """The verdict of all twelve. `catalog`: the one that the world was made from; None is the shipped one."""
    subject = Subject(world, key, catalog or load_catalog(profile=world.brief.profile))
    status: dict[str, Status] = {}
    violations: list[Violation] = []
    for validator in VALIDATORS:
        if any(status[name] != "passed" for name in validator.needs):
            status[validator.name] = "not_checked"
            continue
        found = validator.check(subject)
        status[validator.name] = "fired" if found else "passed"
        violations += found
    subject.close()
    return ValidationReport(world_id=world.id, status=status, violations=tuple(violations))
