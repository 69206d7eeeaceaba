"""Each of the twelve validators fires on minimal worlds that violate it, and then it alone does."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.construct import construct
from planet.records.world import Brief
from planet.validators import VALIDATORS, validate
from tests.planet.violating_worlds import VIOLATIONS, Case
from tests.planet.worlds import CUSTOMER, PAUSED, TICKET, VIP, changed, layout, toy_world, with_cell

CASES = [
    pytest.param(name, case, id=f"{name}: {what}")
    for name, cases in VIOLATIONS.items()
    for what, case in cases.items()
]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_a_world_with_one_thing_wrong_fires_that_validator_alone(name: str, case: Case) -> None:
    report = validate(*case)
    assert report.fired == (name,), [v.message for v in report.violations]
    assert not report.admitted


def test_every_validator_has_a_violating_world() -> None:
    assert list(VIOLATIONS) == [v.name for v in VALIDATORS] == [f"V{n:02d}" for n in range(1, 13)]


def test_the_toy_world_passes_all_twelve() -> None:
    report = validate(*toy_world())
    assert report.violations == ()
    assert list(report.status.values()) == ["passed"] * 12
    assert report.admitted


def test_a_world_without_rules_passes() -> None:
    assert validate(*changed(invariants=())).admitted


@pytest.mark.parametrize("name", [v.name for v in VALIDATORS if v.link != "all"])
def test_a_violation_blames_the_link_of_its_validator(name: str) -> None:
    link = next(v.link for v in VALIDATORS if v.name == name)
    for case in VIOLATIONS[name].values():
        assert {v.link for v in validate(*case).violations} == {link}


def test_messages_are_one_short_line() -> None:
    for cases in VIOLATIONS.values():
        for case in cases.values():
            for violation in validate(*case).violations:
                text = violation.message + violation.where
                assert text.isprintable() and len(text) < 700, text


# ── what cannot be checked ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "case", "unchecked"),
    [
        ("V03", "no id", {"V06", "V07", "V09", "V10", "V12"}),
        ("V04", "an unknown table", {"V07", "V12"}),
        ("V06", "an id twice", {"V07", "V09", "V10", "V12"}),
        ("V08", "an unknown table", {"V10"}),
        ("V09", "a write", {"V10"}),
        ("V11", "no page", set()),
    ],
)
def test_what_rests_on_a_failed_validator_is_not_checked(name: str, case: str, unchecked: set[str]) -> None:
    status = validate(*VIOLATIONS[name][case]).status
    assert {v for v, s in status.items() if s == "not_checked"} == unchecked
    assert {v for v, s in status.items() if s == "passed"} == status.keys() - unchecked - {name}


def test_a_validator_needs_only_earlier_ones() -> None:
    names = [v.name for v in VALIDATORS]
    assert all(need in names[:at] for at, v in enumerate(VALIDATORS) for need in v.needs)


def test_a_world_of_nothing_is_refused_and_does_not_break_the_suite() -> None:
    report = validate(*changed(layout=layout(), slice=()))
    assert {"V03", "V05"} <= set(report.fired)
    assert "the world has no table; it needs at least one" in [v.message for v in report.violations]


# ── messages ──────────────────────────────────────────────────────────────────────────────────────────────

MESSAGES = {
    ("V01", "a foreign currency"): "currency 'EUR' does not fit Brazil; use BRL",
    ("V01", "a generic name"): "the company's name 'Acme Pumps' is a placeholder; invent a name",
    ("V02", "no edge"): "no edges lead from sales to help_desk; connect the graph",
    (
        "V03",
        "a column twice, case aside",
    ): "column 'credit' stands 2 times in customer; names differ, case aside",
    ("V04", "a required cycle"): (
        "the required references of customer, ticket form a cycle; make one of them optional"
    ),
    ("V05", "a missing tool"): (
        "tool 'search_customer' is missing; every table with tools has exactly its four"
    ),
    ("V06", "an unknown enum value"): (
        "ticket.severity holds 'terrible' in row 0; it must be one of minor, major, critical"
    ),
    ("V07", "a dangling reference"): (
        "ticket.customer_id holds CUS-0009, which no row of customer has as its id"
    ),
    ("V08", "one service"): (
        "RULE-01: customer and ticket both belong to service 'sales'; "
        "a rule must cross two services, and no reference does"
    ),
    ("V09", "a table of SQLite's own"): "RULE-01 reads sqlite_master.name, which the world does not declare",
    ("V10", "a seed that violates"): (
        "RULE-01 does not hold on the seed state: CUS-0003 of customer violate it"
    ),
    ("V10", "a check that never fires"): (
        "RULE-01 is vacuous: customer.tier = vip without its effect in ticket is not caught"
    ),
    ("V11", "41 words"): "document 'DOC-01' has 41 words; a page has at most 40",
    ("V12", "a default that refers to nothing"): (
        "tool update_ticket does not answer: the ticket cannot be stored: FOREIGN KEY constraint failed"
    ),
}


@pytest.mark.parametrize(("at", "message"), MESSAGES.items(), ids=map(": ".join, MESSAGES))
def test_the_message_says_what_was_seen_and_what_would_be_right(at: tuple[str, str], message: str) -> None:
    name, case = at
    assert validate(*VIOLATIONS[name][case]).violations[0].message == message


# ── authored worlds ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("profile", ["compact", "library"])
def test_the_template_authors_worlds_pass_at_once(profile: str, seed: int) -> None:
    catalog = load_catalog()
    countries, industries = catalog.countries, catalog.industries
    for brief in (
        Brief(text="any", profile=profile),  # type: ignore[arg-type]
        Brief(text="by country", country=countries[seed % len(countries)].code, profile=profile),  # type: ignore[arg-type]
        Brief(text="by industry", industry=industries[seed % len(industries)].name, profile=profile),  # type: ignore[arg-type]
    )[: 3 if profile == "compact" else 1]:
        construction = construct(brief, TemplateAuthor(), catalog, seed)
        assert [r.fired for r in construction.trace.reports] == [()]


CELLS = [(t, row, c.name) for t in (CUSTOMER, TICKET) for row in range(3) for c in t.columns]
ANYTHING = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.integers())
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(CELLS), ANYTHING)
def test_whatever_stands_in_a_cell_is_accepted_or_blamed_on_the_seed(cell: Any, value: Any) -> None:
    table, row, column = cell
    report = validate(*changed(seed=with_cell(table.name, row, column, value)))
    assert set(report.fired) <= {"V06", "V07", "V10"}


def test_validation_is_pure() -> None:
    world, key = toy_world()
    assert validate(world, key) == validate(world, key)
    assert (world, key) == toy_world()


def test_a_company_of_an_overlay_needs_the_catalog_it_was_made_from() -> None:
    catalog = load_catalog()
    brazil = catalog.country("BR").replace(code="XX", currency="XXX")
    wider = catalog.replace(countries=(*catalog.countries, brazil))
    case = changed(company=toy_world()[0].company.replace(country="XX", currency="XXX"))
    assert validate(*case).fired == ("V01",)
    assert validate(*case, catalog=wider).admitted


def test_a_page_of_the_trigger_that_states_another_rule_does_not_count() -> None:
    other = PAUSED.replace(document_id="DOC-01")
    assert validate(*changed(invariants=(VIP, other))).fired == ("V11",)
