"""A model's messages become calls, answers, and errors that it can read; nothing it says raises."""

import json

import pytest

from loop.learning.api.conversation import LONGEST_THOUGHT, functions, opening
from loop.learning.api.reading import LONGEST_RAW, read
from planet.errors import TurnedDown
from planet.identity import stream
from planet.language_model.answer import LONGEST_ANSWER
from tests.loop.api_policies import episode, said, toy_wanted
from tests.loop.api_replies import said_so_far

GET = ("get_customer", '{"id": "CUS-0001"}')
GOLD = ("update_customer", '{"id": "CUS-0001", "tier": "gold", "credit": 700}')


def in_turn(*answers):
    """A line that says one answer after the other, the last again and again."""
    return lambda request: answers[min(said_so_far(request), len(answers) - 1)]


def messages_of(*answers, turns=8):
    """(rollout, messages of the last request) of the toy task when the model says these answers."""
    seen = []

    def line(request):
        seen.append(request)
        return in_turn(*answers)(request)

    return episode(line, turns), seen[-1]["messages"]


def test_the_model_is_told_role_rules_and_task_and_gets_the_tools_of_the_view():
    view = toy_wanted()[0].task.view
    rules, task = opening(view, 8)
    assert "You are the coordinator of a company" in rules["content"] and "8 tool calls" in rules["content"]
    assert task == {"role": "user", "content": view.instruction}
    named = [f["function"]["name"] for f in functions(view)]
    assert named == [tool.name for tool in view.tools] and "update_customer" in named
    assert functions(view)[0]["function"]["parameters"] == view.tools[0].parameters


def test_calls_are_executed_and_the_answer_ends_a_solved_episode():
    found, messages = messages_of(said(GET), said(GOLD), said(text="The tier is gold."))
    assert found.session.grade().all_pass
    assert [call.tool for call in found.trajectory.calls] == ["get_customer", "update_customer"]
    assert (found.trajectory.ended, found.trajectory.answer) == ("answer", "The tier is gold.")
    assert found.cost.calls == 3 and found.cost.tokens_in == 300  # three messages of 100 tokens
    assert int(found.tokens.sampled.sum()) == 60  # of 20 each
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert json.loads(messages[3]["content"])["tier"] == "basic"


def test_calls_of_one_message_are_executed_in_order_and_answered_one_by_one():
    found, messages = messages_of(said(GOLD, GET, text="both at once"), said(text="done"))
    assert [call.tool for call in found.trajectory.calls] == ["update_customer", "get_customer"]
    assert messages[2]["content"] == "both at once"
    assert [c["id"] for c in messages[2]["tool_calls"]] == ["call_0_0", "call_0_1"]
    assert [m["tool_call_id"] for m in messages[3:]] == ["call_0_0", "call_0_1"]
    assert json.loads(messages[4]["content"])["tier"] == "gold"  # the get came after the update


def test_calls_beyond_the_limit_of_turns_are_not_executed():
    found = episode(in_turn(said(*[GET] * 30)), turns=4)
    assert len(found.trajectory.calls) == 4 and found.trajectory.ended == "turn_limit"
    assert found.session.steps == 4


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("get_customer", '{"id": "CUS-00', "the arguments are no JSON"),
        ("get_customer", "[1]", "the arguments are a list; give one JSON object"),
        ("get_customer", "[" * 100_000, "the arguments are no JSON"),
        (
            "get_customer",
            '{"id": "' + "x" * LONGEST_ANSWER + '"}',
            "the arguments are over 200,000 characters",
        ),
        ("", "{}", "the call names no tool"),
    ],
    ids=["cut off", "a list", "deep", "huge", "no name"],
)
def test_a_call_that_cannot_be_read_is_counted_and_answered_with_what_is_wrong(name, arguments, told):
    found, messages = messages_of(said((name, arguments)), said(GOLD), said(text="done"))
    assert found.trajectory.calls[0].tool is None and told in found.trajectory.calls[0].error
    assert len(found.trajectory.calls[0].arguments["raw"]) <= LONGEST_RAW
    assert found.session.malformed == 1 and found.unreadable == 1
    assert told in json.loads(messages[3]["content"])["error"]
    shown = messages[2]["tool_calls"][0]["function"]
    assert shown == {"name": name or "unreadable", "arguments": "{}"}  # endpoints take no broken ones back
    assert found.session.grade().all_pass  # it read the error and went on


def test_unknown_tools_and_bad_arguments_are_errors_of_the_tool():
    found, messages = messages_of(
        said(("fly to the moon!", "{}")), said(("get_customer", "{}")), said(text="x")
    )
    first, second = found.trajectory.calls
    assert first.error == "unknown tool 'fly to the moon!'" and "id" in second.error
    assert messages[2]["tool_calls"][0]["function"]["name"] == "unreadable"
    assert json.loads(messages[5]["content"]) == {"error": second.error}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (said(), "the message is empty"),
        (said(finish="no choices"), "the message is empty"),
        (said(text="I would now go and", finish="length"), "cut off at its limit of tokens"),
    ],
    ids=["empty", "no choices", "cut off"],
)
def test_a_message_without_call_and_answer_is_told_so_and_two_of_them_end_the_episode(answer, told):
    found, messages = messages_of(answer, said(GOLD), said(text="done"))
    assert messages[3]["role"] == "user" and told in messages[3]["content"]
    assert found.session.grade().all_pass and found.unreadable == 1
    lost = episode(in_turn(answer))
    assert lost.trajectory.ended == "unreadable" and len(lost.trajectory.calls) == 2
    assert not lost.session.grade().all_pass


@pytest.mark.parametrize(
    "answer", [said(refusal="I cannot help with this."), said(text="no", finish="content_filter")]
)
def test_a_refusal_ends_the_episode_as_an_answer_and_is_counted(answer):
    found = episode(in_turn(answer))
    assert found.refused and found.trajectory.ended == "answer"
    assert found.trajectory.answer == answer.refusal or found.trajectory.answer == answer.text
    assert not found.session.grade().all_pass


@pytest.mark.parametrize(("too_long", "ended"), [(True, "token_limit"), (False, "unreadable")])
def test_a_request_that_the_endpoint_declines_later_on_is_a_failure_of_the_policy(too_long, ended):
    def line(request):
        if said_so_far(request):
            raise TurnedDown("the endpoint turns the request down: no", too_long=too_long)
        return said(GET)

    found = episode(line)
    assert found.trajectory.ended == ended and "turns the request down" in found.turned_down
    assert len(found.trajectory.calls) == 1


def test_long_thoughts_are_cut_before_they_are_shown_again():
    _, messages = messages_of(said(GET, text="hm " * 10_000), said(text="done"))
    assert len(messages[2]["content"]) == LONGEST_THOUGHT


def test_a_thousand_hostile_messages_neither_raise_nor_solve_anything():
    """Bad JSON, unknown tools, huge arguments, control characters, repetition: all become data."""
    names = ["get_customer", "update_customer", "", "x" * 5_000, "drop table", "\x00\x1b", "é😀", "finish"]
    texts = ["", "{}", "null", "{", '{"id": 1e999}', '{"id": NaN}', '{"id": {"a": []}}', '{"\\ud800": 1}',
             '{"id": "\\u0000"}', "\x00", '{"id":' * 50, '{"filters": [' + '"x",' * 500 + '"x"]}',
             '{"id": ' + "9" * 5_000 + "}", "'; DROP TABLE customer; --"]  # fmt: skip
    rng = stream(0, "hostile")
    count = 0
    for number in range(125):

        def line(request, number=number):
            nonlocal count
            count += 8
            calls = [(rng.choice(names), rng.choice(texts)) for _ in range(8)]
            return said(*calls, text=rng.choice(["", "\x07" * 50, "no no no " * 99]))

        found = episode(line, turns=9)
        grade = found.session.grade()
        assert not grade.all_pass and grade.reward == 0
        assert all(call.error for call in found.trajectory.calls if call.tool is None)
        assert json.loads(found.trajectory.model_dump_json())["ended"] in ("turn_limit", "unreadable")
    assert count >= 1_000


def test_a_move_has_calls_or_an_answer():
    assert (
        read(said(GET, text="thinking", refusal="no")).answer is None
    )  # calls count, whatever stands beside
    assert read(said(text="done")).calls == ()
    assert read(said(("list_customer", ""))).calls[0].arguments == {}  # no arguments at all are none
