"""Logits only where there are losses, and nowhere else. The losses themselves stand in `policy.gradients`.

Logits are the widest arrays of training, a vocabulary for every token, and two tokens of three have no loss:
prompts, observations and padding. Of every row, the columns with a loss come first; then a few columns at a
time are read, and a part without any loss is skipped. So neither time nor memory goes to logits that nobody
asked for, and no more than one part's logits exist at once, forward and backward.

Shapes stay fixed and rows stay apart, so that one program serves all batches and a mesh may share the rows.
Dimensions: n rows, w columns, c columns of a part, d features.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp

from policy.decoder import Params
from policy.layout import loss_columns
from policy.packing import Packed

Sums = dict[str, jax.Array]
"""Scalars that add up over micro-batches; names that start with `max_` take the maximum instead."""
Batch = Packed[jax.Array]
"""Packed rows inside a compiled program."""
Loss = Callable[[Params, jax.Array, Batch], tuple[jax.Array, Sums]]
"""(head, hidden [n, c, d], part [n, c]) -> loss and sums of a part."""


class AtLosses(NamedTuple):
    """Gradients and sums of a micro-batch, from the stream on."""

    head: Params  # gradient of the head's parameters
    hidden: jax.Array  # [n, w, d] gradient of the stream
    sums: Sums


def at_losses(loss: Loss, head: Params, hidden: jax.Array, batch: Batch, columns: int) -> AtLosses:
    """Gradients of a loss that is summed over all columns of packed rows."""
    order = _losses_first(batch)
    parts = _parts((hidden, batch), order, columns)
    graded = jax.value_and_grad(loss, argnums=(0, 1), has_aux=True)

    def work(part: tuple[jax.Array, Batch]) -> tuple[Params, jax.Array, Sums]:
        (_, sums), (of_head, of_hidden) = graded(head, *part)
        return of_head, of_hidden, sums

    shapes = jax.eval_shape(work, jax.tree.map(lambda leaf: leaf[0], parts))
    nothing = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)

    def step(total: tuple[Params, Sums], part: tuple[jax.Array, Batch]):  # type: ignore[no-untyped-def]
        found = jax.lax.cond(jnp.any(part[1].weight > 0), work, lambda _: nothing, part)
        of_head = jax.tree.map(jnp.add, total[0], found[0])
        return (of_head, joined(total[1], found[2])), found[1]

    (of_head, sums), of_hidden = jax.lax.scan(step, (nothing[0], nothing[2]), parts)
    return AtLosses(of_head, _whole(of_hidden, order), sums)


def map_losses(
    read: Callable[[jax.Array, Batch], jax.Array], hidden: jax.Array, batch: Batch, columns: int
) -> jax.Array:
    """What is read [n, w] of the stream; 0 in parts that have no loss."""
    order = _losses_first(batch)
    parts = _parts((hidden, batch), order, columns)

    def one(part: tuple[jax.Array, Batch]) -> jax.Array:
        some = jnp.any(part[1].weight > 0)
        return jax.lax.cond(some, lambda p: read(*p), lambda p: jnp.zeros(p[1].weight.shape), part)

    return _whole(jax.lax.map(one, parts), order)


def joined(old: Sums, new: Sums) -> Sums:
    """Sums of two parts together."""
    return {
        name: jnp.maximum(old[name], value) if name.startswith("max_") else old[name] + value
        for name, value in new.items()
    }


def _losses_first(batch: Batch) -> jax.Array:
    """[n, w] int32 columns of every row: those with a loss, then the others, each in their order."""
    return jnp.argsort(batch.weight <= 0, axis=1, stable=True)


def _parts(tree, order: jax.Array, columns: int):  # type: ignore[no-untyped-def]
    """Arrays [n, w, ...] in an order of columns and in parts [w / c, n, c, ...]."""
    n, w = order.shape
    c = loss_columns(w, columns)

    def split(leaf: jax.Array) -> jax.Array:
        return jnp.moveaxis(_ordered(leaf, order).reshape(n, w // c, c, *leaf.shape[2:]), 1, 0)

    return jax.tree.map(split, tree)


def _whole(parts: jax.Array, order: jax.Array) -> jax.Array:
    """Parts [w / c, n, c, ...] as an array [n, w, ...] whose columns lie where they were."""
    n, w = order.shape
    return _ordered(jnp.moveaxis(parts, 0, 1).reshape(n, w, *parts.shape[3:]), jnp.argsort(order, axis=1))


def _ordered(leaf: jax.Array, order: jax.Array) -> jax.Array:
    return jax.vmap(lambda row, columns: row[columns])(leaf, order)
