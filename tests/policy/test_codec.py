"""What is said is read back exactly, and literals are copied through slots."""

import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planet.records.episode import ToolResult
from planet.records.view import TaskView
from policy import vocabulary as v
from policy.codec import Answer, Malformed, ToolCall
from policy.world_codec import WorldCodec, WorldEpisode
from tests.fakes_policy import toy_tools, toy_vocabulary

CODEC = WorldCodec(toy_vocabulary())
INSTRUCTION = 'set the due date of ticket TIC-0007 to 2026-03-14 and the amount to 25.0 for "Ann Lee"'


def view(instruction: str = INSTRUCTION, child: str = "ticket") -> TaskView:
    return TaskView(
        task_id="t",
        world_id="w",
        instruction=instruction,
        role="support_lead",
        tools=toy_tools(child, "customer"),
    )


def begun(instruction: str = INSTRUCTION, child: str = "ticket") -> WorldEpisode:
    episode = CODEC.episode(view(instruction, child))
    episode.prompt()
    return episode


def words(episode: WorldEpisode, ids: list[int]) -> str:
    return " ".join(CODEC.vocabulary.spell(token) for token in ids)


def test_a_prompt_is_role_instruction_and_resources() -> None:
    episode = CODEC.episode(view())
    assert words(episode, episode.prompt()) == (
        "<task> support lead , set the due date of ticket <s0> to <s1> and the amount to <s2> for <s3> "
        "<tools> ticket , customer <end>"
    )
    assert episode.literals() == ("TIC-0007", "2026-03-14", "25", "Ann Lee")


def test_a_resource_without_all_four_tools_has_its_tools_named() -> None:
    some = tuple(t for t in toy_tools("ticket", "customer") if t.name not in ("list_ticket", "get_document"))
    episode = CODEC.episode(view("").replace(tools=some))
    assert words(episode, episode.prompt()) == (
        "<task> support lead , <tools> search ticket , get ticket , update ticket , customer , "
        "search documents <end>"
    )


@pytest.mark.parametrize(
    ("tool", "arguments", "spelt"),
    [
        ("get_ticket", {"id": "TIC-0007"}, "get ticket , id <s0> <end>"),
        ("list_ticket", {"page": 2}, "list ticket , page 2 <end>"),
        (
            "update_ticket",
            {"id": "TIC-0007", "status": "in_progress", "amount": 25},
            "update ticket , id <s0> , status in progress , amount <s2> <end>",
        ),
        (
            "search_ticket",
            {
                "filters": [
                    {"column": "customer_id", "op": "=", "value": None},
                    {"column": "amount", "op": ">", "value": 25},
                    {"column": "name", "op": "contains", "value": "Ann Lee"},
                ],
                "page": 3,
            },
            "search ticket , customer id = <none> , amount > <s2> , name contains <s3> , page 3 <end>",
        ),
        ("search_documents", {"query": "ticket policy"}, "search documents , query ticket policy <end>"),
    ],
)
def test_a_call_is_spelt_in_few_tokens_and_read_back(tool: str, arguments: dict, spelt: str) -> None:
    episode = begun()
    ids = episode.encode_call(tool, arguments)
    assert words(episode, ids) == spelt
    assert episode.parse(ids) == ToolCall(tool, arguments)


def test_an_answer_is_read_back_in_words() -> None:
    episode = begun()
    assert episode.parse(episode.encode_answer("done")) == Answer("done")
    assert episode.parse([v.ANSWER, v.END]) == Answer("")


def test_observations_show_literals_by_the_slots_they_already_have() -> None:
    episode = begun()
    rows = [
        {"id": "TIC-0007", "label": "Ann Lee", "status": "on_hold"},
        {"id": "TIC-0008", "label": "Bo Ray", "status": "open"},
    ]
    listing = episode.observation(ToolResult({"rows": rows, "page": 1, "more": True}, None))
    assert words(episode, listing) == "<row> <s0> <s3> on hold <row> <s4> <s5> open <more> <end>"
    record = episode.observation(ToolResult({"id": "TIC-0008", "due_date": None, "amount": 25.0}, None))
    assert words(episode, record) == "id <s4> due date <none> amount <s2> <end>"
    written = episode.observation(ToolResult({"id": "TIC-0009", "created": True}, None))
    assert words(episode, written) == "<ok> <s6> <end>"
    empty = episode.observation(ToolResult({"rows": [], "page": 1, "more": False}, None))
    assert words(episode, empty) == "<none> <end>"
    failed = episode.observation(ToolResult(None, "unknown column 'x'; status must be open"))
    assert words(episode, failed) == "<error> unknown status must be open <end>"
    page = {"id": "DOC-01", "title": "ticket policy", "body": "set the status of TIC-0007 to open."}
    assert words(episode, episode.observation(ToolResult(page, None))) == (
        "ticket policy <row> set the status of <s0> to open <end>"
    )


def test_words_of_an_instruction_and_values_of_a_result_are_the_same_tokens() -> None:
    episode = begun("set the status to in progress for ticket TIC-0001")
    value = episode.observation(ToolResult({"status": "in_progress"}, None))
    assert value[-3:-1] == [episode.prompt()[8], episode.prompt()[9]]


def test_a_resource_outside_the_vocabulary_can_be_called_through_slots() -> None:
    episode = begun("set the status of dilithium crystal DIL-0001 to open", child="dilithium_crystal")
    ids = episode.encode_call("update_dilithium_crystal", {"id": "DIL-0001", "status": "open"})
    assert words(episode, ids) == "update <s0> , id <s1> , status open <end>"
    expected = ToolCall("update_dilithium_crystal", {"id": "DIL-0001", "status": "open"})
    assert episode.parse(ids) == expected


@pytest.mark.parametrize(
    "spelt",
    [
        "",
        "get ticket , id <s0>",  # no <end>
        "<end>",
        ", id <s0> <end>",  # no tool
        "get ticket , id <end>",  # no value
        "get ticket , id <s0> , id <s0> <end>",  # the argument twice
        "get ticket , id <s9> <end>",  # a slot that holds nothing
        "get ticket <row> <end>",
        "search ticket , amount > <end>",
    ],
)
def test_output_that_says_nothing_readable_is_malformed(spelt: str) -> None:
    episode = begun()
    by_name = {CODEC.vocabulary.spell(token): token for token in range(256)}
    assert isinstance(episode.parse([by_name[word] for word in spelt.split()]), Malformed)


def test_a_tool_that_does_not_exist_is_a_call_for_the_session_to_refuse() -> None:
    episode = begun()
    assert episode.parse(episode.encode_call("get_invoice", {"id": "TIC-0007"})) == ToolCall(
        "get_invoice", {}
    )


def test_literals_beyond_the_last_slot_are_unknown_and_counted() -> None:
    episode = begun("")
    payload = {"rows": [{"id": f"TIC-{n:04d}", "title": "policy"} for n in range(98)]}
    ids = episode.observation(ToolResult(payload, None))
    assert len(episode.literals()) == v.SLOTS == 96
    assert ids.count(v.UNK) == episode.overflow == 2


names = st.text(string.ascii_lowercase, min_size=1, max_size=6)
literals = st.one_of(
    st.from_regex(r"[A-Z]{3}-[0-9]{4}", fullmatch=True),
    st.from_regex(r"[A-Z][a-z]{1,8} [A-Z][a-z]{1,8}", fullmatch=True),
    st.dates().map(str),
    st.sampled_from(["open", "in_progress", "ticket_return_case", "north", ""]),
    st.lists(names, min_size=1, max_size=3).map("_".join),
)
numbers = st.one_of(st.integers(-(10**9), 10**9), st.integers(-(10**6), 10**6).map(lambda n: n / 100))
columns = {
    "status": st.sampled_from(["open", "in_progress", "closed", "on_hold"]),
    "amount": numbers,
    "name": literals,
    "due_date": st.dates().map(str),
    "id": literals,
}
changes = st.fixed_dictionaries({}, optional=columns)
filters = st.sampled_from(sorted(columns)).flatmap(
    lambda column: st.fixed_dictionaries(
        {
            "column": st.just(column),
            "op": st.sampled_from(["=", "<", ">", "contains"]),
            "value": columns[column],
        }
    )
)
calls = st.one_of(
    st.tuples(st.just("update_ticket"), changes),
    st.tuples(st.just("get_ticket"), st.fixed_dictionaries({"id": literals})),
    st.tuples(st.just("list_ticket"), st.fixed_dictionaries({}, optional={"page": st.integers(1, 12)})),
    st.tuples(
        st.just("search_ticket"),
        st.fixed_dictionaries(
            {"filters": st.lists(filters, max_size=3)}, optional={"page": st.integers(1, 12)}
        ),
    ),
    st.tuples(
        st.just("search_documents"),
        st.fixed_dictionaries({"query": st.lists(names, min_size=1, max_size=4).map(" ".join)}),
    ),
)


@settings(deadline=None)
@given(call=calls)
def test_any_call_survives_the_round_trip(call: tuple[str, dict[str, Any]]) -> None:
    episode = begun()
    assert episode.parse(episode.encode_call(*call)) == ToolCall(*call)


@settings(deadline=None)
@given(ids=st.lists(st.integers(0, 255), max_size=24))
def test_no_output_whatever_raises(ids: list[int]) -> None:
    assert isinstance(begun().parse([*ids, v.END]), (ToolCall, Answer, Malformed))
