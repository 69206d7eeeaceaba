"""`RolloutEngine`: many episodes side by side, from requests to token traces.

Batching is continuous: a slot takes the next request the moment its episode ends, and a decoding call ends
when half of its turns are over, so that few rows idle. While the device decodes, the tools of the turns that
are over run; what comes next is decided by counts alone, never by clocks, so that a run can be repeated.
Every array has one of a few fixed shapes, and nothing compiles in steady state. The prompt of a group is read
once and copied.
"""

import math
import time
import zlib
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from planet.records.episode import ToolResult, Trajectory
from policy import generation
from policy.codec import Answer, Codec, Malformed, ToolCall
from policy.config import DecoderConfig, RolloutConfig
from policy.decoder import Params
from policy.episode import EpisodeRequest, Rollout, Row, ToolSession
from policy.memory import keep_freed_memory
from policy.sharding import row_parts
from policy.shards import shards

ENOUGH = 0.5
"""Share of the turns of a decoding call that end it when they are over. The others go on in a later call."""


class Decoding(NamedTuple):
    """A decoding call that the device works on."""

    seats: list[int | None]  # slots of its rows, in their order; None where one idles
    said: generation.Said


@dataclass
class Work:
    """What the device was asked for, in tokens; the useful share of it says how full the calls were."""

    calls: int = 0
    read: int = 0  # tokens read into the cache
    read_room: int = 0  # tokens that those calls had room for
    decoded: int = 0  # tokens sampled
    decoded_room: int = 0  # steps of the decoding calls times their rows
    in_python: float = 0.0  # seconds of codecs and tools, most of them while the device decodes


class RolloutEngine:
    """Plays episodes with a decoder. `compilations` counts the programs compiled since it was made."""

    def __init__(self, codec: Codec, decoder_config: DecoderConfig, rollout_config: RolloutConfig) -> None:
        keep_freed_memory()
        self.codec = codec
        self.decoder = decoder_config
        self.config = rollout_config
        self.work = Work()
        self._compiled_before = generation.programs()

    @property
    def compilations(self) -> int:
        """Programs compiled since this engine was made; constant in steady state."""
        return generation.programs() - self._compiled_before

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
        playing = Playing(self, params, seed=seed, version=version, temperature=temperature)
        for request in requests:
            playing.submit(request)
        done: list[Rollout | None] = [None] * len(requests)
        while playing.busy:
            for index, rollout in playing.advance():
                done[index] = rollout
        return [rollout for rollout in done if rollout is not None]


class Playing:
    """Episodes in progress. `submit` requests, `advance` until nothing is `busy`, `renew` the parameters."""

    def __init__(
        self,
        engine: RolloutEngine,
        params: Params,
        *,
        seed: int,
        version: int = 0,
        temperature: float | None = None,
    ) -> None:
        self.codec, self.work = engine.codec, engine.work
        self.decoder, self.config = engine.decoder, engine.config
        self.params, self.version = params, version
        self.seed = jnp.uint32(seed & 0xFFFFFFFF)
        self.temperature = jnp.float32(self.config.temperature if temperature is None else temperature)
        self.queue: deque[tuple[int, EpisodeRequest]] = deque()
        self.rows: list[Row | None] = [None] * self.config.slots
        self.shards = shards(self.config.slots, row_parts())
        self.cache: generation.Cache | None = None  # None: nothing has been read
        self.submitted = 0
        self.decodings = 0

    @property
    def busy(self) -> bool:
        """There are episodes to be played."""
        return bool(self.queue) or any(self.rows)

    def submit(self, request: EpisodeRequest) -> int:
        """Queue a request; its number, from 0 in order of submission."""
        self.queue.append((self.submitted, request))
        self.submitted += 1
        return self.submitted - 1

    def renew(self, params: Params, version: int) -> None:
        """Go on with other parameters: they read every episode anew and sample what follows."""
        self.params, self.version, self.cache = params, version, None
        for row in self.rows:
            if row is not None:
                row.cached = 0

    def advance(self) -> list[tuple[int, Rollout]]:
        """One decoding call, and the tools of turns that were over before it; the episodes that ended, with
        their numbers."""
        decoding = self.dispatch()
        ended = self.act()
        self.hear(decoding)
        return ended

    def dispatch(self) -> Decoding | None:
        """The first part of `advance`: give the device a decoding call, if anything can be decoded."""
        if self.cache is None:
            self.cache = generation.empty_cache(self.decoder, self.config.slots, self.config.context)
        self._admit()
        self._read_some()
        return self._decode()

    def _taken(self) -> list[tuple[int, Row]]:
        return [(slot, row) for slot, row in enumerate(self.rows) if row is not None]

    def _admit(self) -> None:
        """Give free slots to waiting requests; a prompt that some row of the same part of the mesh has read
        is copied, but for its last token, whose reading gives the logits of the first one to be sampled."""
        if not self.queue or all(self.rows):
            return
        taken, part_of = self._taken(), self.shards.part_of
        holders = {(part_of(slot), row.prompt): slot for slot, row in taken if row.cached >= len(row.prompt)}
        copies: dict[int, int] = {}
        first: list[int] = []
        free = (slot for slot, row in enumerate(self.rows) if row is None)
        for slot in self.shards.spread(free, (slot for slot, _ in taken)):
            if not self.queue:
                break
            row = self.rows[slot] = self.opened(*self.queue.popleft())
            row.waiting = not self._fits(row)
            if row.waiting:
                continue
            holder = holders.setdefault((part_of(slot), row.prompt), slot)
            if holder == slot:
                first.append(slot)
            else:
                copies[slot] = holder
                row.cached = len(row.prompt) - 1
        self._read(first)
        self._copy(copies)

    def _copy(self, copies: dict[int, int]) -> None:
        """Let rows of the cache, the keys, become what others are."""
        while copies:
            seats = self.shards.seated(
                copies, self.shards.rows_for(min(self.config.slots, self.config.copy_rows))
            )
            source = self._padded([slot if slot is None else copies.pop(slot) for slot in seats])
            self.cache = generation.copy(self.cache, source, self._padded(seats))

    def opened(self, index: int, request: EpisodeRequest) -> Row:
        """An episode at its beginning."""
        row = Row(index, request, request.open(), self.codec.episode(request.view, request.unheard))
        row.show(row.codec.prompt(), self.version)
        row.prompt = tuple(row.ids)
        return row

    def _read_some(self) -> None:
        """Read in full chunks as long as enough rows can be decoded without those that do not fill one."""
        going = [(slot, row) for slot, row in self._taken() if not row.waiting]
        unread = [slot for slot, row in going if row.unread]
        ready = (slot for slot, row in going if not row.unread)
        most = self.shards.rows_for(max(self.config.decode_buckets))
        self._read(unread, partly=None in self.shards.seated(ready, most))

    def _read(self, slots: list[int], partly: bool = True) -> None:
        """Let the cache read what some episodes have been shown, the longest first, so that the shorter ones
        fill up their chunks."""
        while True:
            waiting = sorted((-row.unread, slot) for slot in slots if (row := self.rows[slot]) and row.unread)
            if not waiting:
                return
            width = self._width(-waiting[0][0])
            rows = self.shards.rows_for(min(self.config.slots, max(1, self.config.chunk_tokens // width)))
            seats = self.shards.seated((slot for _, slot in waiting), rows)
            if not partly and None in seats:
                return
            self._read_chunk(seats, width)

    def _width(self, tokens: int) -> int:
        widths = self.config.chunk_widths
        return next((width for width in widths if width >= tokens), widths[-1])

    def _read_chunk(self, seats: list[int | None], width: int) -> None:
        ids = np.zeros((len(seats), width), np.int32)
        counts, lengths = np.zeros((2, len(seats)), np.int32)
        for place, row in self._seated(seats):
            chunk = row.ids[row.cached : row.cached + width]
            ids[place, : len(chunk)], counts[place], lengths[place] = chunk, len(chunk), row.cached
            row.cached += len(chunk)
        assert self.cache is not None
        self.work.calls += 1
        self.work.read += int(counts.sum())
        self.work.read_room += ids.size
        self.cache = generation.read(
            self.decoder, self._columns(lengths), self.params, self.cache,
            self._padded(seats), ids, counts, lengths,
        )  # fmt: skip

    def _columns(self, lengths: np.ndarray) -> int:
        """The fewest columns of the cache that hold rows of these lengths."""
        longest = lengths.max(initial=0)
        return next(columns for columns in self.config.columns if columns >= longest)

    def _padded(self, seats: list[int | None]) -> np.ndarray:
        """Rows of the cache that a call takes, one beyond its end where it idles."""
        return np.array([self.config.slots if slot is None else slot for slot in seats], np.int32)

    def _seated(self, seats: list[int | None]) -> list[tuple[int, Row]]:
        """Places in a call that have an episode, with it."""
        taken = [(place, self.rows[slot]) for place, slot in enumerate(seats) if slot is not None]
        return [(place, row) for place, row in taken if row is not None]

    def _fits(self, row: Row, more: int = 0) -> bool:
        """There is room for `more` tokens and one turn after them."""
        return len(row.ids) + more + self.config.max_turn_tokens <= self.config.context

    def _decode(self) -> Decoding | None:
        """Dispatch a decoding call for the rows that have waited longest; nothing waits for its result."""
        ready = sorted(
            (row.served, slot) for slot, row in self._taken() if not row.waiting and not row.unread
        )
        if not ready:
            return None
        self.decodings += 1
        seats = self._places([slot for _, slot in ready])
        size, seated = len(seats), _seated_rows(seats)
        lengths, left, names = np.zeros(size, np.int32), np.ones(size, np.int32), np.zeros(size, np.uint32)
        for place, row in self._seated(seats):
            row.served = self.decodings
            lengths[place], left[place] = row.cached, self.config.max_turn_tokens - row.said
            names[place] = zlib.crc32(row.request.name.encode())
        assert self.cache is not None
        self.cache, said = generation.decode(
            self.decoder, self._columns(lengths), self.config.decode_steps, self.codec.end, self.params,
            self.cache, self._padded(seats), lengths, left, np.int32(math.ceil(seated * ENOUGH)),
            names, self.seed, self.temperature,
        )  # fmt: skip
        return Decoding(seats, said)

    def _places(self, ready: list[int]) -> list[int | None]:
        """The rows of a decoding call: of the smallest bucket that seats as many as the largest."""
        calls = (
            self.shards.seated(ready, self.shards.rows_for(bucket)) for bucket in self.config.decode_buckets
        )
        return max(calls, key=lambda seats: (_seated_rows(seats), -len(seats)))

    def hear(self, decoding: Decoding | None) -> None:
        """The last part of `advance`: wait for a decoding call and append what it said."""
        if decoding is None:
            return
        seats, said = decoding
        ids, logp, counts, ended = jax.device_get(said)
        self.work.calls += 1
        self.work.decoded += int(counts.sum())
        self.work.decoded_room += len(counts) * int(counts.max())
        for place, row in self._seated(seats):
            n = int(counts[place])
            row.say(ids[place, :n].tolist(), logp[place, :n].tolist(), self.version)
            row.waiting = bool(ended[place])

    def act(self) -> list[tuple[int, Rollout]]:
        """The second part of `advance`, while the device decodes: do what the turns that are over say; the
        episodes that end with it."""
        began = time.perf_counter()
        ended = []
        for slot, row in self._taken():
            if not row.waiting:
                continue
            trajectory = self._turn(row) if row.said else self._overrun(row)
            row.waiting, row.said = False, 0
            if trajectory is not None:
                ended.append((row.index, row.finished(trajectory)))
                self.rows[slot] = None
        self.work.in_python += time.perf_counter() - began
        return ended

    def _turn(self, row: Row) -> Trajectory | None:
        """Do what the last turn says; the trajectory when the episode is over."""
        ids = row.ids[-row.said :]
        row.turns += 1
        row.truncated |= ids[-1] != self.codec.end
        move = row.codec.parse(ids)
        if isinstance(move, Answer):
            return row.session.finish(move.text, "answer")
        result = executed(row.session, move)
        row.unreadable += isinstance(move, Malformed)
        if row.unreadable >= self.config.max_unreadable:
            return row.session.finish(None, "unreadable")
        if row.turns >= self.config.max_turns or row.session.turns_left <= 0:
            return row.session.finish(None, "turn_limit")
        shown = row.codec.observation(result)
        if not self._fits(row, len(shown)):
            return self._overrun(row)
        row.show(shown, self.version)
        return None

    def _overrun(self, row: Row) -> Trajectory:
        row.truncated = True
        return row.session.finish(None, "token_limit")


def _seated_rows(seats: Sequence[int | None]) -> int:
    """Rows of a call that do not idle."""
    return len(seats) - seats.count(None)


def executed(session: ToolSession, move: ToolCall | Malformed) -> ToolResult:
    """The result of a turn that was no answer."""
    if isinstance(move, Malformed):
        told = {"problem": move.problem} if move.problem else {}
        return session.call(None, {"raw": move.raw, **told})
    return session.call(move.tool, move.arguments)
