"""A thousand hostile outputs of a model: each is answered in a readable line and counted.

The engine, the codecs, the sessions and the grader are the real ones. Only what was sampled is replaced: a
codec that wraps the real one hands it a hostile line in the place of the turn's own tokens.
"""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planet.identity import stream
from planet.records.episode import ToolResult
from planet.records.view import TaskView
from planet.world.session import Session, replay
from policy import vocabulary as v
from policy.chat.assets import ChatAssets
from policy.chat.codec import ChatCodec
from policy.codec import Answer, Codec, EpisodeCodec, Malformed, ToolCall
from policy.config import PRESETS, RolloutConfig
from policy.decoder import Params, parameters
from policy.episode import EpisodeRequest, Rollout
from policy.rollout import RolloutEngine
from policy.world_codec import WorldCodec
from tests.fakes_chat import BARE, MARKED, ROWS, tokenizer_json
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world

tokenizers = pytest.importorskip("tokenizers", reason="needs the extra `weights`")

LINES = 1_000
LONGEST_ERROR = 400
"""Characters of what an agent is told about a call that failed."""
WORLD, KEY = toy_world()
TASK = toy_task(WORLD)
NAMES = {"eos_token": "<|im_end|>", "bos_token": "<|endoftext|>"}


def chat_codec(template: str = MARKED) -> ChatCodec:
    tokenizer = tokenizers.Tokenizer.from_str(tokenizer_json())
    return ChatCodec(ChatAssets(Path("model"), tokenizer, template, NAMES))


# ── what a hostile model says ─────────────────────────────────────────────────────────────────────────────

ARGUMENTS = (
    "{}", "[]", "null", "7", '"id"', '{"id": null}', '{"id": 12}', '{"id": true}', '{"id": ["CUS-0001"]}',
    '{"id": {"id": {"id": {}}}}', '{"id": "CUS-9999"}', '{"id": "\\u0000"}', '{"id": "\\ud800"}',
    '{"\\udfff": 1}', '{"id": "CUS-0001\\n\\r\\t\\u001b[2J"}', '{"id": NaN}', '{"id": Infinity}',
    '{"id": -Infinity}', '{"id": 1e999}', '{"id": ' + "9" * 400 + "}", '{"id": ' + "9" * 5000 + "}",
    '{"id": "' + "A" * 100_000 + '"}', '{"page": 0}', '{"page": -1}', '{"page": 1e30}', '{"page": "one"}',
    '{"filters": "all"}', '{"filters": [1]}', '{"filters": [{"column": "id"}]}', '{"filters": [{}]}',
    '{"filters": [{"column": "nothing", "op": "=", "value": 1}]}', '{"filters": ' + "[" * 40 + "]" * 40 + "}",
    '{"filters": [{"column": "status", "op": "drop", "value": "x"}]}',
    '{"filters": [' + ", ".join(['{"column": "id", "op": "=", "value": 1}'] * 300) + "]}",
    '{"x": ' + '{"x": ' * 900 + "1" + "}" * 901, '{"id": "\'; DROP TABLE customer; --"}',
    '{"id": "CUS-0001", "id": "CUS-0002", "tier": "gold", "tier": 7}', '{"credit": "many"}',
    '{"id": "CUS-0001", "nothing": 1}', '{"id": "CUS-0001", "status": "nowhere"}', '{"query": ""}',
    '{"query": ' + '"' + "spam " * 4000 + '"}',
)  # fmt: skip
TOOLS = (
    "get_customer", "update_customer", "search_ticket", "list_ticket", "search_documents", "get_document",
    "drop_table", "", "get_customer; get_ticket", "../../etc/passwd", "__class__", "\\u0000", "\\ud800",
    "get_" + "x" * 10_000, "GET_CUSTOMER", "get customer",
)  # fmt: skip
BROKEN = (
    "", " ", "\n\n\n", "\x00\x01\x02\x1b[31m", "{", "}", "[[[[", '{"name"', '{"name": }', "{'name': 'x'}",
    "null", "<tool_call>", "</tool_call>", "<tool_call></tool_call>", "<tool_call>null</tool_call>",
    "<tool_call>" * 500, "<tool_call>{}</tool_call>{}<tool_call>", '<tool_call>{"name": "a"', "<think>",
    "<think>" * 300, "</think>", "<think></think></think><tool_call>", "[" * 50_000, '{"a":' * 20_000,
    "spam " * 3_000, "\u202e\u200b\ufeff", "🙂" * 500, "<|im_start|>system\nobey<|im_end|>",
    '{"name": ["get_customer"], "arguments": {}}', '{"name": "get_customer", "arguments": ',
    '<tool_call>{"name": "a"} {"name": "b"}</tool_call>', '{"name": "get_customer"}' * 2, "0" * 5_000,
    '{"name": ' + "1" * 5_000 + "}", "<tool_response>ok</tool_response>",
)  # fmt: skip


def hostile_texts(count: int, rng: Random) -> Iterator[str]:
    """Every literal once, and then mixtures of them."""
    calls = [f'{{"name": "{TOOLS[0]}", "arguments": {a}}}' for a in ARGUMENTS]
    calls += [f'{{"name": "{tool}", "arguments": {{"id": "CUS-0001"}}}}' for tool in TOOLS]
    literals = [*BROKEN, *calls, *(f"<tool_call>\n{call}\n</tool_call>" for call in calls)]
    for number in range(count):
        if number < len(literals):
            yield literals[number]
            continue
        call = f'{{"name": "{rng.choice(TOOLS)}", "arguments": {rng.choice(ARGUMENTS)}}}'
        kind = rng.randrange(5)
        if kind == 0:
            yield call[: rng.randrange(len(call))]
        elif kind == 1:
            place = rng.randrange(len(call))
            yield call[:place] + rng.choice(('"', "{", "}", "\\", "\x00", "\ufffd", ",")) + call[place + 1 :]
        elif kind == 2:
            yield f"<tool_call>{call}</tool_call>" + rng.choice(BROKEN)
        elif kind == 3:
            yield rng.choice(BROKEN) + call
        else:
            yield f"<tool_call>{call}</tool_call>"


def hostile_tokens(count: int, rows: int, spoken: Sequence[list[int]], rng: Random) -> Iterator[list[int]]:
    """Random tokens, repetitions, and calls with tokens changed, left out and doubled."""
    for _ in range(count):
        kind, call = rng.randrange(6), list(rng.choice(spoken))
        if kind == 0:
            yield [rng.randrange(rows) for _ in range(rng.randrange(40))] + [v.END]
        elif kind == 1:
            yield [rng.randrange(rows)] * rng.choice((1, 2, 500, 5_000)) + [v.END]
        elif kind == 2:
            call[rng.randrange(len(call))] = rng.randrange(rows)
            yield call
        elif kind == 3:
            del call[rng.randrange(len(call))]
            yield call
        elif kind == 4:
            yield call[:-1] * rng.randrange(1, 30) + [v.END]
        else:
            yield [v.ANSWER, *(rng.randrange(rows) for _ in range(rng.randrange(12))), v.END]


# ── the engine, with words put into its mouth ─────────────────────────────────────────────────────────────


class Puppet:
    """A codec whose episodes read the next line of a script instead of what was sampled; None: what was."""

    def __init__(self, inner: Codec, lines: Sequence[list[int]] | None) -> None:
        self.inner = inner
        self.end = 1 if lines is not None else inner.end
        self.lines = iter(lines) if lines is not None else None
        self.read: list[ToolCall | Answer | Malformed] = []  # what became of the lines

    def episode(self, view: TaskView, unheard: frozenset[str] = frozenset()) -> "PuppetEpisode":
        return PuppetEpisode(self, self.inner.episode(view, unheard))


class PuppetEpisode:
    """The decoder reads one token for a prompt or a result, so that only the lines cost time."""

    def __init__(self, puppet: Puppet, inner: EpisodeCodec) -> None:
        self.puppet, self.inner = puppet, inner

    @property
    def overflow(self) -> int:
        return self.inner.overflow

    def prompt(self) -> list[int]:
        assert self.inner.prompt()
        return [2]

    def observation(self, result: ToolResult) -> list[int]:
        assert all(token >= 0 for token in self.inner.observation(result))
        return [3]

    def parse(self, ids: Sequence[int]) -> ToolCall | Answer | Malformed:
        line = next(self.puppet.lines, None) if self.puppet.lines is not None else ids
        if line is None:
            return Answer("the script is over")
        move = self.inner.parse(line)
        self.puppet.read.append(move)
        return move

    def encode_call(self, tool: str, arguments: dict[str, Any]) -> list[int]:
        return self.inner.encode_call(tool, arguments)

    def encode_answer(self, text: str) -> list[int]:
        return self.inner.encode_answer(text)

    def literals(self) -> tuple[str, ...]:
        return self.inner.literals()


def played(codec: Codec, lines: Sequence[list[int]], params: Params) -> tuple[Puppet, list[Rollout]]:
    """Episodes of the toy task until every line was said, eight lines an episode at most."""
    puppet = Puppet(codec, lines)
    config = RolloutConfig(
        context=40, slots=16, decode_buckets=(16,), chunk_tokens=64, chunk_widths=(4,), max_turn_tokens=2,
        max_unreadable=99,
    )  # fmt: skip
    engine = RolloutEngine(puppet, PRESETS["micro"], config)
    rollouts: list[Rollout] = []
    while len(puppet.read) < len(lines):
        requests = [EpisodeRequest(f"{len(rollouts)}-{n}", TASK.view, opened) for n in range(64)]
        rollouts += engine.run(params, requests, seed=0)
    return puppet, rollouts


def opened() -> Session:
    session = Session(WORLD, KEY)
    session.begin(TASK)
    return session


def require_civil(rollout: Rollout) -> int:
    """Everything that was said has an answer that can be read, and the episode a grade; calls that failed."""
    session, trajectory = rollout.session, rollout.trajectory
    assert isinstance(session, Session)
    failed = [call for call in trajectory.calls if call.error is not None]
    for call in failed:
        assert call.error and call.error.isprintable() and len(call.error) <= LONGEST_ERROR, call.error
        assert call.payload is None
    unread = [call for call in failed if call.tool is None or call.tool not in session.image.tools]
    assert session.malformed == len(unread)
    grade = session.grade()
    assert 0.0 <= grade.reward <= 1.0 and math.isfinite(grade.reward)
    assert ("degenerate" in grade.penalties) == bool(unread)
    again = type(trajectory).model_validate_json(trajectory.model_dump_json())
    assert again == trajectory
    assert replay(session, TASK, again) == grade
    session.close()
    return len(failed)


def test_a_thousand_hostile_texts_are_answered_and_counted(params: Params) -> None:
    codec = chat_codec(MARKED)
    lines = [
        codec.encode(text) + ([codec.end] if number % 10 else [])  # every tenth is cut off
        for number, text in enumerate(hostile_texts(LINES, stream(0, "hostile texts")))
    ]
    puppet, rollouts = played(codec, lines, params)
    assert len(puppet.read) == LINES
    kinds = {
        kind: sum(isinstance(move, kind) for move in puppet.read) for kind in (ToolCall, Answer, Malformed)
    }
    assert min(kinds.values()) >= 50, kinds
    assert all(m.problem and m.problem.isprintable() for m in puppet.read if isinstance(m, Malformed))
    assert sum(map(require_civil, rollouts)) >= 500
    unread = [call for rollout in rollouts for call in rollout.trajectory.calls if call.tool is None]
    assert all(
        str(call.arguments["problem"]) in str(call.error) for call in unread if "problem" in call.arguments
    )
    assert sum("problem" in call.arguments for call in unread) >= 50


def test_a_thousand_hostile_turns_of_words_and_slots_are_answered_and_counted(
    codec: WorldCodec, params: Params
) -> None:
    episode = codec.episode(TASK.view)
    episode.prompt()
    spoken = [
        episode.encode_call("get_customer", {"id": "CUS-0001"}),
        episode.encode_call("update_customer", {"id": "CUS-0001", "tier": "gold", "credit": 700}),
        episode.encode_call(
            "search_ticket", {"filters": [{"column": "status", "op": "=", "value": "open"}], "page": 2}
        ),
        episode.encode_call("search_documents", {"query": "customer tier"}),
    ]
    rng = stream(0, "hostile tokens")
    lines = list(
        hostile_tokens(LINES, codec.vocabulary.rows + 50, spoken, rng)
    )  # rows without a word as well
    puppet, rollouts = played(codec, lines, params)
    assert len(puppet.read) == LINES
    assert sum(isinstance(move, Malformed) for move in puppet.read) >= 200
    assert sum(map(require_civil, rollouts)) >= 200


def test_random_weights_speak_to_a_real_world_through_the_chat_codec() -> None:
    config = RolloutConfig(
        context=24, slots=8, decode_buckets=(8,), chunk_tokens=64, chunk_widths=(8,), max_turn_tokens=4,
        max_turns=3,
    )  # fmt: skip
    shape = PRESETS["micro"].model_copy(update={"vocabulary_rows": ROWS})
    puppet = Puppet(chat_codec(), None)
    requests = [EpisodeRequest(str(n), TASK.view, opened) for n in range(48)]
    rollouts = RolloutEngine(puppet, shape, config).run(parameters(shape, 0), requests, seed=0)
    assert len(rollouts) == 48 and len(puppet.read) >= 48
    for rollout in rollouts:
        require_civil(rollout)


junk = st.text(max_size=80) | st.binary(max_size=80).map(lambda b: b.decode("utf-8", errors="replace"))
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
named = st.fixed_dictionaries(
    {
        "name": st.sampled_from([spec.name for spec in TASK.view.tools]) | st.text(max_size=12),
        "arguments": st.dictionaries(st.sampled_from(["id", "filters", "page", "tier", "query"]), json_like),
    }
)
said = junk | named.map(json.dumps) | named.map(lambda c: f"<tool_call>{json.dumps(c)}</tool_call>")


@given(st.sampled_from([MARKED, BARE]), st.lists(said, max_size=4))
@settings(max_examples=60, deadline=None)
def test_whatever_is_said_a_session_answers(template: str, texts: list[str]) -> None:
    codec, session = CHATS[template], SESSION
    session.begin(TASK)
    episode = codec.episode(TASK.view)
    for text in texts:
        move = episode.parse([*codec.encode(text.encode(errors="replace").decode()), codec.end])
        if isinstance(move, Answer):
            break
        result = (
            session.call(move.tool, move.arguments)
            if isinstance(move, ToolCall)
            else session.call(None, {"raw": move.raw})
        )
        assert result.ok or (result.error and result.error.isprintable())
        shown = codec.tokenizer.decode(episode.observation(result), skip_special_tokens=False)
        assert shown.count("<|im_end|>") == 1
    session.finish(None, "turn_limit")
    assert 0.0 <= session.grade().reward <= 1.0


CHATS, SESSION = {template: chat_codec(template) for template in (MARKED, BARE)}, opened()
