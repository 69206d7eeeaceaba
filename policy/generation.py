"""The compiled half of rollouts: a cache of keys and values, reading tokens into it, and decoding turns.

Rows of the cache are episodes; after every call the cache holds all tokens of a row and the logits of its
next one. Decoding keeps its new tokens in a small buffer and writes them to the cache once, at the end,
because an update of the cache inside the loop would copy all of it at every step. Both look at the first
columns of the cache only: its memory traffic is what decoding on a CPU costs. Looking at the cache and
writing to it are separate programs, because in one the compiler copies all of it first.

A mesh that divides the slots (`policy.shards`) has to divide the rows of a call as well, and each row is of a
slot in its own part, so that keys and values stay where they are.

Shapes: b rows of the cache, r rows that a call reads or copies, d rows that a call decodes, s columns, w
width of a chunk, m steps of a call, k key-value heads, h head width, v vocabulary.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from policy.config import DecoderConfig
from policy.decoder import Decoder, Memory, Params, Source, network, reading
from policy.sharding import over_features, over_slots, replicated, row_parts, within_parts
from policy.shards import shards

Tree = TypeVar("Tree")
Pairs = tuple[tuple[jax.Array, jax.Array], ...]
"""Per layer keys [., k, h, .] and values [., k, ., h]."""


class Cache(NamedTuple):
    """What the rows have read. Columns at or beyond a row's length hold garbage that is never read."""

    layers: Pairs  # keys [b, k, h, s], values [b, k, s, h]
    logits: jax.Array  # [b, v] of the next token


class Said(NamedTuple):
    """What `decode` emitted, per row in the order it was given."""

    ids: jax.Array  # [d, m] int32; columns beyond `counts` are garbage
    logp: jax.Array  # [d, m] float32 log-probabilities, at the sampling temperature
    counts: jax.Array  # [d] int32 tokens emitted
    ended: jax.Array  # [d] bool: the turn is over, by <end> or by its limit


@partial(jax.jit, static_argnums=(0, 1, 2))
def empty_cache(config: DecoderConfig, rows: int, columns: int) -> Cache:
    """A cache of zeros."""
    k, h = config.kv_heads, config.head_width
    layers = tuple(
        (jnp.zeros((rows, k, h, columns)), jnp.zeros((rows, k, columns, h))) for _ in range(config.layers)
    )
    return over_slots(Cache(layers, jnp.zeros((rows, config.vocabulary_rows))))


def read(
    config: DecoderConfig,
    columns: int,  # of the cache that are looked at: at least the longest of `lengths`
    params: Params,
    cache: Cache,
    rows: ArrayLike,  # [r] int32 rows of the cache; one at or beyond its end is ignored
    ids: ArrayLike,  # [r, w] int32
    counts: ArrayLike,  # [r] int32 how many of the ids are there
    lengths: ArrayLike,  # [r] int32 tokens in the cache before
) -> Cache:
    """Append tokens to some rows of the cache."""
    return _write(cache, rows, lengths, *_read(config, columns, params, cache, rows, ids, counts, lengths))


@partial(jax.jit, static_argnums=(0, 1))
def _read(
    config: DecoderConfig,
    columns: int,
    params: Params,
    cache: Cache,
    rows: jax.Array,
    ids: jax.Array,
    counts: jax.Array,
    lengths: jax.Array,
) -> tuple[Pairs, jax.Array]:
    """What `read` adds: keys and values of the tokens, and the logits after the last ones."""
    width = ids.shape[1]
    past = _past(cache, rows, lengths, columns)
    causal = jnp.tril(jnp.ones((width, width), bool))[None]
    decoder = network(config, params)
    memories = [reading(causal, source) for source in past]
    hidden, written = decoder.hidden(ids, lengths[:, None] + jnp.arange(width), memories, playing=True)
    last = jnp.take_along_axis(hidden, jnp.maximum(counts - 1, 0)[:, None, None], axis=1)[:, 0]
    return tuple(written), over_slots(decoder.logits(over_features(last)))


@partial(jax.jit, donate_argnums=0)
def copy(cache: Cache, source: jax.Array, target: jax.Array) -> Cache:
    """Rows `target` [r] become what rows `source` [r] are; a target at or beyond the end is ignored."""

    def copied(cache: Cache, source: jax.Array, target: jax.Array) -> Cache:
        return jax.tree.map(lambda part: part.at[target].set(part[source], mode="drop"), cache)

    return over_slots(_on_slots(copied, cache, source, target))


class _Decoding(NamedTuple):
    """The state of the loop over tokens."""

    step: jax.Array  # [] int32 tokens drawn so far
    logits: jax.Array  # [d, v] of the next token
    ids: jax.Array  # [d, m]
    logp: jax.Array  # [d, m]
    counts: jax.Array  # [d]
    done: jax.Array  # [d] bool
    buffer: Pairs  # the new tokens' keys [d, k, h, m] and values [d, k, m, h]


def decode(
    config: DecoderConfig,
    columns: int,  # of the cache that are looked at: at least the longest of `lengths`
    steps: int,
    end: int,
    params: Params,
    cache: Cache,
    rows: ArrayLike,  # [d] int32 rows of the cache; one at or beyond its end is idle
    lengths: ArrayLike,  # [d] int32 tokens in the cache
    left: ArrayLike,  # [d] int32 tokens that the turn may still have, at least 1
    enough: ArrayLike,  # [] int32 turns that are to be over when the call returns before its last step
    names: ArrayLike,  # [d] uint32 one number per episode
    seed: ArrayLike,  # [] uint32 of the run
    temperature: ArrayLike,  # [] float32; 0 is greedy
) -> tuple[Cache, Said]:
    """Continue the turn of every row: up to and including `end`, its limit, or the end of the call."""
    buffer, logits, said = _decode(
        config, columns, steps, end, params, cache, rows, lengths, left, enough, names, seed, temperature
    )
    return _write(cache, rows, lengths, buffer, logits), said


@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def _decode(
    config: DecoderConfig,
    columns: int,
    steps: int,
    end: int,
    params: Params,
    cache: Cache,
    rows: jax.Array,
    lengths: jax.Array,
    left: jax.Array,
    enough: jax.Array,
    names: jax.Array,
    seed: jax.Array,
    temperature: jax.Array,
) -> tuple[Pairs, jax.Array, Said]:
    """What `decode` adds to the cache, and what was said."""
    idle = rows >= cache.logits.shape[0]
    past = _past(cache, rows, lengths, columns)
    first = _on_slots(lambda cache, rows: cache.logits[_kept(cache, rows)], cache, rows)
    decoder = network(config, params)
    episode = jax.vmap(partial(jax.random.fold_in, jax.random.key(seed)))(names)

    def body(state: _Decoding) -> _Decoding:
        keys = jax.vmap(jax.random.fold_in)(episode, lengths + state.step)
        token, logp = choose(state.logits, jax.vmap(jax.random.uniform)(keys), temperature)
        hidden, buffer = _step(decoder, token, lengths + state.step, past, state.buffer, state.step)
        counts = state.counts + ~state.done
        return _Decoding(
            step=state.step + 1,
            logits=jnp.where(
                state.done[:, None], state.logits, over_slots(decoder.logits(over_features(hidden[:, 0])))
            ),
            ids=jax.lax.dynamic_update_index_in_dim(state.ids, token, state.step, axis=1),
            logp=jax.lax.dynamic_update_index_in_dim(state.logp, logp, state.step, axis=1),
            counts=counts,
            done=state.done | (token == end) | (counts >= left),
            buffer=buffer,
        )

    d, k, h = rows.shape[0], config.kv_heads, config.head_width
    start = _Decoding(
        step=jnp.int32(0),
        logits=first,
        ids=jnp.zeros((d, steps), jnp.int32),
        logp=jnp.zeros((d, steps)),
        counts=jnp.zeros(d, jnp.int32),
        done=idle,
        buffer=tuple(
            (jnp.zeros((d, k, h, steps)), jnp.zeros((d, k, steps, h))) for _ in range(config.layers)
        ),
    )
    stop = idle.sum() + enough
    final = jax.lax.while_loop(lambda s: (s.step < steps) & (s.done.sum() < stop), body, start)
    said = Said(final.ids, final.logp, final.counts, final.done)
    return final.buffer, final.logits, replicated(said)


def choose(logits: jax.Array, uniform: jax.Array, temperature: jax.Array) -> tuple[jax.Array, jax.Array]:
    """One token per row and its log-probability: logits [d, v], uniform [d] in [0, 1) -> [d] int32, [d].

    Inverts the distribution function in two stages, first the block of tokens, then the token in its block,
    so that one random number per row and two short sums do. At temperature 0 the most likely token is taken,
    and its log-probability is that at temperature 1.
    """
    d, v = logits.shape
    greedy = temperature <= 0
    scaled = logits / jnp.where(greedy, 1.0, temperature)
    scaled -= jnp.max(scaled, axis=-1, keepdims=True)
    mass = jnp.where(greedy, (scaled == 0).astype(logits.dtype), jnp.exp(scaled))
    size = max(1, math.isqrt(v))
    blocks = jnp.pad(mass, ((0, 0), (0, -v % size))).reshape(d, -1, size)
    whole = jnp.cumsum(blocks.sum(-1), axis=-1)  # [d, blocks]
    point = jnp.where(greedy, 0.0, uniform) * whole[:, -1]
    block = _first_above(whole, point)
    before = jnp.where(
        block > 0, jnp.take_along_axis(whole, jnp.maximum(block - 1, 0)[:, None], 1)[:, 0], 0.0
    )
    inside = jnp.cumsum(jnp.take_along_axis(blocks, block[:, None, None], axis=1)[:, 0], axis=-1)
    token = jnp.minimum(block * size + _first_above(inside, point - before), v - 1).astype(jnp.int32)
    normaliser = jnp.log(jnp.where(greedy, jnp.exp(scaled).sum(-1), whole[:, -1]))
    return token, jnp.take_along_axis(scaled, token[:, None], axis=-1)[:, 0] - normaliser


def _first_above(rising: jax.Array, point: jax.Array) -> jax.Array:
    """Index of the first entry above a point, else of the last step up: rising [d, n], point [d] -> [d].

    What has no mass is never chosen, also when rounding put the point beyond the sum.
    """
    top = jnp.minimum(point, jnp.nextafter(rising[:, -1], -jnp.inf))
    return jnp.minimum(jnp.sum(rising <= top[:, None], axis=-1), rising.shape[1] - 1)


def _past(cache: Cache, rows: jax.Array, lengths: jax.Array, columns: int) -> tuple[Source, ...]:
    """What some rows have read, per layer."""

    def looked_up(cache: Cache, rows: jax.Array) -> Pairs:
        kept = _kept(cache, rows)
        return tuple(
            (keys[:, :, :, :columns][kept], values[:, :, :columns][kept]) for keys, values in cache.layers
        )

    seen = (jnp.arange(columns)[None] < lengths[:, None])[:, None]  # [r, 1, s]
    return tuple(Source(*pair, seen) for pair in _on_slots(looked_up, cache, rows))


def _kept(cache: Cache, rows: jax.Array) -> jax.Array:
    """Rows, with some row of the cache in the place of those beyond its end."""
    return jnp.minimum(rows, cache.logits.shape[0] - 1)


def _on_slots(work: Callable[..., Tree], cache: Cache, *rows: jax.Array, more: Any = ()) -> Tree:
    """`work(cache, *rows, *more)`, where slots are split by every part on its own slots, counted from its
    first; `more` are arrays over the same rows."""
    slots, parts = shards(cache.logits.shape[0], row_parts())
    if parts == 1:
        return work(cache, *rows, *more)
    count = rows[0].shape[0]
    first = jnp.arange(count) // (count // parts) * (slots // parts)  # slot of the part that has the row
    return within_parts(work, cache, *(each - first for each in rows), *more)


def _step(
    decoder: Decoder,
    token: jax.Array,  # [d]
    positions: jax.Array,  # [d]
    past: tuple[Source, ...],
    buffer: Pairs,
    column: jax.Array,  # [] int32 of the buffer, for the keys and values of the token
) -> tuple[jax.Array, Pairs]:
    """One token per row through the decoder: the stream [d, 1, width] and the new buffer."""
    memories = [_buffered(source, pair, column) for source, pair in zip(past, buffer, strict=True)]
    hidden, written = decoder.hidden(token[:, None], positions[:, None], memories, playing=True)
    return hidden, tuple(written)


def _buffered(past: Source, pair: tuple[jax.Array, jax.Array], column: jax.Array) -> Memory:
    """Read the past and the buffer, into which the present token goes first: in place, since nothing needs
    the old one."""
    upto = jnp.arange(pair[0].shape[3]) <= column

    def memory(keys: jax.Array, values: jax.Array) -> tuple[tuple[Source, ...], tuple[jax.Array, jax.Array]]:
        put = partial(jax.lax.dynamic_update_slice_in_dim, start_index=column)
        new = put(pair[0], keys, axis=3), put(pair[1], values, axis=2)
        mask = jnp.broadcast_to(upto, (keys.shape[0], 1, upto.shape[0]))
        return (past, Source(*new, mask)), new

    return memory


@partial(jax.jit, donate_argnums=0)
def _write(cache: Cache, rows: jax.Array, lengths: jax.Array, written: Pairs, logits: jax.Array) -> Cache:
    """Put keys [r, k, h, w] and values [r, k, w, h] into rows of the cache, from each row's length on."""
    return over_slots(_on_slots(_written, cache, rows, more=(lengths, written, logits)))


def _written(cache: Cache, rows: jax.Array, lengths: jax.Array, written: Pairs, logits: jax.Array) -> Cache:
    at = lengths[:, None] + jnp.arange(written[0][0].shape[3])  # [r, w]
    row = rows[:, None]
    layers = tuple(
        (
            keys.at[row, :, :, at].set(new_keys.transpose(0, 3, 1, 2), mode="drop"),
            values.at[row, :, at].set(new_values.transpose(0, 2, 1, 3), mode="drop"),
        )
        for (keys, values), (new_keys, new_values) in zip(cache.layers, written, strict=True)
    )
    return Cache(layers, cache.logits.at[rows].set(logits, mode="drop"))


def programs() -> int:
    """Programs that were compiled so far in this process."""
    return sum(f._cache_size() for f in (_read, _decode, _write, copy))  # type: ignore[attr-defined]
