"""What XLA has to be told on a CPU. On other devices these functions are what they are named after.

Its compiler works out elementwise producers again inside every consumer, cosines too; and it multiplies by
a transposed left factor at half of the speed that it reaches with the transpose written out.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp

Arrays = tuple[jax.Array, ...]


def once(work: Callable[[jax.Array], Arrays], x: jax.Array) -> Arrays:
    """`work(x)`, worked out once however many use it. No entry of x is below 0; it has no gradient."""
    if not _on_cpu():
        return work(x)
    shapes = jax.eval_shape(work, x)
    # Nothing is fused across a branch, and the compiler cannot know that this one is always taken.
    return jax.lax.cond(jnp.max(x) >= 0, work, lambda _: jax.tree.map(_zeros, shapes), x)


def product(x: jax.Array, matrix: jax.Array) -> jax.Array:
    """x [n, i] times matrix [i, o], multiplied in the precision of the matrix; the result has that of x."""
    if _on_cpu() and x.dtype == matrix.dtype:
        return _product(x, matrix)
    return jnp.matmul(x.astype(matrix.dtype), matrix, preferred_element_type=x.dtype)


@jax.custom_vjp
def _product(x: jax.Array, matrix: jax.Array) -> jax.Array:
    return x @ matrix


def _forward(x: jax.Array, matrix: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return x @ matrix, (x, matrix)


def _backward(factors: tuple[jax.Array, jax.Array], back: jax.Array) -> tuple[jax.Array, jax.Array]:
    x, matrix = factors
    written_out = jax.lax.optimization_barrier  # else a transpose becomes a flag of the product
    return back @ matrix.T, written_out(written_out(x.T) @ back)


_product.defvjp(_forward, _backward)


def _zeros(shape: jax.ShapeDtypeStruct) -> jax.Array:
    return jnp.zeros(shape.shape, shape.dtype)


def _on_cpu() -> bool:
    return jax.default_backend() == "cpu"
