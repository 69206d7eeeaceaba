"""What a final state earns: assertions, rules at stake, the floor, collateral, penalties."""

import pytest

from planet.errors import GraderError
from planet.records.task import Assertion, PlannedCall, Task
from planet.tasks.draft import equal, may_write, read, write
from planet.world.session import Session
from tests.fakes import blind, noisy, oracle, play
from tests.planet.toy_tasks import GOLD, edit, exists, toy_task, vip_task
from tests.planet.worlds import changed, toy_world, with_cell

A, B = "CUS-0001", "CUS-0002"


def graded(task: Task, *plan: PlannedCall, world=None, **options):
    session = Session(*(world or toy_world()), **options)
    session.begin(task)
    for call in plan:
        session.call(call.tool, call.arguments)
    return session.grade()


def assertion(kind: str, where: dict, column: str | None = None, value=None) -> Assertion:
    return Assertion(id="a1", kind=kind, table="customer", where=where, column=column, value=value)


# ── assertions ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "where", "column", "value", "satisfied"),
    [
        ("exists", {"tier": "gold"}, None, None, True),
        ("exists", {"tier": "gold", "status": "closed"}, None, None, False),
        ("exists", {"credit": None}, None, None, True),  # an empty cell is looked for as one
        ("exists", {"status": "active"}, None, None, True),  # two rows are rows
        ("equals", {"id": B}, "tier", "gold", True),
        ("equals", {"id": B}, "tier", "Gold", False),  # text is compared exactly
        ("equals", {"id": B}, "tier", "vip", False),
        ("equals", {"id": "CUS-0009"}, "tier", "gold", False),  # no row
        ("equals", {"status": "active"}, "status", "active", False),  # two rows
        ("equals", {"id": "CUS-0003"}, "credit", None, True),
        ("equals", {"id": A}, "credit", 500, True),  # 500.0 is stored
        ("equals", {"id": A}, "credit", "500.0", False),  # text is no number
        ("differs", {"id": B}, "tier", "vip", True),
        ("differs", {"id": B}, "tier", "gold", False),
        ("differs", {"id": "CUS-0009"}, "tier", "gold", False),  # no row differs from nothing
        ("differs", {"status": "active"}, "tier", "vip", False),  # two rows
    ],
)
def test_an_assertion_holds_when_its_row_says_so(kind, where, column, value, satisfied):
    wanted = toy_task(
        assertions=(assertion(kind, where, column, value), *equal("customer", A, GOLD, first=2))
    )
    evidence = graded(wanted).evidence[0]
    assert (evidence.name, evidence.kind, evidence.satisfied) == ("a1", kind, satisfied)
    assert evidence.violated_at_start == (not satisfied)


def test_an_assertion_that_cannot_be_checked_stops_the_grader():
    task = toy_task(assertions=equal("invoice", "INV-0001", {"status": "paid"}))
    with pytest.raises(GraderError, match="assertion a1 on invoice could not be checked: no such table"):
        graded(task)


def test_an_unknown_column_is_no_text_to_compare_with():
    # SQLite alone takes "shoe" for the text 'shoe' when there is no such column
    task = toy_task(assertions=(assertion("equals", {"id": A}, "shoe", "shoe"),))
    with pytest.raises(GraderError, match="no such column"):
        graded(task)


def test_a_task_that_is_satisfied_before_anything_is_done_has_no_grade():
    task = toy_task(assertions=(assertion("equals", {"id": A}, "tier", "basic"),))
    with pytest.raises(GraderError, match="its audit must refuse it"):
        graded(task)


def test_a_task_without_evidence_has_no_grade():
    with pytest.raises(GraderError, match="neither assertions nor invariants at stake"):
        graded(toy_task(assertions=()))


# ── score, floor, reward ──────────────────────────────────────────────────────────────────────────

# three pieces of evidence, of which the last holds before anything is done: the floor is 1/3
KEPT = (
    *equal("customer", A, GOLD),
    Assertion(id="a3", kind="differs", table="customer", where={"id": B}, column="tier", value="vip"),
)
HALF = write("customer", A, {"tier": "gold"})
WHOLE = write("customer", A, GOLD)


@pytest.mark.parametrize(
    ("plan", "score", "reward", "share", "passed"),
    [
        ((), 1 / 3, 0.0, 1 / 3, False),
        ((HALF,), 2 / 3, 0.5, 2 / 3, False),  # (2/3 - 1/3) / (1 - 1/3)
        ((WHOLE,), 1.0, 1.0, 1.0, True),
        ((HALF, write("customer", A, {"tier": "basic"})), 1 / 3, 0.0, 1 / 3, False),
    ],
)
def test_reward_counts_what_was_gained_above_doing_nothing(plan, score, reward, share, passed):
    task = toy_task(assertions=KEPT)
    normalised, plain = graded(task, *plan), graded(task, *plan, reward="share")
    assert normalised.floor == plain.floor == pytest.approx(1 / 3)
    assert normalised.score == pytest.approx(score)
    assert normalised.reward == normalised.raw_reward == pytest.approx(reward)
    assert plain.reward == pytest.approx(share)
    assert normalised.all_pass == plain.all_pass == passed


def test_a_loss_below_the_floor_earns_nothing_and_not_less():
    # a vip CUS-0002 breaks a3: 0 of 3 is below the floor of 1 of 3
    grade = graded(toy_task(assertions=KEPT), write("customer", B, {"tier": "vip"}))
    assert (grade.score, grade.reward) == (0.0, 0.0)


def test_a_rule_at_stake_is_evidence_like_an_assertion():
    task = vip_task()
    nothing, half, whole = (graded(task, *task.key.oracle[:n]) for n in (2, 3, 4))
    names = [(e.name, e.kind, e.table, e.column) for e in whole.evidence]
    assert names == [
        ("a1", "equals", "customer", "tier"),
        ("RULE-01", "invariant", "ticket", "severity"),
    ]
    # tier not yet vip: the rule holds. Tier vip, ticket minor: it is broken, and at stake, so no collateral
    assert [nothing.score, half.score, whole.score] == [0.5, 0.5, 1.0]
    assert [nothing.reward, half.reward, whole.reward] == [0.0, 0.0, 1.0]
    assert half.collateral == ()


@pytest.mark.parametrize("value", [700, 700.0])
def test_700_and_700_0_earn_the_same(value):
    assert graded(toy_task(), write("customer", A, {**GOLD, "credit": value})).reward == 1.0
    assert graded(toy_task(assertions=equal("customer", A, {**GOLD, "credit": value})), WHOLE).reward == 1.0


def test_the_order_of_rows_changes_no_grade():
    task = vip_task()
    rows = {name: tuple(reversed(rows)) for name, rows in toy_world()[0].seed.rows.items()}
    other = changed(seed=toy_world()[0].seed.replace(rows=rows))
    moved = vip_task(other[0])
    for plan in (task.key.oracle, task.key.alternative, task.key.oracle[:3], (HALF,)):
        one, two = graded(task, *plan), graded(moved, *plan, world=other)
        assert one.replace(task_id="") == two.replace(task_id="")


# ── collateral ────────────────────────────────────────────────────────────────────────────────────

TICKET = {"customer_id": B, "severity": "major", "urgent": False}


@pytest.mark.parametrize(
    ("extra", "collateral"),
    [
        (write("customer", A, {"join_date": "2026-01-01"}), "customer CUS-0001.join_date"),
        (write("customer", B, {"credit": 1.0}), "customer CUS-0002.credit"),
        (write("ticket", None, TICKET), "ticket TIC-0004 created"),
        (write("ticket", "TIC-0003", {"severity": "minor"}), "ticket TIC-0003.severity"),
    ],
)
def test_a_change_outside_the_allowed_writes_voids_all_pass_and_halves_the_reward(extra, collateral):
    grade = graded(toy_task(), WHOLE, extra)
    assert collateral in grade.collateral
    assert (grade.score, grade.raw_reward, grade.reward, grade.all_pass) == (1.0, 0.5, 0.5, False)


def test_each_stray_cell_is_named_once_and_they_halve_the_reward_once():
    strays = [write("customer", B, {"credit": float(n), "tier": "basic"}) for n in (1, 2)]
    grade = graded(toy_task(), WHOLE, *strays)
    assert grade.collateral == ("customer CUS-0002.credit", "customer CUS-0002.tier")
    assert grade.reward == 0.5


def test_another_rule_newly_broken_is_collateral_also_by_allowed_writes():
    # TIC-0003 belongs to a vip: minor breaks RULE-01, which is not at stake here
    task = toy_task(allowed=(*toy_task().key.allowed, may_write("ticket", "TIC-0003", ("severity",))))
    grade = graded(task, WHOLE, write("ticket", "TIC-0003", {"severity": "minor"}))
    assert grade.collateral == ("RULE-01",)
    assert (grade.reward, grade.all_pass) == (0.5, False)


def test_a_rule_that_was_broken_at_the_start_is_no_fault_of_the_agent():
    task = toy_task(delta=(edit("ticket", "TIC-0003", severity="minor"),))
    grade = graded(task, WHOLE)
    assert (grade.collateral, grade.all_pass) == ((), True)


def test_a_change_taken_back_is_no_collateral():
    grade = graded(
        toy_task(), write("customer", B, {"credit": 1}), write("customer", B, {"credit": 1200.5}), WHOLE
    )
    assert (grade.collateral, grade.reward, grade.all_pass) == ((), 1.0, True)


def test_what_the_delta_set_is_the_start_from_which_change_is_measured():
    task = toy_task(delta=(edit("customer", B, credit=9.0),))
    assert graded(task, WHOLE, write("customer", B, {"credit": 9})).collateral == ()
    assert graded(task, WHOLE, write("customer", B, {"credit": 1200.5})).collateral == (
        "customer CUS-0002.credit",
    )


def test_one_creation_is_allowed_where_one_is_and_the_next_is_stray():
    task = toy_task(allowed=(*toy_task().key.allowed, may_write("ticket", None)))
    create = write("ticket", None, TICKET)
    fix = write("ticket", "TIC-0004", {"hours": 3})  # to a record of one's own
    assert graded(task, WHOLE, create, fix).all_pass
    assert graded(task, WHOLE, create, create).collateral == ("ticket TIC-0005 created",)


def test_a_written_row_that_is_gone_is_collateral_though_no_rule_can_miss_it():
    session = Session(*toy_world())
    session.begin(vip_task())
    for call in vip_task().key.oracle:
        session.call(call.tool, call.arguments)
    assert session.grade().all_pass
    session.connection.execute("DELETE FROM ticket WHERE id = 'TIC-0001'")  # no tool can do that
    assert (session.grade().score, session.grade().collateral) == (1.0, ("ticket TIC-0001 gone",))


# ── penalties ─────────────────────────────────────────────────────────────────────────────────────


def penalised(*calls: tuple, late: int = 0) -> tuple[dict, float, bool]:
    session = Session(*toy_world())
    session.begin(toy_task())
    session.call(WHOLE.tool, WHOLE.arguments)
    for tool, arguments in calls:
        session.call(tool, arguments)
    session.finish("done", "answer")
    for _ in range(late):
        session.call("list_customer", {})
    grade = session.grade()
    return grade.penalties, grade.reward, grade.all_pass


@pytest.mark.parametrize(
    ("calls", "factor"),
    [
        ([(None, {"raw": "update customer"})], 0.9),
        ([(None, {"raw": "x"})] * 2, 0.81),  # 0.9²
        ([("drop_customer", {})], 0.9),  # no tool of this name
        ([("list_customer", "page 2")], 0.9),  # no arguments
        ([("get_customer", {"id": float("nan")})], 0.9),  # no JSON
        ([(None, {"raw": "x"})] * 9, 0.5),  # 0.9⁹ is 0.39; a counted penalty goes no lower than 0.5
    ],
)
def test_degenerate_output_costs_a_tenth_each_time(calls, factor):
    penalties, reward, passed = penalised(*calls)
    assert penalties == {"degenerate": pytest.approx(factor)}
    assert (reward, passed) == (pytest.approx(factor), True)


@pytest.mark.parametrize(("times", "factor"), [(2, None), (3, 0.9), (4, 0.81), (10, 0.5)])
def test_a_call_made_a_third_time_with_the_same_result_is_repetition(times, factor):
    penalties, reward, passed = penalised(*[("get_customer", {"id": B})] * times)
    assert penalties == ({} if factor is None else {"repetition": pytest.approx(factor)})
    assert (reward, passed) == (pytest.approx(factor or 1.0), True)


def test_calls_that_differ_in_arguments_or_result_are_no_repetition():
    pages = [("list_customer", {"page": n}) for n in (1, 2, 3)]
    assert penalised(*pages)[0] == {}
    looks = [("get_customer", {"id": B}), ("get_customer", {"id": B})]
    touch = [("update_customer", {"id": B, "credit": 1}), ("get_customer", {"id": B})]
    assert penalised(*looks, *touch)[0] == {}  # the third look sees something else


@pytest.mark.parametrize("late", [1, 5])
def test_acting_after_the_answer_halves_the_reward_once(late):
    assert penalised(late=late) == ({"after_answer": 0.5}, 0.5, True)


def test_penalties_multiply():
    calls = [(None, {"raw": "x"}), *[("get_customer", {"id": B})] * 3]
    penalties, reward, _ = penalised(*calls, late=1)
    assert penalties == {"degenerate": 0.9, "repetition": 0.9, "after_answer": 0.5}
    assert reward == pytest.approx(0.405)  # 0.9 × 0.9 × 0.5


def test_penalties_leave_the_raw_reward_alone():
    grade = graded(toy_task(assertions=KEPT), HALF, PlannedCall(tool="none", arguments={}, required=False))
    assert (grade.raw_reward, grade.reward) == (0.5, pytest.approx(0.45))


# ── known policies ────────────────────────────────────────────────────────────────────────────────


def test_the_oracle_earns_all_and_a_blind_policy_nothing_on_every_task(every_task):
    sessions = {made.world.id: Session(made.world, made.key, turns=8) for made, _ in every_task}
    for made, task in every_task:
        session = sessions[made.world.id]
        session.begin(task)
        oracle(session, task)
        assert (session.grade().reward, session.grade().all_pass) == (1.0, True)
        session.begin(task)
        blind(session, task)
        assert (session.grade().reward, session.grade().all_pass) == (0.0, False)


def test_the_noisier_the_policy_the_lower_its_mean_reward(every_task):
    sessions = {made.world.id: Session(made.world, made.key, turns=8) for made, _ in every_task}
    means = []
    for noise in (0.0, 0.3, 0.9):
        rewards = []
        for made, task in every_task:
            session = sessions[made.world.id]
            session.begin(task)
            noisy(session, task, noise, seed=1)
            rewards.append(session.grade().reward)
        means.append(sum(rewards) / len(rewards))
    assert means[0] == 1.0
    assert means[0] > means[1] > means[2]


def test_grading_twice_gives_the_same_grade(session, toy):
    play(session, toy.key.oracle)
    assert session.grade() == session.grade()


def test_a_read_changes_no_grade():
    reads = (read("list_customer"), read("get_ticket", id="TIC-0001"), read("search_documents", query="tier"))
    assert graded(toy_task(), *reads, WHOLE, *reads) == graded(toy_task(), WHOLE)


def test_the_seed_decides_what_holds_at_the_start():
    world = changed(seed=with_cell("customer", 0, "tier", "gold"))
    grade = graded(
        toy_task(world[0], assertions=(exists("customer", tier="gold", id=A), *KEPT[1:])), world=world
    )
    assert [e.violated_at_start for e in grade.evidence] == [False, True, False]
