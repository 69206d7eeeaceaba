"""Demonstrations: an oracle's calls with the results they had, written in tokens."""

import re
from typing import Any, NamedTuple

import numpy as np

from planet.records.episode import Call, ToolResult
from planet.records.view import TaskView
from policy.codec import Codec, ToolCall
from policy.errors import DemonstrationError
from policy.packing import Example


class Demonstration(NamedTuple):
    """One solved task."""

    view: TaskView
    calls: tuple[Call, ...]
    answer: str


def written(codec: Codec, demonstration: Demonstration, unheard: frozenset[str] = frozenset()) -> Example:
    """A demonstration as tokens, with a loss on calls and answer alone; `unheard` words are shown as slots.

    Raises DemonstrationError when a call cannot be read back as it was, e.g. because it uses a literal that
    the episode has not shown: a policy could never say it.
    """
    episode = codec.episode(demonstration.view, unheard)
    ids = list(episode.prompt())
    sampled = [False] * len(ids)

    def add(tokens: list[int], spoken: bool) -> None:
        ids.extend(tokens)
        sampled.extend([spoken] * len(tokens))

    for call in demonstration.calls:
        known = len(episode.literals())
        tokens = episode.encode_call(call.tool or "", dict(call.arguments))
        _require_sayable(demonstration.view, call, episode.literals()[known:])
        _require_faithful(demonstration.view, call, episode.parse(tokens))
        add(tokens, True)
        add(episode.observation(ToolResult(call.payload, call.error)), False)
    known = len(episode.literals())
    tokens = episode.encode_answer(demonstration.answer)
    _require_sayable(demonstration.view, None, episode.literals()[known:])
    add(tokens, True)
    return Example(
        ids=np.asarray(ids, np.int32),
        sampled=np.asarray(sampled, bool),
        logp=np.zeros(len(ids), np.float32),
        advantage=1.0,
        weight=1.0,
    )


def _require_sayable(view: TaskView, call: Call | None, new: tuple[str, ...]) -> None:
    if new:
        what = call.tool if call else "the answer"
        raise DemonstrationError(
            f"task {view.task_id}: {what} uses {new[0]!r}, which neither instruction nor result has shown; "
            f"let the oracle read it first, or add its words to the vocabulary"
        )


def _require_faithful(view: TaskView, call: Call, read: Any) -> None:
    same = isinstance(read, ToolCall) and read.tool == call.tool
    if not same or _plain(read.arguments) != _plain(call.arguments):
        raise DemonstrationError(f"task {view.task_id}: {call.tool} {call.arguments} is read back as {read}")


def _plain(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments with the words of a query alone: a search for pages looks at nothing else."""
    if not isinstance(arguments.get("query"), str):
        return arguments
    return arguments | {"query": re.findall(r"[a-z0-9]+", arguments["query"].lower())}
