"""`Decoder`: the Qwen3 architecture in Flax NNX (Qwen3 technical report, arXiv 2505.09388).

RMSNorm before every block, rotary positions, grouped queries with an RMSNorm on each head's queries and
keys, SwiGLU, tied embeddings. Dimensions: b batch, t token, s key position, d width, k key-value head, g
queries per key-value head, h head width, v vocabulary, l layer.

The functional core works on plain nested dictionaries of arrays: `parameters(config, seed)` makes them and
`network(config, params)` binds them, inside or outside of jit. Attention reads from *sources*, any number of
(keys, values, mask): training has one, decoding has two (the cache, and the tokens since it was last
written), so that a decoding step never copies the cache.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from policy.attention_parts import parts
from policy.config import DecoderConfig
from policy.layout import tokens_move
from policy.sharding import for_lookup, like_parameters, over_features, over_rows
from policy.xla_cpu import once, product

Params = dict[str, Any]
"""Nested dictionary of float32 arrays."""


class Source(NamedTuple):
    """What attention may read, beside the tokens at hand."""

    keys: jax.Array  # [b, k, h, s], so that scores are plain products of rows and columns
    values: jax.Array  # [b, k, s, h]
    mask: jax.Array  # [b, t, s] bool: query t may read key s


Memory = Callable[[jax.Array, jax.Array], tuple[tuple[Source, ...], Any]]
"""Of one layer: from the keys [b, k, h, t] and values [b, k, t, h] of the tokens at hand, what they may read
and what is kept of them."""


class RMSNorm(nnx.Module):
    """Root-mean-square normalisation over the last axis."""

    def __init__(self, width: int, epsilon: float) -> None:
        self.scale = nnx.Param(jnp.ones(width))
        self.epsilon = epsilon

    def __call__(self, x: jax.Array) -> jax.Array:
        power = jnp.mean(jnp.square(x), axis=-1, keepdims=True)
        return x * jax.lax.rsqrt(power + self.epsilon) * self.scale[...]


class Attention(nnx.Module):
    """Grouped-query attention with rotary positions."""

    def __init__(self, config: DecoderConfig, rngs: nnx.Rngs) -> None:
        c = self.config = config
        queries, shared = c.heads * c.head_width, c.kv_heads * c.head_width
        self.query = nnx.Param(_matrix(rngs, c.width, queries))
        self.key = nnx.Param(_matrix(rngs, c.width, shared))
        self.value = nnx.Param(_matrix(rngs, c.width, shared))
        self.output = nnx.Param(self._output(rngs))
        if c.qk_norm:
            self.query_norm = RMSNorm(c.head_width, c.norm_epsilon)
            self.key_norm = RMSNorm(c.head_width, c.norm_epsilon)

    def _output(self, rngs: nnx.Rngs) -> jax.Array:
        """The first output projection: random, or the transpose of the values' so that what is read is passed
        on.

        Worlds are worked in by copying words from the instruction into calls. With the transpose every head
        starts as a copier (value and output projections multiply to a projection of the stream), which tied
        embeddings turn into the token that was read; only where to look is left to learn.
        """
        c = self.config
        if not c.copying_start:
            return _matrix(rngs, c.heads * c.head_width, c.width, scale=(2 * c.layers) ** -0.5)
        shape = (c.width, c.kv_heads, 1, c.head_width)
        each = jnp.broadcast_to(
            self.value[...].reshape(shape), (c.width, c.kv_heads, c.heads // c.kv_heads, c.head_width)
        )
        return each.reshape(c.width, c.heads * c.head_width).T

    def project(
        self, x: jax.Array, rotation: tuple[jax.Array, jax.Array]
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        """x [b, t, d] -> queries [b, k, g, t, h], keys [b, k, h, t], values [b, k, t, h]."""
        c = self.config
        b, t, _ = x.shape
        q = linear(x, self.query[...]).reshape(b, t, c.kv_heads, c.heads // c.kv_heads, c.head_width)
        k = linear(x, self.key[...]).reshape(b, t, c.kv_heads, c.head_width)
        v = linear(x, self.value[...]).reshape(b, t, c.kv_heads, c.head_width)
        if c.qk_norm:
            q, k = self.query_norm(q), self.key_norm(k)
        q, k = rotate(q.transpose(0, 2, 3, 1, 4), rotation), rotate(k.transpose(0, 2, 1, 3), rotation)
        return q, k.transpose(0, 1, 3, 2), v.transpose(0, 2, 1, 3)

    def attend(self, q: jax.Array, sources: tuple[Source, ...]) -> jax.Array:
        """Queries [b, k, g, t, h] read from all sources; the result is [b, t, d]."""
        return linear(self._mix(q, sources), self.output[...])

    def attend_causally(self, q: jax.Array, own: Source) -> jax.Array:
        """Queries [b, k, g, t, h] read the tokens they belong to, none of them a later one -> [b, t, d].

        A part of them at a time reads no further than its last: of quarters, that leaves out three eighths of
        the work.
        """
        t = q.shape[3]
        size = t // parts(t)
        mixed = [
            self._mix(
                q[:, :, :, stop - size : stop],
                (
                    Source(
                        own.keys[..., :stop], own.values[:, :, :stop], own.mask[:, stop - size : stop, :stop]
                    ),
                ),
            )
            for stop in range(size, t + 1, size)
        ]
        return linear(jnp.concatenate(mixed, axis=1), self.output[...])

    def _mix(self, q: jax.Array, sources: tuple[Source, ...]) -> jax.Array:
        """Queries [b, k, g, t, h] -> what all heads read, side by side [b, t, heads x h]."""
        b, k, g, t, h = q.shape
        rows = q.reshape(b, k, g * t, h) * h**-0.5
        scores = []
        for source in sources:
            score = jnp.einsum("bkqh,bkhs->bkqs", rows, source.keys).reshape(b, k, g, t, -1)
            scores.append(jnp.where(source.mask[:, None, None], score, -1e30))
        weights = jax.nn.softmax(jnp.concatenate(scores, axis=-1), axis=-1).reshape(b, k, g * t, -1)
        mixed, start = jnp.zeros_like(rows), 0
        for source in sources:
            stop = start + source.keys.shape[3]
            mixed += jnp.einsum("bkqs,bksh->bkqh", weights[..., start:stop], source.values)
            start = stop
        return mixed.reshape(b, k, g, t, h).transpose(0, 3, 1, 2, 4).reshape(b, t, k * g * h)


class SwiGLU(nnx.Module):
    """Gated feed-forward block (arXiv 2002.05202)."""

    def __init__(self, config: DecoderConfig, rngs: nnx.Rngs) -> None:
        self.gate = nnx.Param(_matrix(rngs, config.width, config.hidden))
        self.up = nnx.Param(_matrix(rngs, config.width, config.hidden))
        self.down = nnx.Param(_matrix(rngs, config.hidden, config.width, scale=(2 * config.layers) ** -0.5))

    def __call__(self, x: jax.Array) -> jax.Array:
        gated = jax.nn.silu(linear(x, self.gate[...])) * linear(x, self.up[...])
        return linear(gated, self.down[...])


class Block(nnx.Module):
    """One layer: attention, then SwiGLU, each behind its norm and added to the stream."""

    def __init__(self, config: DecoderConfig, rngs: nnx.Rngs) -> None:
        self.attention_norm = RMSNorm(config.width, config.norm_epsilon)
        self.attention = Attention(config, rngs)
        self.hidden_norm = RMSNorm(config.width, config.norm_epsilon)
        self.hidden = SwiGLU(config, rngs)

    def __call__(
        self, x: jax.Array, rotation: tuple[jax.Array, jax.Array], memory: Memory
    ) -> tuple[jax.Array, Any]:
        """x [b, t, d] -> the stream after this layer, and what the memory keeps of it."""
        q, k, v = self.attention.project(self.attention_norm(x), rotation)
        sources, kept = memory(k, v)
        alone = len(sources) == 1
        x = x + (self.attention.attend_causally(q, *sources) if alone else self.attention.attend(q, sources))
        return x + self.hidden(self.hidden_norm(x)), kept


class Decoder(nnx.Module):
    """Token ids to next-token logits."""

    def __init__(self, config: DecoderConfig, rngs: nnx.Rngs) -> None:
        self.config = config
        shape = (config.vocabulary_rows, config.width)
        self.embedding = nnx.Param(jax.random.normal(rngs.params(), shape) * config.width**-0.5)
        self.blocks = nnx.List([Block(config, rngs) for _ in range(config.layers)])
        self.norm = RMSNorm(config.width, config.norm_epsilon)
        if not config.tied:
            self.head = nnx.Param(_matrix(rngs, config.width, config.vocabulary_rows))

    def hidden(
        self, ids: jax.Array, positions: jax.Array, memories: Sequence[Memory], playing: bool = False
    ) -> tuple[jax.Array, list[Any]]:
        """The normalised stream [b, t, d] of ids at positions [b, t], and what each layer's memory keeps.

        Where a memory gives these tokens alone, none may read a later one, whatever the mask says. `playing`:
        there is no way back, and on a mesh the matrices stay where they are when the tokens are few.
        """
        placed = over_features if playing and tokens_move(ids.size, self.config.width) else over_rows
        table = self.embedding[...] if playing else for_lookup(self.embedding[...])
        x = placed(table[ids]).astype(jnp.float32)
        if self.config.scaled_embedding:
            # To unit variance: a fresh embedding is small because it is also the output projection.
            x = x * self.config.width**0.5
        rotation = angles(positions, self.config)
        kept = []
        for block, memory in zip(self.blocks, memories, strict=True):
            run = partial(block, rotation=rotation, memory=memory)
            x, pair = (jax.checkpoint(run) if self.config.remat else run)(x)
            x = placed(x)
            kept.append(pair)
        return self.norm(x), kept

    def logits(self, hidden: jax.Array) -> jax.Array:
        """[..., d] -> [..., v]."""
        return linear(hidden, self.embedding[...].T if self.config.tied else self.head[...])


def reading(mask: jax.Array, *past: Source) -> Memory:
    """Tokens read each other by a mask [b, t, t], and what came before; their keys and values are kept."""
    return lambda keys, values: ((*past, Source(keys, values, mask)), (keys, values))


def linear(x: jax.Array, matrix: jax.Array) -> jax.Array:
    """x [..., i] times matrix [i, o], with all leading axes as one.

    On a CPU the gradient of a product over several leading axes transposes and copies both factors; as a
    plain matrix product it takes half the time. A matrix of lower precision is multiplied in its own, and
    the result has that of x.
    """
    return product(x.reshape(-1, x.shape[-1]), matrix).reshape(*x.shape[:-1], matrix.shape[-1])


def angles(positions: jax.Array, config: DecoderConfig) -> tuple[jax.Array, jax.Array]:
    """Cosine and sine of the rotary angles, [b, t, h/2] each (RoFormer, arXiv 2104.09864)."""
    rates = config.rope_base ** (-jnp.arange(0, config.head_width, 2) / config.head_width)
    turned = positions[..., None].astype(jnp.float32) * rates
    cos, sin = once(lambda turned: (jnp.cos(turned), jnp.sin(turned)), turned)
    return cos, sin


def rotate(x: jax.Array, rotation: tuple[jax.Array, jax.Array]) -> jax.Array:
    """Rotate [b, ..., t, h] by the positions; the i-th feature pairs with the one half a head further."""
    b, t, half = rotation[0].shape
    cos, sin = (part.reshape(b, *(1,) * (x.ndim - 3), t, half) for part in rotation)
    low, high = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([low * cos - high * sin, high * cos + low * sin], axis=-1)


def parameters(config: DecoderConfig, seed: int) -> Params:
    """Fresh parameters; equal seeds give equal parameters."""
    return _initialised(config, jax.random.key((seed ^ seed >> 32) & 0xFFFFFFFF))


def network(config: DecoderConfig, params: Params) -> Decoder:
    """A decoder that computes with `params`."""
    graph, template = _template(config)
    state = jax.tree.map(lambda leaf: leaf, template)
    nnx.replace_by_pure_dict(state, params)
    return nnx.merge(graph, state)


def count(params: Params) -> int:
    """Number of parameters."""
    return sum(leaf.size for leaf in jax.tree.leaves(params))


@partial(jax.jit, static_argnums=0)
def _initialised(config: DecoderConfig, key: jax.Array) -> Params:
    return like_parameters(nnx.to_pure_dict(nnx.state(Decoder(config, nnx.Rngs(params=key)), nnx.Param)))


@lru_cache(maxsize=8)
def _template(config: DecoderConfig) -> tuple[Any, Any]:
    return nnx.split(nnx.eval_shape(lambda: Decoder(config, nnx.Rngs(params=0))), nnx.Param)


def _matrix(rngs: nnx.Rngs, fan_in: int, fan_out: int, scale: float = 1.0) -> jax.Array:
    return jax.random.normal(rngs.params(), (fan_in, fan_out)) * (scale * fan_in**-0.5)
