"""What each tool answers, and how it says what is wrong."""

from itertools import product

import pytest

from planet.world.session import Session
from planet.world.tools import tool_specs
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import CUSTOMER, ROWS, TICKET, changed, layout, toy_world

A, B = "CUS-0001", "CUS-0002"


def ids(result) -> list[str]:
    assert result.error is None
    return [row["id"] for row in result.payload["rows"]]


def filters(*conditions: tuple) -> dict:
    return {"filters": [dict(zip(("column", "op", "value"), c, strict=True)) for c in conditions]}


def many(count: int) -> Session:
    """A session on the toy world with `count` customers."""
    rows = tuple((f"CUS-{n:04d}", f"C {n}", "active", "basic", float(n), None) for n in range(1, count + 1))
    world, key = changed(seed=toy_world()[0].seed.replace(rows=ROWS | {"customer": rows}))
    session = Session(world, key)
    session.begin(toy_task(world))
    return session


def test_a_world_offers_four_tools_per_resource_and_two_for_documents():
    names = [spec.name for spec in tool_specs((CUSTOMER, TICKET.replace(tools=False)))]
    assert names == [
        "search_customer", "list_customer", "get_customer", "update_customer",
        "search_documents", "get_document",
    ]  # fmt: skip


def test_statements_are_kept_for_a_thousand_searches_and_not_for_all_that_an_agent_may_think_of(session):
    search = session.image.tools["search_customer"]
    columns = ("id", "name", "status", "tier", "credit", "join_date")
    for shape in product(columns, repeat=4):  # 6^4 = 1,296
        conditions = filters(*((column, "contains", "a") for column in shape))
        assert search(session.connection, conditions, []).ok
    kept = [cell.cell_contents for cell in search.__closure__ if hasattr(cell.cell_contents, "cache_info")]
    assert [cache.cache_info().currsize for cache in kept] == [1_024]


def test_search_and_list_show_id_label_and_status(session):
    first = {"id": A, "label": "Barra Valves", "status": "active"}
    assert session.call("list_customer", {}).payload["rows"][0] == first
    found = session.call("search_customer", filters(("id", "=", A)))
    assert found.payload == {"rows": [first], "page": 1, "more": False}


def test_a_page_holds_five_rows_and_says_whether_there_are_more():
    session = many(11)
    pages = [session.call("list_customer", {"page": n}).payload for n in (1, 2, 3, 4)]
    assert [len(p["rows"]) for p in pages] == [5, 5, 1, 0]
    assert [p["more"] for p in pages] == [True, True, False, False]
    found = session.call("search_customer", {**filters(("credit", ">", 5)), "page": 2})
    assert (ids(found), found.payload["more"]) == (["CUS-0011"], False)


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        ([("tier", "=", "gold")], [B]),
        ([("credit", ">", 500)], [B]),  # strictly
        ([("credit", ">", 499.9)], [A, B]),
        ([("credit", "<", 1200.5)], [A]),
        ([("join_date", ">", "2025-02-01")], [B]),
        ([("name", "contains", "va")], [A]),  # whatever the case
        ([("name", "contains", "%")], []),  # no wildcard
        ([("name", "contains", "_")], []),
        ([("status", "=", "active"), ("tier", "=", "basic")], [A]),
        ([("name", ">", "M")], [B]),
        ([("id", "contains", "0003")], ["CUS-0003"]),
    ],
)
def test_filters_compare_as_they_say(session, conditions, found):
    assert ids(session.call("search_customer", filters(*conditions))) == found


def test_an_underscore_is_searched_for_as_it_is():
    waiting = TICKET.replace(
        columns=tuple(
            c.replace(values=("open", "on_hold")) if c.name == "status" else c for c in TICKET.columns
        )
    )
    rows = tuple((*row[:2], "on_hold", *row[3:]) for row in ROWS["ticket"])
    world, key = changed(
        layout=layout(CUSTOMER, waiting), seed=toy_world()[0].seed.replace(rows=ROWS | {"ticket": rows})
    )
    session = Session(world, key)
    session.begin(toy_task(world))
    assert len(ids(session.call("search_ticket", filters(("status", "contains", "on_h"))))) == 3
    assert ids(session.call("search_ticket", filters(("status", "contains", "onh")))) == []


def test_get_reads_every_column_and_update_takes_it_back(session):
    record = session.call("get_ticket", {"id": "TIC-0002"}).payload
    assert record == {
        "id": "TIC-0002",
        "title": "door jams",
        "status": "solved",
        "severity": "major",
        "hours": 8,
        "urgent": True,  # SQLite keeps 1
        "customer_id": B,
    }
    assert session.call("update_ticket", record).payload == {"id": "TIC-0002", "created": False}
    assert session.call("get_ticket", {"id": "TIC-0002"}).payload == record


def test_update_changes_what_it_is_given_and_nothing_else(session):
    before = session.call("get_customer", {"id": A}).payload
    session.call("update_customer", {"id": A, "credit": 7, "tier": None})
    assert session.call("get_customer", {"id": A}).payload == {**before, "credit": 7.0, "tier": None}


def test_update_without_id_creates_a_record_with_the_next_id_and_defaults(session):
    made = session.call("update_ticket", {"customer_id": A, "urgent": False})
    assert made.payload == {"id": "TIC-0004", "created": True}
    assert session.call("get_ticket", {"id": "TIC-0004"}).payload == {
        "id": "TIC-0004",
        "title": "New ticket TIC-0004",
        "status": "open",  # the first value of its enum
        "severity": None,
        "hours": None,
        "urgent": False,
        "customer_id": A,
    }
    assert session.call("update_ticket", {"customer_id": A, "urgent": False}).payload["id"] == "TIC-0005"


def test_documents_are_found_by_their_words_the_best_first(session):
    found = session.call("search_documents", {"query": "Customer TIER"}).payload["rows"]
    assert [row["id"] for row in found] == ["DOC-01", "DOC-02", "DOC-03"]  # two words, one, one
    assert found[0] == {"id": "DOC-01", "title": "customer tier policy"}
    page = session.call("get_document", {"id": "DOC-01"}).payload
    assert page["body"].startswith("when the tier of a customer becomes vip")
    assert session.call("search_documents", {"query": "zebra"}).payload["rows"] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("get_customer", {}, "id must be text, not None"),
        ("get_customer", {"id": 7}, "id must be text, not 7"),
        ("get_customer", {"id": "CUS-0009"}, "no customer has id 'CUS-0009'"),
        ("get_customer", {"id": A, "name": "x"}, "unknown argument 'name'; arguments are id"),
        ("list_customer", {"page": 0}, "page must be a whole number from 1, not 0"),
        ("list_customer", {"page": True}, "page must be a whole number from 1, not True"),
        ("list_customer", {"pages": 1}, "unknown argument 'pages'; arguments are page"),
        ("search_customer", {}, "filters must be a list of one to eight conditions {column, op, value}"),
        (
            "search_customer",
            {"filters": [{"column": "tier"}]},
            "a filter needs column, op and value, not {'column': 'tier'}",
        ),
        (
            "search_customer",
            filters(("shoe", "=", 4)),
            "unknown column 'shoe'; columns are id, name, status, tier, credit, join_date",
        ),
        (
            "search_customer",
            filters(("tier", "like", "v")),
            "unknown op 'like'; use one of =, <, >, contains",
        ),
        (
            "search_customer",
            filters(("tier", "=", "tin")),
            "tier: must be one of basic, gold, vip, not 'tin'",
        ),
        ("search_customer", filters(("name", "contains", 7)), "contains needs printable text, not 7"),
        ("update_customer", {}, "give id to change a record, or columns to create one"),
        ("update_customer", {"id": A}, "nothing to change: give at least one column beside id"),
        (
            "update_customer",
            {"id": "CUS-0009", "tier": "vip"},
            "no customer has id 'CUS-0009'; leave id out to create a record",
        ),
        ("update_customer", {"id": A, "credit": "9"}, "credit: must be a number, not '9'"),
        ("update_customer", {"id": A, "credit": True}, "credit: must be a number, not True"),
        (
            "update_customer",
            {"id": A, "join_date": "14.3.2026"},
            "join_date: must be a date like 2026-03-14, not '14.3.2026'",
        ),
        (
            "update_customer",
            {"id": A, "join_date": "2026-02-30"},
            "join_date: must be a day of the calendar, not '2026-02-30'",
        ),
        (
            "update_customer",
            {"id": A, "join_date": "٢٠٢٦-03-14"},
            "join_date: must be a date like 2026-03-14, not '٢٠٢٦-03-14'",
        ),
        (
            "update_customer",
            {"id": A, "name": "Serra Hotels"},
            "the customer cannot be stored: UNIQUE constraint failed: customer.name",
        ),
        ("update_customer", {"id": A, "name": None}, None),
        ("update_ticket", {"id": "TIC-0001", "hours": 2.5}, "hours: must be a whole number, not 2.5"),
        ("update_ticket", {"id": "TIC-0001", "hours": 2.0}, ""),
        ("update_ticket", {"id": "TIC-0001", "urgent": 1}, "urgent: must be true or false, not 1"),
        (
            "update_ticket",
            {"id": "TIC-0001", "customer_id": "CUS-0009"},
            "customer_id: no customer has id 'CUS-0009'",
        ),
        ("update_ticket", {"severity": "minor"}, "a new ticket needs urgent, customer_id"),
        ("search_documents", {"query": " "}, "query must be words in at most 2000 characters, not ' '"),
        ("get_document", {"id": "DOC-99"}, "no document has id 'DOC-99'"),
    ],
)
def test_errors_name_the_value_and_the_remedy(session, tool, arguments, error):
    result = session.call(tool, arguments)
    if error == "":
        assert result.ok
    elif error is None:
        assert result.error.startswith("name: must be printable text")
    else:
        assert (result.error, result.payload) == (error, None)


def test_a_call_that_fails_changes_nothing(session):
    before = session.call("get_customer", {"id": A}).payload
    assert not session.call("update_customer", {"id": A, "credit": 9, "name": "Serra Hotels"}).ok
    assert session.call("get_customer", {"id": A}).payload == before
    assert session.writes == []
