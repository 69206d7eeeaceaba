"""Episodes in progress as JSON values, and back: what a stopped run goes on from.

Only tokens are kept. A cache is not, because renewed parameters read every episode anew anyway; nor is a
session, because the calls of an episode follow from its tokens and are executed again on a fresh one. What a
session answers then must be, token by token, what the policy was shown before.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np

from policy.codec import Answer
from policy.episode import EpisodeRequest, Rollout, Row, TokenTrace
from policy.errors import PolicyError
from policy.rollout import Playing, executed

State = dict[str, Any]
_TOKENS = ("ids", "sampled", "logp", "version")
_TURN = ("said", "waiting", "served", "turns", "unreadable", "truncated")


def stored(playing: Playing) -> State:
    """Everything but requests, parameters and cache; JSON values."""
    return {
        "submitted": playing.submitted,
        "decodings": playing.decodings,
        "queue": [number for number, _ in playing.queue],
        "rows": [None if row is None else _row(row) for row in playing.rows],
    }


def take_up(playing: Playing, state: State, requests: Mapping[int, EpisodeRequest]) -> None:
    """Bring episodes that nobody plays yet to a stored state; `requests` by their numbers.

    Raises PolicyError when a session answers otherwise than it did.
    """
    playing.submitted, playing.decodings = state["submitted"], state["decodings"]
    playing.queue.extend((number, requests[number]) for number in state["queue"])
    for slot, row in enumerate(state["rows"]):
        if row is not None:
            playing.rows[slot] = _again(playing, row, requests[row["index"]])


def numbers(state: State) -> list[int]:
    """Numbers of the requests that a stored state holds."""
    return sorted([*state["queue"], *(row["index"] for row in state["rows"] if row is not None)])


def trace_of(state: State) -> TokenTrace:
    """A token trace from its JSON values."""
    kinds = (np.int32, bool, np.float32, np.int32)
    return TokenTrace(*(np.asarray(state[name], kind) for name, kind in zip(_TOKENS, kinds, strict=True)))


def stored_trace(rollout: Rollout) -> State:
    """The token trace of a finished episode as JSON values; single-precision numbers survive."""
    return {name: getattr(rollout.tokens, name).tolist() for name in _TOKENS}


def _row(row: Row) -> State:
    return {"index": row.index, **{name: getattr(row, name) for name in (*_TOKENS, *_TURN)}}


def _again(playing: Playing, state: State, request: EpisodeRequest) -> Row:
    """An episode as it was, its calls executed again."""
    row = playing.opened(state["index"], request)
    first, *turns = _segments(state["ids"], state["sampled"])
    _require_same(request, row.prompt, first[1])
    for (_, said), (_, shown) in zip(turns[::2], turns[1::2], strict=False):  # the last turn may be open
        move = row.codec.parse(said)
        assert not isinstance(move, Answer), "an answer ends an episode"
        _require_same(request, row.codec.observation(executed(row.session, move)), shown)
    for name in (*_TOKENS, *_TURN):
        setattr(row, name, state[name])
    return row


def _segments(ids: list[int], sampled: list[bool]) -> Iterator[tuple[bool, list[int]]]:
    """What was shown and what was said, in turn."""
    for said, group in groupby(zip(ids, sampled, strict=True), key=lambda token: token[1]):
        yield said, [token for token, _ in group]


def _require_same(request: EpisodeRequest, now: Any, then: list[int]) -> None:
    if list(now) != then:
        raise PolicyError(
            f"episode {request.name} cannot be taken up: its world shows {len(now)} tokens where it showed "
            f"{len(then)} others; the files of the run were changed, so start anew"
        )
