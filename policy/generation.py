"""The compiled half of the rollout engine: read tokens into the cache, and sample turns out of it.

Three programs with fixed shapes work on one `Cache` of `slots` rows. `read` prefills a few rows, `copy`
spreads rows that share a prompt, `sample` decodes a turn of many rows: a `while_loop` that ends when every
row has emitted <end>. While a turn is decoded, its keys and values go into a small buffer that all rows fill
in step, so that no step writes at a different column per row; the buffer joins the cache when the turn is
over.

A token's key is folded from (run, episode, index of the token in the episode), so neither the order of
episodes nor the slots they happen to use can change what is sampled.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

from policy.config import DecoderConfig
from policy.decoder import Params, Source, network


class Cache(NamedTuple):
    """What the rows have read. Columns at or beyond a row's length hold garbage that is never read."""

    keys: tuple[jax.Array, ...]  # per layer [b, k, s, h]
    values: tuple[jax.Array, ...]  # per layer [b, k, s, h]
    logits: jax.Array  # [b, v] after the last token read


class Turn(NamedTuple):
    """What `sample` emitted, per row in the order it was given."""

    ids: jax.Array  # [d, m] int32; columns beyond `counts` are garbage
    logp: jax.Array  # [d, m] float32 log-probabilities, at the sampling temperature
    counts: jax.Array  # [d] int32 tokens emitted


def empty_cache(config: DecoderConfig, rows: int, columns: int) -> Cache:
    """A cache of zeros."""
    shape = (rows, config.kv_heads, columns, config.head_width)
    keys = tuple(jnp.zeros(shape) for _ in range(config.layers))
    values = tuple(jnp.zeros(shape) for _ in range(config.layers))
    return Cache(keys, values, jnp.zeros((rows, config.vocabulary_rows)))


@partial(jax.jit, static_argnums=0, donate_argnums=2)
def read(
    config: DecoderConfig,
    params: Params,
    cache: Cache,
    rows: jax.Array,  # [r] int32 rows of the cache; one at or beyond its end is ignored
    ids: jax.Array,  # [r, w] int32
    counts: jax.Array,  # [r] int32 how many of the ids are there
    lengths: jax.Array,  # [r] int32 tokens in the cache before
) -> Cache:
    """Append tokens to some rows of the cache."""
    width, columns = ids.shape[1], cache.keys[0].shape[2]
    kept = jnp.minimum(rows, cache.logits.shape[0] - 1)
    seen = jnp.arange(columns)[None, None] < lengths[:, None, None]  # [r, 1, s]
    past = tuple((Source(k[kept], v[kept], seen),) for k, v in zip(cache.keys, cache.values, strict=True))
    causal = jnp.tril(jnp.ones((width, width), bool))[None]
    decoder = network(config, params)
    hidden, written = decoder.hidden(ids, lengths[:, None] + jnp.arange(width), causal, past)
    last = jnp.take_along_axis(hidden, jnp.maximum(counts - 1, 0)[:, None, None], axis=1)[:, 0]
    logits = cache.logits.at[rows].set(decoder.logits(last), mode="drop")
    return _write(cache._replace(logits=logits), rows, lengths, written)


@partial(jax.jit, donate_argnums=0)
def copy(cache: Cache, source: jax.Array) -> Cache:
    """Row i becomes what row source[i] was."""
    return jax.tree.map(lambda part: part[source], cache)


@partial(jax.jit, static_argnums=(0, 1, 2), donate_argnums=4)
def sample(
    config: DecoderConfig,
    steps: int,
    end: int,
    params: Params,
    cache: Cache,
    rows: jax.Array,  # [d] int32 rows of the cache; one at or beyond its end is idle
    lengths: jax.Array,  # [d] int32 tokens in the cache
    names: jax.Array,  # [d] uint32 one number per episode
    seed: jax.Array,  # [] uint32 of the run
    temperature: jax.Array,  # [] float32; 0 is greedy
) -> tuple[Cache, Turn]:
    """Decode one turn of every row: at most `steps` tokens, up to and including `end`.

    The last token is not yet in the cache: it must come first in the next `read`.
    """
    idle = rows >= cache.logits.shape[0]
    kept = jnp.minimum(rows, cache.logits.shape[0] - 1)
    columns = cache.keys[0].shape[2]
    seen = (jnp.arange(columns)[None] < lengths[:, None])[:, None]  # [d, 1, s]
    past = tuple(Source(k[kept], v[kept], seen) for k, v in zip(cache.keys, cache.values, strict=True))
    decoder = network(config, params)
    episode = jax.vmap(partial(jax.random.fold_in, jax.random.key(seed)))(names)

    def draw(logits: jax.Array, index: jax.Array) -> tuple[jax.Array, jax.Array]:
        keys = jax.vmap(jax.random.fold_in)(episode, lengths + index)
        return choose(logits, keys, temperature)

    def body(state: "_Decoding") -> "_Decoding":
        token = jax.lax.dynamic_index_in_dim(state.ids, state.step - 1, axis=1)  # [d, 1]
        hidden, buffer = _step(decoder, token, lengths + state.step - 1, past, state.buffer, state.step - 1)
        token, logp = draw(decoder.logits(hidden[:, 0]), state.step)
        return _Decoding(
            step=state.step + 1,
            ids=jax.lax.dynamic_update_index_in_dim(state.ids, token, state.step, axis=1),
            logp=jax.lax.dynamic_update_index_in_dim(state.logp, logp, state.step, axis=1),
            counts=state.counts + ~state.done,
            done=state.done | (token == end),
            buffer=buffer,
        )

    token, logp = draw(cache.logits[kept], jnp.int32(0))
    shape = (rows.shape[0], config.kv_heads, steps, config.head_width)
    start = _Decoding(
        step=jnp.int32(1),
        ids=jnp.zeros((rows.shape[0], steps), jnp.int32).at[:, 0].set(token),
        logp=jnp.zeros((rows.shape[0], steps)).at[:, 0].set(logp),
        counts=jnp.ones(rows.shape[0], jnp.int32),
        done=idle | (token == end),
        buffer=tuple((jnp.zeros(shape), jnp.zeros(shape)) for _ in range(config.layers)),
    )
    final = jax.lax.while_loop(lambda s: (s.step < steps) & ~s.done.all(), body, start)
    return _write(cache, rows, lengths, list(final.buffer)), Turn(final.ids, final.logp, final.counts)


def choose(logits: jax.Array, keys: jax.Array, temperature: jax.Array) -> tuple[jax.Array, jax.Array]:
    """One token per row and its log-probability: logits [d, v], keys [d] -> [d] int32, [d] float32.

    Sampling adds Gumbel noise and takes the largest. At temperature 0 the most likely token is taken, and its
    log-probability is that at temperature 1.
    """
    greedy = temperature <= 0
    scaled = logits / jnp.where(greedy, 1.0, temperature)
    noise = jax.vmap(lambda key: jax.random.gumbel(key, logits.shape[1:]))(keys)
    token = jnp.argmax(scaled + jnp.where(greedy, 0.0, noise), axis=-1).astype(jnp.int32)
    logp = jnp.take_along_axis(scaled, token[:, None], axis=-1)[:, 0] - jax.nn.logsumexp(scaled, axis=-1)
    return token, logp


class _Decoding(NamedTuple):
    """The state of the loop over a turn's tokens."""

    step: jax.Array  # [] int32 tokens drawn so far
    ids: jax.Array  # [d, m]
    logp: jax.Array  # [d, m]
    counts: jax.Array  # [d]
    done: jax.Array  # [d] bool
    buffer: tuple[tuple[jax.Array, jax.Array], ...]  # per layer keys and values [d, k, m, h] of the turn


def _step(decoder, token, positions, past, buffer, column):  # type: ignore[no-untyped-def]
    """One token per row through the decoder; its keys and values go into `column` of the buffer."""
    before = (jnp.arange(buffer[0][0].shape[2]) < column)[None, None]  # [1, 1, m]
    own = jnp.ones((1, 1, 1), bool)
    sources = tuple(
        (old, Source(k, v, jnp.broadcast_to(before, (token.shape[0], 1, before.shape[2]))))
        for old, (k, v) in zip(past, buffer, strict=True)
    )
    hidden, written = decoder.hidden(token, positions[:, None], own, sources)
    put = partial(jax.lax.dynamic_update_slice_in_dim, start_index=column, axis=2)
    return hidden, tuple(
        (put(k, new_k), put(v, new_v)) for (k, v), (new_k, new_v) in zip(buffer, written, strict=True)
    )


def _write(
    cache: Cache, rows: jax.Array, lengths: jax.Array, written: list[tuple[jax.Array, jax.Array]]
) -> Cache:
    """Put keys and values [r, k, w, h] into rows of the cache, from each row's length on."""
    width = written[0][0].shape[2]
    columns = lengths[:, None] + jnp.arange(width)  # [r, w]

    def put(old: jax.Array, new: jax.Array) -> jax.Array:
        return old.at[rows[:, None], :, columns].set(new.transpose(0, 2, 1, 3), mode="drop")

    keys = tuple(put(old, new) for old, (new, _) in zip(cache.keys, written, strict=True))
    values = tuple(put(old, new) for old, (_, new) in zip(cache.values, written, strict=True))
    return cache._replace(keys=keys, values=values)
