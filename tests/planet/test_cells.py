"""Cells: what a task requires, and which of its cells own which evidence."""

import pytest

from planet.cells import FACETS, cells_of, on_target, owned
from planet.records.task import Assertion, PlannedCall
from planet.tasks.draft import Draft, equal, may_write, read, write
from planet.tasks.errands import merged
from tests.planet.toy_tasks import FACETS as UPDATE
from tests.planet.toy_tasks import exists, toy_task, vip_task

PROPAGATE = UPDATE.replace(
    family="propagate",
    operations=("get_document", "search_documents", "update"),
    hops=2,
    pattern="field_follows",
    pairs=("support>crm",),
    resources=("customer", "ticket"),
    services=("crm", "support"),
    tools=("get_document", "search_documents", "update_customer", "update_ticket"),
    kinds=("equals", "invariant"),
)
KEY = vip_task(facets=PROPAGATE).key
WHOLE = {"family:propagate", "hops:2", "industry:manufacturing", "role:coordinator"} | {
    "pattern:field_follows",
    "pair:support>crm",
}


def draft(family: str, assertions: tuple[Assertion, ...], *writes: PlannedCall) -> Draft:
    """A part of a task with what its evidence is owned by."""
    return Draft(
        family=family,
        fields={},
        assertions=assertions,
        allowed=(),
        oracle=writes,
        alternative=(),
        mentions=(),
    )


def test_a_task_requires_the_cells_of_all_its_facets():
    assert cells_of(KEY) == WHOLE | {
        "operation:update", "operation:search_documents", "operation:get_document",
        "resource:customer", "resource:ticket",
        "tool:update_customer", "tool:update_ticket", "tool:search_documents", "tool:get_document",
        "service:crm", "service:support",
        "kind:equals", "kind:invariant",
    }  # fmt: skip


def test_a_task_without_a_rule_has_no_cell_for_one():
    assert not any(cell.startswith(("pattern:", "pair:")) for cell in cells_of(toy_task().key))


def test_evidence_is_owned_by_the_place_that_decides_it_and_by_the_skill_of_the_task():
    write = {"operation:update"}
    assert owned(KEY, "a1") == WHOLE | write | {
        "kind:equals", "resource:customer", "tool:update_customer", "service:crm",
    }  # fmt: skip
    assert owned(KEY, "RULE-01") == WHOLE | write | {
        "kind:invariant", "resource:ticket", "tool:update_ticket", "service:support",
    }  # fmt: skip


def test_the_rule_of_the_leading_part_is_owned_by_its_effect_whatever_errands_set():
    vip = {"tier": "vip"}
    lead = draft(
        "propagate",
        equal("customer", "CUS-0001", vip),
        write("customer", "CUS-0001", vip),
        write("invoice", "INV-0001", {"priority": "high"}),
    )
    paid = {"status": "paid"}
    setting = draft("two_hop", equal("invoice", "INV-0002", paid), write("invoice", "INV-0002", paid))
    made = {"customer_id": "CUS-0002"}
    making = draft("create", (exists("shipment", **made),), write("shipment", None, made))
    whole = merged(lead._replace(at_stake=("RULE-01",)), (setting, making))
    tables = ("customer", "invoice", "shipment")
    key = toy_task(
        assertions=whole.assertions,
        at_stake=whole.at_stake,
        oracle=whole.oracle,
        facets=PROPAGATE.replace(resources=tables, services=("crm", "billing", "shipping")),
    ).key
    owners = owned(key, "RULE-01")
    assert {"resource:invoice", "service:billing"} <= owners
    assert not {"resource:shipment", "service:shipping"} & owners


def test_unknown_evidence_is_a_key_error_that_names_it():
    with pytest.raises(KeyError, match="has no evidence a9"):
        owned(KEY, "a9")


@pytest.mark.parametrize(
    ("cell", "hit"),
    [
        ("family:propagate", True),
        ("family:update", False),
        ("pattern:field_follows", True),
        ("hops:2", True),
        ("resource:ticket", True),
        ("tool:update_ticket", True),
        ("tool:search_documents", False),  # no write
        ("service:support", True),
        ("service:billing", False),
        ("operation:update", True),
        ("operation:search", False),
        ("kind:invariant", True),
        ("kind:exists", False),
        ("role:coordinator", True),
        ("industry:energy", False),
    ],
)
def test_a_task_is_on_target_when_it_writes_and_is_judged_there(cell, hit):
    assert on_target(KEY, cell) == hit


def test_a_table_that_is_only_read_is_no_target():
    key = toy_task(
        oracle=(read("get_ticket", id="TIC-0001"), write("customer", "CUS-0001", {"tier": "gold"})),
        assertions=equal("customer", "CUS-0001", {"tier": "gold"}),
        allowed=(may_write("customer", "CUS-0001", ("tier",)),),
        facets=PROPAGATE,
    ).key
    assert not on_target(key, "resource:ticket")


def test_every_owner_is_a_cell_that_the_task_requires(every_task):
    for _, task in every_task:
        required = cells_of(task.key)
        assert {cell.split(":")[0] for cell in required} <= set(FACETS)
        for name in [a.id for a in task.key.assertions] + list(task.key.at_stake):
            assert owned(task.key, name) <= required
