"""`RolloutEngine`: many episodes side by side, from requests to token traces.

Turn by turn: free slots take new requests, the cache reads what the episodes have been shown, every row
samples one turn, and the tools run. Every array has one of a few fixed shapes, so nothing compiles in steady
state. An episode of a group reads its prompt once: rows with equal prompts are copied.
"""

import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from planet.records.episode import Ended, ToolResult, Trajectory
from planet.records.view import TaskView
from policy import generation
from policy.codec import Answer, Codec, EpisodeCodec, Malformed
from policy.config import DecoderConfig, RolloutConfig
from policy.decoder import Params
from policy.memory import keep_freed_memory


class ToolSession(Protocol):
    """An episode of a world, as a policy sees it. `turns_left` is the number of calls it still answers."""

    @property
    def turns_left(self) -> int: ...

    def call(self, tool: str | None, arguments: dict[str, Any]) -> ToolResult:
        """Execute a call; `tool` None is output that could not be read. Never raises."""

    def finish(self, answer: str | None, ended: Ended) -> Trajectory:
        """End the episode."""


class EpisodeRequest(NamedTuple):
    """One episode to play."""

    name: str  # unique within a run of the engine; the randomness of the episode follows from it
    view: TaskView
    open: Callable[[], ToolSession]  # called when the episode gets a slot
    unheard: frozenset[str] = frozenset()  # names that are shown as if the vocabulary lacked them


class TokenTrace(NamedTuple):
    """τ as tokens: everything the policy read and said. All arrays are [t]."""

    ids: np.ndarray  # int32
    sampled: np.ndarray  # bool: the policy chose this token
    logp: np.ndarray  # float32 log-probability under the sampler at its temperature; 0 where not sampled
    version: np.ndarray  # int32 version of the parameters that sampled or read the token


class Rollout(NamedTuple):
    """A finished episode. Its session stays open for grading."""

    request_name: str
    trajectory: Trajectory
    session: ToolSession
    tokens: TokenTrace
    truncated: bool  # a turn reached its token limit without <end>, or the episode its context
    overflow: int  # literals that found no free slot


@dataclass
class _Row:
    """An episode that is being played."""

    index: int  # of its request
    request: EpisodeRequest
    session: ToolSession
    codec: EpisodeCodec
    ids: list[int] = field(default_factory=list)
    sampled: list[bool] = field(default_factory=list)
    logp: list[float] = field(default_factory=list)
    cached: int = 0  # tokens that the cache has read
    turns: int = 0
    unreadable: int = 0  # turns that were neither call nor answer
    truncated: bool = False

    def show(self, ids: Iterable[int]) -> None:
        """Append tokens that the policy is given."""
        before = len(self.ids)
        self.ids.extend(ids)
        self.sampled.extend([False] * (len(self.ids) - before))
        self.logp.extend([0.0] * (len(self.ids) - before))

    def say(self, ids: list[int], logp: list[float]) -> None:
        """Append tokens that the policy has sampled."""
        self.ids.extend(ids)
        self.sampled.extend([True] * len(ids))
        self.logp.extend(logp)


class RolloutEngine:
    """Plays episodes with a decoder. `compilations` counts the programs compiled since it was made."""

    def __init__(self, codec: Codec, decoder_config: DecoderConfig, rollout_config: RolloutConfig) -> None:
        keep_freed_memory()
        self.codec = codec
        self.decoder = decoder_config
        self.config = rollout_config
        self._compiled_before = _programs()

    @property
    def compilations(self) -> int:
        """Programs compiled since this engine was made; constant in steady state."""
        return _programs() - self._compiled_before

    def run(
        self,
        params: Params,
        requests: Sequence[EpisodeRequest],
        *,
        seed: int,
        version: int = 0,
        temperature: float | None = None,
    ) -> list[Rollout]:
        """Play every request and return the rollouts in their order.

        `seed` names the run, `version` the parameters; `temperature` None is the configured one. What is
        sampled for a request depends on the parameters, the seed and the request alone, not on the others
        beside it.
        """
        heat = self.config.temperature if temperature is None else temperature
        batch = _Batch(self, params, seed, heat)
        done: list[Rollout | None] = [None] * len(requests)
        queue = deque(enumerate(requests))
        while queue or any(batch.rows):
            batch.admit(queue)
            batch.read()
            for index, rollout in batch.play(version):
                done[index] = rollout
        return [rollout for rollout in done if rollout is not None]


class _Batch:
    """The slots of one run of the engine."""

    def __init__(self, engine: RolloutEngine, params: Params, seed: int, temperature: float) -> None:
        self.codec, self.decoder, self.config = engine.codec, engine.decoder, engine.config
        self.params = params
        self.seed = jnp.uint32(seed & 0xFFFFFFFF)
        self.temperature = jnp.float32(temperature)
        self.rows: list[_Row | None] = [None] * self.config.slots
        self.cache = generation.empty_cache(self.decoder, self.config.slots, self.config.context)

    def admit(self, queue: deque[tuple[int, EpisodeRequest]]) -> None:
        """Give free slots to waiting requests; equal prompts are read once and copied."""
        leaders: dict[tuple[int, ...], int] = {}
        source = np.arange(self.config.slots)
        for slot, row in enumerate(self.rows):
            if row is not None or not queue:
                continue
            index, request = queue.popleft()
            row = _Row(index, request, request.open(), self.codec.episode(request.view, request.unheard))
            row.show(row.codec.prompt())
            self.rows[slot] = row
            source[slot] = leaders.setdefault(tuple(row.ids), slot)
        if not leaders:
            return
        self._read([slot for slot in leaders.values() if self._fits(self.rows[slot])])
        if (source != np.arange(self.config.slots)).any():
            self.cache = generation.copy(self.cache, jnp.asarray(source))
            for row, leader in zip(self.rows, source, strict=True):
                first = self.rows[leader]
                if row is not None and first is not None:
                    row.cached = first.cached

    def read(self) -> None:
        """Let the cache read what the episodes have been shown."""
        self._read([slot for slot, row in enumerate(self.rows) if row is not None and self._fits(row)])

    def _read(self, slots: list[int]) -> None:
        widest = self.config.chunk_widths[-1]
        while True:
            waiting = [(len(row.ids) - row.cached, slot) for slot in slots if (row := self.rows[slot])]
            waiting = sorted(pair for pair in waiting if pair[0] > 0)
            if not waiting:
                return
            for start in range(0, len(waiting), self.config.chunk_rows):
                part = waiting[start : start + self.config.chunk_rows]
                width = next((w for w in self.config.chunk_widths if w >= part[-1][0]), widest)
                self._read_chunk([slot for _, slot in part], width)

    def _read_chunk(self, slots: list[int], width: int) -> None:
        size = self.config.chunk_rows
        ids, counts, lengths = (
            np.zeros((size, width), np.int32),
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
        )
        for place, slot in enumerate(slots):
            row = self.rows[slot]
            assert row is not None
            chunk = row.ids[row.cached : row.cached + width]
            ids[place, : len(chunk)], counts[place], lengths[place] = chunk, len(chunk), row.cached
            row.cached += len(chunk)
        rows = np.full(size, self.config.slots, np.int32)
        rows[: len(slots)] = slots
        self.cache = generation.read(self.decoder, self.params, self.cache, rows, ids, counts, lengths)

    def _fits(self, row: _Row | None, more: int = 0) -> bool:
        """There is room for `more` tokens and one turn after them."""
        return row is not None and len(row.ids) + more + self.config.max_turn_tokens <= self.config.context

    def play(self, version: int) -> list[tuple[int, Rollout]]:
        """One turn of every episode; the episodes that end with it, with the index of their request."""
        active = [slot for slot, row in enumerate(self.rows) if self._fits(row)]
        turns = self._sample(active) if active else {}
        ended = []
        for slot, row in enumerate(self.rows):
            if row is None:
                continue
            trajectory = self._act(row, *turns[slot]) if slot in turns else self._overrun(row)
            if trajectory is not None:
                ended.append((row.index, _finished(row, trajectory, version)))
                self.rows[slot] = None
        return ended

    def _sample(self, active: list[int]) -> dict[int, tuple[list[int], list[float]]]:
        size = min(bucket for bucket in self.config.decode_buckets if bucket >= len(active))
        rows = np.full(size, self.config.slots, np.int32)
        lengths, names = np.zeros(size, np.int32), np.zeros(size, np.uint32)
        for place, slot in enumerate(active):
            row = self.rows[slot]
            assert row is not None
            rows[place], lengths[place] = slot, row.cached
            names[place] = zlib.crc32(row.request.name.encode())
        self.cache, turn = generation.sample(
            self.decoder, self.config.max_turn_tokens, self.codec.end, self.params, self.cache,
            rows, lengths, names, self.seed, self.temperature,
        )  # fmt: skip
        ids, logp, counts = jax.device_get(turn)
        said = {}
        for place, slot in enumerate(active):
            row, n = self.rows[slot], int(counts[place])
            assert row is not None
            row.cached += n - 1  # the last token is yet to be read
            said[slot] = ids[place, :n].tolist(), logp[place, :n].tolist()
        return said

    def _act(self, row: _Row, ids: list[int], logp: list[float]) -> Trajectory | None:
        """Do what the sampled turn says; the trajectory when the episode is over."""
        row.say(ids, logp)
        row.turns += 1
        row.truncated |= ids[-1] != self.codec.end
        move = row.codec.parse(ids)
        if isinstance(move, Answer):
            return row.session.finish(move.text, "answer")
        if isinstance(move, Malformed):
            result = row.session.call(None, {"raw": move.raw})
            row.unreadable += 1
            if row.unreadable >= self.config.max_unreadable:
                return row.session.finish(None, "unreadable")
        else:
            result = row.session.call(move.tool, move.arguments)
        if row.turns >= self.config.max_turns or row.session.turns_left <= 0:
            return row.session.finish(None, "turn_limit")
        shown = row.codec.observation(result)
        if not self._fits(row, len(shown)):
            return self._overrun(row)
        row.show(shown)
        return None

    def _overrun(self, row: _Row) -> Trajectory:
        row.truncated = True
        return row.session.finish(None, "token_limit")


def _finished(row: _Row, trajectory: Trajectory, version: int) -> Rollout:
    tokens = TokenTrace(
        ids=np.asarray(row.ids, np.int32),
        sampled=np.asarray(row.sampled, bool),
        logp=np.asarray(row.logp, np.float32),
        version=np.full(len(row.ids), version, np.int32),
    )
    return Rollout(row.request.name, trajectory, row.session, tokens, row.truncated, row.codec.overflow)


def _programs() -> int:
    return sum(f._cache_size() for f in (generation.read, generation.copy, generation.sample))
