"""Blame: one minimal case per failure mode, shared blame, and what clears a suspect."""

from typing import get_args

import pytest

from analysis.weakness import PlannedProbe, ProbeCall, ProbeEpisode, ProbeEvidence
from analysis.weakness.attribution import Blame, Mode, blame

PLANNED = PlannedProbe(tool="update_invoice", arguments={"id": "INV-1", "status": "paid"}, required=True)
READ = PlannedProbe(tool="search_invoice", arguments={}, required=False, cells=("operation:search",))
CELLS = (
    "family:update",
    "operation:search",
    "resource:invoice",
    "resource:ticket",
    "tool:search_invoice",
    "tool:update_invoice",
    "tool:update_ticket",
)


def call(tool="update_invoice", error=None, **arguments):
    return ProbeCall(tool=tool, arguments=arguments, error=error)


def evidence(satisfied=False, kind="equals", table="invoice", column="status", cells=None):
    owners = ("family:update", f"resource:{table}") if cells is None else cells
    return ProbeEvidence(
        name=f"A-{table}", kind=kind, table=table, column=column, satisfied=satisfied, cells=owners
    )


FAILED = (evidence(),)


def episode(calls=(), items=FAILED, planned=(PLANNED,), ended="answer", all_pass=False, writers=None):
    return ProbeEpisode(
        episode_id="e",
        task_id="t",
        world_id="w",
        cells=CELLS,
        evidence=items,
        calls=calls,
        planned=planned,
        writers=writers or {"invoice": ("update_invoice",), "ticket": ("update_ticket",)},
        all_pass=all_pass,
        raw_reward=0.0,
        ended=ended,
    )


CASES = {
    "omitted": episode(calls=(call("search_invoice"),)),
    "turn_limit": episode(calls=(call("search_invoice"),), ended="turn_limit"),
    "tool_error": episode(calls=(call(error="no such column", id="INV-1"),)),
    "wrong_target": episode(calls=(call(id="INV-2", status="paid"),)),
    "wrong_value": episode(calls=(call(id="INV-1", status="open"),)),
    "invariant_broken": episode(
        calls=(call(id="INV-1", status="paid"),), items=(evidence(kind="invariant"),)
    ),
}


@pytest.mark.parametrize("mode", get_args(Mode))
def test_each_mode_has_a_case_that_shows_it_alone(mode):
    blamed = blame(CASES[mode])
    assert set(blamed) == {"family:update", "resource:invoice", "tool:update_invoice"}
    assert {part.mode for part in blamed.values()} == {mode}


def test_a_passed_episode_blames_nobody():
    assert blame(episode(items=(evidence(satisfied=True),), all_pass=True)) == {}


def test_only_cells_that_own_the_failed_assertion_are_blamed():
    both = (evidence(satisfied=True), evidence(table="ticket"))
    blamed = blame(episode(calls=(call(id="INV-1", status="paid"),), items=both))
    assert set(blamed) == {"family:update", "resource:ticket", "tool:update_ticket"}


def test_a_cell_that_the_task_does_not_require_is_never_blamed():
    assert "tool:update_order" not in blame(episode(writers={"invoice": ("update_order",)}))


def test_collateral_alone_blames_nobody():
    done = (call(id="INV-1", status="paid"),)
    assert blame(episode(calls=done, items=(evidence(satisfied=True),))) == {}


def test_two_writers_of_a_column_share_the_blame():
    writers = {"invoice": ("update_invoice", "update_ticket")}
    blamed = blame(episode(writers=writers, planned=()))
    assert blamed["tool:update_invoice"] == Blame(0.5, "omitted")
    assert blamed["tool:update_ticket"] == Blame(0.5, "omitted")
    assert blamed["family:update"].share == 1.0


def test_a_column_with_its_own_writers_overrules_its_table():
    writers = {"invoice": ("update_invoice",), "invoice.status": ("update_ticket",)}
    assert set(blame(episode(writers=writers, planned=()))) == {
        "family:update",
        "resource:invoice",
        "tool:update_ticket",
    }


def test_the_trace_clears_a_writer_whose_required_call_was_made():
    writers = {"invoice": ("update_invoice", "update_ticket")}
    other = PlannedProbe(tool="update_ticket", arguments={"id": "TIC-1"}, required=True)
    made = (call("update_ticket", id="TIC-1"),)
    blamed = blame(episode(calls=made, writers=writers, planned=(PLANNED, other)))
    assert blamed["tool:update_invoice"].share == 1.0
    assert "tool:update_ticket" not in blamed


def test_a_required_call_is_met_by_another_plan_that_satisfies_its_table():
    two_writes = (call(id="INV-1"), call(id="INV-1", status="paid", note="x"))
    items = (evidence(satisfied=True), evidence(table="ticket"))
    assert "tool:update_invoice" not in blame(episode(calls=two_writes, items=items))


def test_a_missing_required_call_is_blamed_though_no_assertion_shows_it():
    blamed = blame(episode(items=(evidence(satisfied=False, table="order", cells=("family:update",)),)))
    assert blamed["tool:update_invoice"] == Blame(1.0, "omitted")


def test_a_read_that_failed_every_time_is_blamed_and_one_that_succeeded_is_not():
    failed = call("search_invoice", error="no such column")
    blamed = blame(episode(calls=(failed,), planned=(PLANNED, READ)))
    assert blamed["tool:search_invoice"] == blamed["operation:search"] == Blame(1.0, "tool_error")
    assert "tool:search_invoice" not in blame(
        episode(calls=(failed, call("search_invoice")), planned=(PLANNED, READ))
    )


def test_a_record_to_be_created_is_a_target_of_its_own():
    create = PlannedProbe(tool="update_invoice", arguments={"status": "paid"}, required=True)
    wrong_value = episode(calls=(call(status="open"),), planned=(create,))
    wrong_target = episode(calls=(call(id="INV-3", status="paid"),), planned=(create,))
    assert blame(wrong_value)["tool:update_invoice"].mode == "wrong_value"
    assert blame(wrong_target)["tool:update_invoice"].mode == "wrong_target"


def test_25_and_25_0_are_the_same_argument():
    planned = PlannedProbe(tool="update_invoice", arguments={"id": "INV-1", "amount": 25}, required=True)
    items = (evidence(table="ticket"),)
    made = (call(id="INV-1", amount=25.0),)
    assert "tool:update_invoice" not in blame(episode(calls=made, items=items, planned=(planned,)))


def test_evidence_without_owners_is_owned_by_every_cell_but_other_tools():
    blamed = blame(episode(items=(evidence(cells=()),), planned=()))
    assert {cell for cell in blamed if cell.startswith("tool:")} == {"tool:update_invoice"}
    assert blamed["family:update"].share == 1.0
    assert blamed["resource:invoice"].share == blamed["resource:ticket"].share == 0.5
