"""What is told to XLA on a CPU changes nothing but speed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from policy.xla_cpu import once, product


def factors() -> tuple[jax.Array, jax.Array]:
    x, matrix = (jax.random.normal(jax.random.key(n), shape) for n, shape in enumerate([(6, 5), (5, 4)]))
    return x, matrix


def test_a_product_and_its_gradients_are_those_of_matmul() -> None:
    def squared(multiply):
        return jax.value_and_grad(lambda x, m: jnp.sum(multiply(x, m) ** 2), argnums=(0, 1))

    ours, plain = (jax.jit(squared(way))(*factors()) for way in (product, jnp.matmul))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), ours, plain)


def test_a_matrix_of_lower_precision_is_multiplied_in_its_own() -> None:
    x, matrix = factors()
    low = matrix.astype(jnp.bfloat16)
    result = product(x, low)
    assert result.dtype == jnp.float32
    assert jnp.array_equal(
        result, jnp.matmul(x.astype(jnp.bfloat16), low, preferred_element_type=jnp.float32)
    )
    assert not np.allclose(result, x @ low.astype(jnp.float32), rtol=1e-6)


@pytest.mark.parametrize("x", [[0.0, 1.5], [0.0, 0.0]], ids=["positions", "all at the start"])
def test_what_is_worked_out_once_is_what_the_work_gives(x: list[float]) -> None:
    def work(x: jax.Array) -> tuple[jax.Array, ...]:
        return jnp.cos(x), jnp.sin(x)

    for got, wanted in zip(jax.jit(lambda x: once(work, x))(jnp.array(x)), work(jnp.array(x)), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_cosines_are_compiled_once_though_many_products_use_them() -> None:
    def many(x: jax.Array) -> jax.Array:
        (cos,) = once(lambda x: (jnp.cos(x),), x)
        return sum(jnp.sum(jnp.dot(cos * n, cos.T)) for n in range(3))  # type: ignore[return-value]

    text = jax.jit(many).lower(jnp.ones((64, 64))).compile().as_text()
    assert text.count(" cosine(") == 1
