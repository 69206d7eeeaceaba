"""Rows of library worlds are records that a business could have."""

from collections import Counter

import numpy as np
import pytest

from planet.catalog import load_catalog, to_resource
from planet.expand.currencies import PER_DOLLAR, priced, step_of
from planet.expand.derived import Derived, derived_table
from planet.expand.lifecycle import TODAY, as_dates, days_of, phase_of, role_of
from planet.expand.records import dated, record_rows
from planet.expand.texts import Texts
from planet.records.world import Column, Company, Resource
from tests.planet.overlays import overlaid
from tests.planet.scripts import ID

CATALOG = load_catalog(profile="library")
NAMES = ("customer", "employee", "policy", "claim", "sales_order", "invoice", "payment_plan", "parcel")


def company(code: str) -> Company:
    country = CATALOG.country(code)
    return Company(
        name="Aspen Works", industry="insurance", description="Insures homes.", country=code,
        currency=country.currency, locale=country.locale, time_zone=country.time_zones[0],
    )  # fmt: skip


def made(code: str, seed: int = 7, count: int = 120):
    present = frozenset(NAMES)
    tables = [to_resource(CATALOG.resource(name), CATALOG.resource(name).service, present) for name in NAMES]
    tables += [
        derived_table(Derived(kind=kind, of=("invoice",)), (tables[NAMES.index("invoice")],), 0)
        for kind in ("positions", "history")
    ]
    there = company(code)
    resources = priced(tuple(tables), there.currency)
    state = record_rows(resources, dict.fromkeys((r.name for r in resources), count), CATALOG, there, seed)
    return resources, dated(state, resources, seed)


@pytest.fixture(scope="module")
def japanese():
    """Tables and rows of an insurer in Japan."""
    return made("JP")


def columns_of(resource, state):
    return dict(
        zip((c.name for c in resource.columns), zip(*state.rows[resource.name], strict=True), strict=True)
    )


def test_equal_seeds_give_equal_rows_and_others_do_not(japanese):
    assert made("JP")[1] == japanese[1]
    assert made("JP", seed=8)[1] != japanese[1]


def test_a_text_that_must_be_unique_is_so_even_where_a_number_stands_in_the_pool(tmp_path):
    pools = {"berth": {"forms": ["{dock}"], "parts": {"dock": ["Pier", "Pier 2"]}}}
    catalog = overlaid(tmp_path, {"pools.yaml": pools})
    columns = (ID, Column(name="name", type="text", unique=True, pool="berth"))
    table = Resource(
        name="berth", service="crm", description="A berth.", prefix="BRT", label="name", status="name",
        columns=columns,
    )  # fmt: skip
    for seed in range(20):
        state = record_rows((table,), {"berth": 6}, catalog, company("JP"), seed)
        assert len({name for _, name in state.rows["berth"]}) == 6


def test_dates_of_a_record_agree_with_each_other_and_with_its_status(japanese):
    today = TODAY.isoformat()
    order = ("origin", "made", "event", "end")
    seen = Counter()
    for resource in japanese[0]:
        columns = columns_of(resource, japanese[1])
        dates = sorted(
            (c.name for c in resource.columns if c.type == "date"), key=lambda n: order.index(role_of(n))
        )
        for number, status in enumerate(columns[resource.status]):
            days = [columns[name][number] for name in dates]
            assert days == sorted(days), (resource.name, number)
            phase = phase_of(status)
            seen[phase] += 1
            for name, day in zip(dates, days, strict=True):
                if role_of(name) in ("origin", "made") or phase == "over":
                    assert day <= today, (resource.name, name, status)
                if role_of(name) == "end" and phase != "over":
                    assert day >= today, (resource.name, name, status)
                if role_of(name) == "event" and phase == "waiting":
                    assert day > today, (resource.name, name, status)
    assert min(seen[phase] for phase in ("waiting", "running", "over")) > 50


def test_amounts_are_prices_in_the_money_of_the_country(japanese):
    salaries = columns_of(japanese[0][NAMES.index("employee")], japanese[1])["salary"]
    assert all(value == int(value) for value in salaries)
    assert min(salaries) >= 18_000 * 150 and max(salaries) <= 120_000 * 150  # yen to the dollar
    euros = columns_of(made("DE")[0][NAMES.index("employee")], made("DE")[1])["salary"]
    assert min(euros) >= 18_000 and max(euros) <= 120_000


def test_the_total_of_a_position_is_its_pieces_times_their_price(japanese):
    positions = columns_of(next(r for r in japanese[0] if r.name == "invoice_positions"), japanese[1])
    for pieces, price, total in zip(
        positions["pieces"], positions["unit_price"], positions["line_total"], strict=True
    ):
        assert total == round(pieces * price)


def test_people_and_places_are_of_the_country(japanese):
    people = columns_of(japanese[0][NAMES.index("employee")], japanese[1])
    country = CATALOG.country("JP")
    assert set(people["city"]) <= set(country.cities)
    assert all(name.split(" ")[0] in country.given for name in people["name"])
    homes = columns_of(japanese[0][NAMES.index("claim")], japanese[1])["claimant"]
    assert {name.split(" ")[0] for name in homes} <= set(country.given)


def test_a_label_names_one_record(japanese):
    for resource in japanese[0]:
        labels = columns_of(resource, japanese[1])[resource.label]
        assert len(set(labels)) == len(labels)


def test_references_are_skewed_and_some_records_have_none_that_refer_to_them(japanese):
    orders = columns_of(japanese[0][NAMES.index("sales_order")], japanese[1])["customer_id"]
    times = Counter(orders)
    customers = len(japanese[1].rows["customer"])
    assert set(times) <= {row[0] for row in japanese[1].rows["customer"]}
    assert customers - len(times) >= 0.15 * customers  # the new ones
    assert max(times.values()) >= 4 * len(orders) / customers  # the busiest


def test_amounts_and_first_values_are_the_common_ones(japanese):
    invoices = columns_of(japanese[0][NAMES.index("invoice")], japanese[1])
    assert np.median(invoices["amount"]) < 0.4 * max(invoices["amount"])
    statuses = Counter(invoices["status"])
    assert statuses["draft"] > statuses["late"]


# ── the parts ───────────────────────────────────────────────────────────────────────────────────


def test_days_follow_the_phase():
    days = days_of(["planned"] * 50 + ["active"] * 50 + ["done"] * 50, np.random.default_rng(1))
    assert (days["event"][:50] > 0).all()
    assert (days["event"][50:100] <= 0).all() and (days["end"][50:100] >= 0).all()
    assert (days["end"][100:] <= 0).all()
    for earlier, later in (("origin", "made"), ("made", "event"), ("event", "end")):
        assert (days[earlier] <= days[later]).all()


def test_days_become_dates():
    assert as_dates(np.array([0, 31, -1])) == ["2026-01-01", "2026-02-01", "2025-12-31"]


def test_columns_and_statuses_are_read_by_their_words():
    assert [role_of(f"{name}_date") for name in ("hire", "order", "visit", "due", "pay_back", "move_in")] == [
        "origin", "made", "event", "end", "end", "event",
    ]  # fmt: skip
    assert [phase_of(status) for status in ("planned", "paid", "on_hold_again")] == [
        "waiting",
        "over",
        "running",
    ]


def test_every_table_with_an_end_has_a_status_that_ends_it():
    for resource in CATALOG.resources.values():
        ends = [c.name for c in resource.columns if c.type == "date" and role_of(c.name) == "end"]
        statuses = next(c for c in resource.columns if c.name == resource.status).values
        assert not ends or any(phase_of(status) != "waiting" for status in statuses), resource.name


def test_every_currency_of_the_catalog_has_a_rate():
    assert {country.currency for country in CATALOG.countries} <= set(PER_DOLLAR)


def test_bounds_are_rounded_to_two_digits_and_other_units_stay():
    table = derived_table(
        Derived(kind="positions", of=("invoice",)),
        (to_resource(CATALOG.resource("invoice"), "billing", frozenset()),),
        0,
    )
    (yen,) = priced((table,), "JPY")
    assert (yen.column("unit_price").low, yen.column("unit_price").high) == (
        300.0,
        60_000.0,
    )  # 2 and 400 x 150
    assert yen.column("pieces") == table.column("pieces")
    assert priced((table,), "EUR") == (table,)


def test_steps_are_a_cent_or_three_digits_of_the_largest():
    assert step_of(90, "EUR") == 0.01
    assert step_of(90_000, "EUR") == 10  # 90,000 has five digits: 10 is the thousandth part of 10,000
    assert step_of(90, "JPY") == 1
    assert step_of(9_000_000, "VND") == 1_000


def test_texts_are_drawn_from_the_same_forms_as_one_by_one():
    texts = Texts(CATALOG, "BR").draw("person", 200, np.random.default_rng(3))
    country = CATALOG.country("BR")
    assert len(texts) == 200 and len(set(texts)) > 100
    assert all(
        text.split(" ")[0] in country.given and text.split(" ")[-1] in country.family for text in texts
    )
    assert Texts(CATALOG, "BR").draw("person", 200, np.random.default_rng(3)) == texts


def test_a_history_has_the_statuses_of_what_it_tells():
    owner = to_resource(CATALOG.resource("invoice"), "billing", frozenset())
    table = derived_table(Derived(kind="history", of=("invoice",)), (owner,), 0)
    assert (table.name, table.prefix, table.tools) == ("invoice_history", "INVH", False)
    assert table.column("status").values == owner.column("status").values
    assert table.columns[-1] == Column(name="invoice_id", type="ref", required=True, ref="invoice")
