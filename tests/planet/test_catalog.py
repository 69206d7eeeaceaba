"""The catalog that is shipped keeps its promises, and overlays add to it."""

import re
import sqlite3
from collections import Counter
from itertools import combinations
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from planet.catalog import Catalog, CatalogResource, Phrases, draw_text, load_catalog, to_resource
from planet.errors import CatalogError
from planet.identity import stream
from planet.world.tools import tool_specs
from tests.planet.overlays import BANKING, ELBONIA, LAB, changed, lab, overlaid, sample

CATALOG = load_catalog(profile="library")
CORE = load_catalog()
RESOURCES = list(CATALOG.resources.values())
COUNTRIES = CATALOG.countries


def columns_of(resource: CatalogResource) -> set[tuple[str, str, tuple[str, ...]]]:
    """Columns that are no keys, as name, type and values."""
    return {(c.name, c.type, c.values) for c in resource.columns if c.type != "ref"}


# ── what is shipped ─────────────────────────────────────────────────────────────────────────────


def test_the_catalog_has_its_full_size():
    assert (len(CATALOG.services), len(CATALOG.industries), len(CATALOG.countries)) == (30, 14, 50)
    assert Counter(resource.tools for resource in RESOURCES) == {True: 210, False: 12}


def test_there_are_842_distinct_tools():
    tables = tuple(to_resource(r, r.service, frozenset(CATALOG.resources)) for r in RESOURCES)
    assert len({tool.name for tool in tool_specs(tables)}) == 842  # 4 x 210, and two for documents


def test_there_are_at_least_2287_distinct_descriptions_of_industries():
    descriptions = [text for i in CATALOG.industries for text in i.descriptions.every()]
    further = [text for i in CATALOG.industries for text in i.sub_industries()]
    assert len(descriptions) == 14 * 12 * 13
    assert len(set(further)) == len(further) == 14 * (12 * 13 + 10 * 10 * 4)


def test_the_core_is_what_it_was_before_there_was_more():
    # compact worlds, and all that a policy learned from them, follow from this digest
    assert CORE.digest == "a97cd53bdef6c3c2"
    assert CORE is CATALOG.of("compact") and CATALOG is CATALOG.of("library")


def test_a_kind_of_service_has_three_to_eight_resources_with_tools():
    for kind in CATALOG.services:
        assert 3 <= sum(resource.tools for resource in kind.resources) <= 8, kind.kind


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.name)
def test_a_resource_has_columns_of_its_own_domain(resource: CatalogResource):
    own = [c for c in resource.columns if c.type != "ref"]
    types = Counter(c.type for c in own)
    assert len(own) >= 6
    assert types["date"] >= 1
    assert types["int"] + types["amount"] >= 1
    assert all(c.unit for c in own if c.type in ("int", "amount"))
    assert any(c.type == "enum" and c.name != resource.status and len(c.values) >= 3 for c in own)
    assert any(c.type == "text" and c.name != resource.label for c in own)
    assert all(3 <= len(c.values) <= 5 for c in own if c.type == "enum")
    assert len(resource.refs) <= 3


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.name)
def test_a_new_record_needs_no_more_than_what_a_default_gives(resource: CatalogResource):
    for c in resource.columns:
        if c.required and resource.tools:
            assert c.default is not None or c.name == resource.status


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.name)
def test_an_enum_value_of_a_resource_tells_its_column(resource: CatalogResource):
    values = [value for c in resource.columns for value in c.values]
    assert len(values) == len(set(values))
    assert not set(values) & {c.name for c in resource.columns}


def test_no_two_resources_share_more_than_half_of_their_columns():
    for one, other in combinations(RESOURCES, 2):
        mine, theirs = columns_of(one), columns_of(other)
        assert 2 * len(mine & theirs) <= min(len(mine), len(theirs)), (one.name, other.name)


def test_every_resource_refers_to_one_or_is_referred_to_by_two():
    times = Counter(link.target for link in CATALOG.links)
    for resource in RESOURCES:
        assert resource.refs or times[resource.name] >= 2, resource.name


def test_references_can_be_ordered():
    rank: dict[str, int] = {}
    while len(rank) < len(RESOURCES):
        ready = [r.name for r in RESOURCES if r.name not in rank and all(c.ref in rank for c in r.refs)]
        assert ready, "the references go in a circle"
        rank |= dict.fromkeys(ready, len(rank))
    assert all(rank[link.target] < rank[link.source] for link in CATALOG.links)


def test_a_reference_is_named_after_its_target():
    assert all(link.column == f"{link.target}_id" for link in CATALOG.links)


def test_every_resource_with_tools_is_linked_into_two_other_services():
    kind = {resource.name: resource.service for resource in RESOURCES}
    near: dict[str, set[str]] = {resource.name: set() for resource in RESOURCES}
    for link in CATALOG.links:
        near[link.source].add(kind[link.target])
        near[link.target].add(kind[link.source])
    for resource in RESOURCES:
        assert len(near[resource.name] - {resource.service}) >= 2 or not resource.tools, resource.name


def test_every_name_can_stand_in_sql_without_quotes():
    database = sqlite3.connect(":memory:")
    for resource in RESOURCES:
        names = ", ".join(["id", *(c.name for c in resource.columns)])
        database.execute(f"CREATE TABLE {resource.name} ({names})")
        assert database.execute(f"SELECT {names} FROM {resource.name}").fetchall() == []
    database.close()


def linked(catalog: Catalog) -> set[frozenset[str]]:
    """Pairs of services with a reference between them."""
    kind = {resource.name: resource.service for resource in catalog.resources.values()}
    pairs = {frozenset((kind[link.source], kind[link.target])) for link in catalog.links}
    return {pair for pair in pairs if len(pair) == 2}


def test_most_pairs_of_services_of_the_core_are_linked_by_a_reference():
    assert len(linked(CORE)) >= 0.75 * len(CORE.services) * (len(CORE.services) - 1) / 2


def test_every_service_is_linked_to_four_others():
    times = Counter(kind for pair in linked(CATALOG) for kind in pair)
    assert all(times[service.kind] >= 4 for service in CATALOG.services), times


def test_at_least_two_thirds_of_the_references_cross_services():
    kind = {resource.name: resource.service for resource in RESOURCES}
    crossing = sum(kind[link.source] != kind[link.target] for link in CATALOG.links)
    assert 3 * crossing >= 2 * len(CATALOG.links)


def test_the_words_are_sorted_distinct_and_few_in_the_core():
    words = CORE.words()
    assert list(words) == sorted(set(words))
    assert len(words) <= 450
    assert set(words) < set(CATALOG.words())
    assert {"sales", "order", "id", "vip", "due", "date", "on", "track"} <= set(words)
    assert not any("_" in word for word in words)


@pytest.mark.parametrize("industry", CATALOG.industries, ids=lambda industry: industry.name)
def test_an_industry_has_a_profile_and_many_descriptions(industry):
    descriptions = list(industry.descriptions.every())
    assert len(industry.services) >= 6
    assert len(descriptions) == len(set(descriptions)) == industry.descriptions.count() >= 144  # 12 x 12
    assert all(text[0].isupper() and text.endswith(".") and "{" not in text for text in descriptions)


@pytest.mark.parametrize("country", COUNTRIES, ids=lambda country: country.code)
def test_a_country_has_formats_and_names(country):
    for names in (country.given, country.family, country.cities):
        assert len(names) == len(set(names)) >= 12
    assert country.locale.endswith(f"_{country.code}")
    assert [str(ZoneInfo(zone)) for zone in country.time_zones] == list(country.time_zones)


@pytest.mark.parametrize("country", COUNTRIES, ids=lambda country: country.code)
def test_a_pool_gives_title_case_texts_by_the_hundred(country):
    for name, pool in CATALOG.pools.items():
        drawn = {CATALOG.draw_text(name, country.code, stream("pool", i)) for i in range(50)}
        assert all(
            word[0].isupper() or word[0].isdigit() for text in drawn for word in re.split(r"[ -]", text)
        ) or (
            pool.slots() & {"city", "family", "given"}  # "Rio de Janeiro": names keep their small words
        )
        assert pool.count(country.parts) >= (12 if name == "city" else 1_000)


def test_every_pool_but_the_names_of_a_country_is_used_or_general():
    used = {c.pool for resource in RESOURCES for c in resource.columns if c.pool}
    assert set(CATALOG.pools) - used <= {"street"}


# ── what is made of it ──────────────────────────────────────────────────────────────────────────


def test_a_table_begins_with_its_id_and_keeps_references_to_present_tables_only():
    table = to_resource(CATALOG.resource("invoice"), "Billing Desk", frozenset({"invoice", "customer"}))
    assert table.service == "Billing Desk"
    assert [c.name for c in table.columns] == [
        *("id", "title", "status", "priority", "amount", "due_date", "payer", "customer_id"),
    ]
    assert (table.columns[0].type, table.columns[0].required, table.columns[0].unique) == ("id", True, True)
    assert (table.label, table.status, table.prefix, table.tools) == ("title", "status", "INV", True)


def test_draws_depend_on_the_stream_alone():
    first = [CATALOG.draw_text("person", "BR", stream(7, "names", i)) for i in range(20)]
    assert first == [CATALOG.draw_text("person", "BR", stream(7, "names", i)) for i in range(20)]
    assert len(set(first)) > 10


def test_a_pool_takes_people_and_places_from_the_country():
    pool = Phrases(forms=("{given} {family} of {city}",))
    country = CATALOG.country("JP")
    given, family, _, city = draw_text(pool, country, stream(1)).split(" ")
    assert given in country.given and family in country.family and city in country.cities


def test_phrases_list_every_combination_in_order():
    phrases = Phrases(forms=("{a} {b}", "{b}"), parts={"a": ("x", "y"), "b": ("1", "2")})
    assert list(phrases.every()) == ["x 1", "x 2", "y 1", "y 2", "1", "2"]
    assert phrases.count() == 2 * 2 + 2


def test_a_look_up_names_the_nearest_entry():
    with pytest.raises(
        CatalogError, match=r"^the catalog has no resource 'invoise'; did you mean 'invoice'\?$"
    ):
        CORE.resource("invoise")
    with pytest.raises(CatalogError, match=r"no kind of service 'crn'; did you mean 'crm'\?$"):
        CORE.service("crn")
    with pytest.raises(CatalogError, match=r"no industry 'retial'; did you mean 'retail'\?$"):
        CORE.industry("retial")
    with pytest.raises(
        CatalogError, match=r"no country code 'Brazil'; valid are AR, AU, BR, .* and 12 more$"
    ):
        CORE.country("Brazil")
    with pytest.raises(CatalogError, match=r"no text pool 'persons'; did you mean 'person'\?$"):
        CORE.draw_text("persons", "BR", stream(1))


# ── overlays ────────────────────────────────────────────────────────────────────────────────────


def test_an_overlay_adds_entries(tmp_path: Path):
    files = {"services/lab.yaml": LAB, "countries.yaml": [ELBONIA], "industries.yaml": [BANKING]}
    catalog = overlaid(tmp_path, files | {"pools.yaml": {"planet": {"forms": ["Mars"]}}})
    assert catalog.resource("sample").service == "lab"
    assert catalog.country("XE").adjective == "Elbonian"
    assert catalog.draw_text("planet", "XE", stream(1)) == "Mars"
    assert len(catalog.services) == len(CORE.services) + 1
    assert len(catalog.countries) == len(CORE.countries) + 1
    assert len(catalog.industries) == len(CORE.industries) + 1
    assert {"sample", "mass", "tested"} <= set(catalog.words())


def test_an_overlay_replaces_entries_of_the_same_key(tmp_path: Path):
    catalog = overlaid(tmp_path, {"countries.yaml": [changed(ELBONIA, code="BR")]})
    assert catalog.country("BR").name == "Elbonia"
    assert len(catalog.countries) == len(CORE.countries)
    assert catalog.country("AR") == CORE.country("AR")


def test_the_digest_tells_catalogs_apart_and_the_shipped_one_is_read_once(tmp_path: Path):
    catalog = overlaid(tmp_path, lab())
    assert catalog.digest != CORE.digest
    assert catalog.digest == load_catalog(tmp_path).digest
    assert load_catalog() is CORE


def test_columns_may_be_unique_and_of_every_type(tmp_path: Path):
    more = [
        {"name": "code", "type": "text", "pool": "system", "unique": True},
        {"name": "urgent", "type": "bool", "default": False},
        {"name": "test_date", "type": "date", "default": "2026-01-31"},
        {"name": "price", "type": "amount", "unit": "currency", "low": 0.5, "high": 2.5, "default": 1},
    ]
    columns = LAB["resources"][0]["columns"]
    catalog = overlaid(tmp_path, sample(columns=[*columns, *more], tools=False))
    assert catalog.resource("sample").columns[4].unique
    assert not catalog.resource("sample").tools


def test_the_overlay_in_the_documentation_loads(tmp_path: Path):
    page = (Path(__file__).parents[2] / "docs" / "catalog.md").read_text()
    blocks = re.findall(r"```yaml\n# (\S+)\n(.*?)```", page, re.DOTALL)
    catalog = overlaid(tmp_path, dict(blocks))
    assert [name for name, _ in blocks] == [
        *("services/laundry.yaml", "industries.yaml", "pools.yaml", "countries.yaml"),
    ]
    assert catalog.industry("textile_care").descriptions.count() == 3 * 3
    assert catalog.country("LU").aliases == ("Grand Duchy",)


def test_the_documentation_counts_what_is_shipped():
    page = (Path(__file__).parents[2] / "docs" / "catalog.md").read_text()
    tools = [sum(r.tools for r in catalog.resources.values()) for catalog in (CATALOG, CORE)]
    pairs = len(CATALOG.services) * (len(CATALOG.services) - 1) // 2
    descriptions = [sum(len(i.sub_industries()) for i in c.industries) for c in (CATALOG, CORE)]
    for told in (
        f"{len(CATALOG.services)} kinds, {len(RESOURCES)} resources, {tools[0]} of them with tools "
        f"| {len(CORE.services)} kinds, {len(CORE.resources)} resources, {tools[1]} of them with tools |",
        f"| {len(CATALOG.industries)}, with {descriptions[0]:,} descriptions "
        f"| {len(CORE.industries)}, with {descriptions[1]:,} descriptions |",
        f"| {len(COUNTRIES)} | {len(CORE.countries)} |",
        f"| {len(CATALOG.pools)} | {len(CORE.pools)} |",
        f"use {len(CATALOG.words()):,} distinct words, those of the core {len(CORE.words())}",
        f"{len(linked(CATALOG))} of the {pairs} pairs",
    ):
        assert told in page
