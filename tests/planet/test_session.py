"""Episodes: they begin equal, count every call, never raise, and replay to the same grade."""

import pytest

from planet.errors import GraderError, SessionError
from planet.records.episode import Trajectory
from planet.records.task import Edit
from planet.world.session import AFTER_ANSWER, UNREADABLE, Session, replay
from tests.fakes import noisy, oracle, play
from tests.planet.toy_tasks import edit, toy_task, vip_task
from tests.planet.worlds import changed, toy_world

B = "CUS-0002"


def state(session: Session) -> list[tuple]:
    return [
        tuple(session.connection.execute(f'SELECT * FROM "{table}" ORDER BY "id"'))
        for table in ("customer", "ticket", "documents")
    ]


def opened(task, **options) -> Session:
    session = Session(*toy_world(), **options)
    session.begin(task)
    return session


# ── beginning ─────────────────────────────────────────────────────────────────────────────────────


def test_an_episode_leaves_nothing_behind_for_the_next(session, toy):
    before = state(session)
    play(session, toy.key.oracle)
    assert state(session) != before
    session.begin(toy)
    assert state(session) == before
    assert (session.steps, session.calls, session.writes, session.malformed) == (0, [], [], 0)


def test_two_sessions_of_one_world_do_not_see_each_other(toy):
    one, two = opened(toy), opened(toy)
    before = state(two)
    play(one, toy.key.oracle)
    assert state(two) == before


def test_the_delta_is_applied_in_order():
    delta = (
        Edit(op="insert", table="customer", key="CUS-0010", values={"name": "Nova", "status": "active"}),
        edit("customer", "CUS-0010", tier="gold"),
        edit("ticket", "TIC-0001", customer_id="CUS-0010"),
        Edit(op="delete", table="customer", key="CUS-0001"),
    )
    session = opened(toy_task(delta=delta))
    assert session.call("get_customer", {"id": "CUS-0001"}).error == "no customer has id 'CUS-0001'"
    assert session.call("get_customer", {"id": "CUS-0010"}).payload == {
        "id": "CUS-0010",
        "name": "Nova",
        "status": "active",
        "tier": "gold",
        "credit": None,
        "join_date": None,
    }


def test_a_delta_that_fails_leaves_no_task_begun(session):
    with pytest.raises(SessionError, match="does not apply: customer has no row CUS-0009"):
        session.begin(toy_task(delta=(edit("customer", "CUS-0009", tier="gold"),)))
    with pytest.raises(SessionError, match="no task has begun"):
        session.call("list_customer", {})


def test_a_task_of_another_world_is_refused(session):
    other = changed(slice=("customer",))[0]
    with pytest.raises(SessionError, match=f"belongs to world {other.id}, not"):
        session.begin(toy_task(other))


def test_a_key_of_another_world_is_refused():
    with pytest.raises(SessionError, match="load both from one folder"):
        Session(toy_world()[0], changed(slice=("customer",))[1])


def test_a_changed_task_that_kept_its_id_is_begun_as_changed(session, toy):
    other = toy.key.replace(delta=(edit("customer", B, tier="basic"),))
    session.begin(toy.model_copy(update={"key": other}))
    assert session.call("get_customer", {"id": B}).payload["tier"] == "basic"
    session.begin(toy)
    assert session.call("get_customer", {"id": B}).payload["tier"] == "gold"


def test_a_changed_task_that_another_session_begins_does_not_change_the_floor_of_this_one(session, toy):
    session.begin(toy)
    floor = session.grade().floor
    other = Session(*toy_world())
    first, second = toy.key.assertions
    easier = (first.replace(kind="differs"), second)  # the first holds before anything is done
    other.begin(toy.model_copy(update={"key": toy.key.replace(assertions=easier)}))
    assert (floor, session.grade().floor, other.grade().floor) == (0.0, 0.0, 0.5)
    other.close()


# ── calls ─────────────────────────────────────────────────────────────────────────────────────────


def test_every_call_is_counted_and_the_limit_is_told():
    session = opened(toy_task(), turns=3)
    assert session.turns_left == 3
    session.call("list_customer", {})
    session.call(None, {"raw": "list customer"})
    session.call("drop_customer", {})
    assert (session.steps, session.malformed, session.turns_left) == (3, 2, 0)
    assert session.call("list_customer", {}).error == "no turns left: the limit is 3 calls"
    assert session.steps == 3  # what is not executed is not charged


def test_only_tools_of_the_task_can_be_called():
    world, key = changed(slice=("customer",))
    session = Session(world, key)
    session.begin(toy_task(world))
    assert session.call("list_customer", {}).ok
    assert session.call("list_ticket", {}).error == "unknown tool 'list_ticket'"


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        (None, {"raw": "hm"}, UNREADABLE),
        ("drop_customer", {}, "unknown tool 'drop_customer'"),
        ("list_customer", ["page"], f"{UNREADABLE}: name and arguments wanted"),
        (7, {}, f"{UNREADABLE}: name and arguments wanted"),
        ("get_customer", {"id": float("nan")}, f"{UNREADABLE}: nan is no number of JSON"),
        ("get_customer", {"id": "\ud800"}, f"{UNREADABLE}: text with half a surrogate pair"),
        ("get_customer", {"id": 10**5000}, f"{UNREADABLE}: a number of 16610 bits"),
        ("get_customer", {7: "x"}, f"{UNREADABLE}: the name 7"),
        ("get_customer", {"id": {"a", "b"}}, f"{UNREADABLE}: a set"),
    ],
)
def test_what_is_no_call_is_malformed_and_answered(session, tool, arguments, error):
    assert session.call(tool, arguments).error == error
    assert (session.steps, session.malformed) == (1, 1)


def test_a_call_that_a_tool_refuses_is_not_malformed(session):
    assert session.call("get_customer", {"id": "CUS-0009"}).error == "no customer has id 'CUS-0009'"
    assert (session.steps, session.malformed) == (1, 0)


def test_nothing_is_executed_after_the_answer(session, toy):
    session.finish("done", "answer")
    before = state(session)
    assert session.call(toy.key.oracle[0].tool, toy.key.oracle[0].arguments).error == AFTER_ANSWER
    assert state(session) == before
    assert (session.steps, session.after_answer) == (0, 1)


def test_a_call_after_a_limit_is_no_call_after_the_answer(session):
    session.finish(None, "turn_limit")
    session.call("list_customer", {})
    assert session.grade().penalties == {}


# ── trajectories ──────────────────────────────────────────────────────────────────────────────────


def test_a_trajectory_holds_calls_results_and_answer(session, toy):
    trajectory = play(session, toy.key.oracle, answer="it is done")
    assert trajectory.task_id == toy.id
    assert [(c.tool, c.payload, c.error) for c in trajectory.calls] == [
        ("update_customer", {"id": "CUS-0001", "created": False}, None)
    ]
    assert (trajectory.answer, trajectory.ended) == ("it is done", "answer")


def test_an_answer_of_half_a_surrogate_pair_can_be_written_down(session):
    assert session.finish("caf\ud800", "answer").answer == "caf?"


ODD_CALLS = (
    (None, {"raw": "\ud800 list"}),
    ("list_customer", "page 1"),
    ("update_customer", {"id": B, "credit": float("inf")}),
    ("update_customer", {"id": B, "credit": 10**400}),
    ("search_customer", {"filters": [[[[[[]]]]]]}),
    ("search_documents", {"query": "tier \x00"}),
    ("zap", {"ü": None}),
    ("update_customer", {"id": B, "credit": 25}),
)


def test_every_episode_replays_from_its_json_to_the_same_grade(every_task, toy):
    for made, task in every_task[::4]:
        session = Session(made.world, made.key, turns=8)
        session.begin(task)
        trajectory = noisy(session, task, 0.4, seed=2)
        again = Trajectory.model_validate_json(trajectory.model_dump_json())
        assert replay(Session(made.world, made.key, turns=8), task, again) == session.grade()
    session = opened(toy)
    for tool, arguments in ODD_CALLS:
        session.call(tool, arguments)
    trajectory = session.finish(None, "turn_limit")
    again = Trajectory.model_validate_json(trajectory.model_dump_json())
    assert again == trajectory
    assert replay(Session(*toy_world()), toy, again) == session.grade()


def test_acting_after_the_answer_is_replayed_too(session, toy):
    play(session, toy.key.oracle)
    session.call("list_customer", {})
    again = Trajectory.model_validate_json(session.trajectory.model_dump_json())
    grade = replay(Session(*toy_world()), toy, again)
    assert grade == session.grade()
    assert grade.penalties == {"after_answer": 0.5}


def test_there_is_no_trajectory_before_the_end(session):
    with pytest.raises(SessionError, match="has not ended; call finish first"):
        _ = session.trajectory


def test_a_trajectory_whose_results_were_changed_is_refused(toy):
    session = opened(toy)
    session.call("get_customer", {"id": B})
    trajectory = oracle(session, toy)
    look = trajectory.calls[0].replace(payload={**trajectory.calls[0].payload, "tier": "vip"})
    tampered = trajectory.replace(calls=(look, *trajectory.calls[1:]))
    with pytest.raises(GraderError, match=r"differs at turn 0 \(get_customer\): recorded .*'tier': 'vip'"):
        replay(session, toy, tampered)
    invented = trajectory.calls[1].replace(error="no customer has id 'CUS-0001'", payload=None)
    with pytest.raises(GraderError, match="differs at turn 1"):
        replay(session, toy, trajectory.replace(calls=(trajectory.calls[0], invented)))


def test_a_trajectory_longer_than_the_turn_limit_is_refused(toy):
    trajectory = oracle(opened(toy), toy)
    with pytest.raises(GraderError, match="differs at turn 1"):
        replay(opened(toy, turns=1), toy, trajectory.replace(calls=trajectory.calls * 2))


def test_a_trajectory_of_another_task_is_refused(session, toy):
    trajectory = oracle(session, toy)
    with pytest.raises(GraderError, match=f"the trajectory is of task {toy.id}"):
        replay(session, vip_task(), trajectory)
