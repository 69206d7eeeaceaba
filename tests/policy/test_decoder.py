"""The decoder computes the same however its tokens are laid out."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from policy import generation
from policy.config import DecoderConfig
from policy.decoder import Params, angles, count, network, parameters, reading, rotate


@partial(jax.jit, static_argnums=0)
def logits(config: DecoderConfig, params: Params, ids: jax.Array) -> jax.Array:
    """Logits [t, v] of one sequence, without a cache."""
    decoder = network(config, params)
    t = len(ids)
    mask = jnp.tril(jnp.ones((t, t), bool))[None]
    hidden, _ = decoder.hidden(ids[None], jnp.arange(t)[None], [reading(mask)] * config.layers)
    return decoder.logits(hidden)[0]


IDS = np.random.default_rng(0).integers(1, 255, 12).astype(np.int32)


def test_equal_seeds_give_equal_parameters_and_others_do_not(decoder: DecoderConfig) -> None:
    first, same, other = parameters(decoder, 3), parameters(decoder, 3), parameters(decoder, 4)
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), first, same))
    assert not (first["embedding"] == other["embedding"]).all()


def test_the_tiny_preset_has_fewer_than_a_million_parameters() -> None:
    shapes = jax.eval_shape(lambda: parameters(DecoderConfig(), 0))
    assert count(shapes) < 1_000_000


def test_a_token_does_not_see_later_ones(decoder: DecoderConfig, params: Params) -> None:
    changed = IDS.copy()
    changed[8:] = 7
    np.testing.assert_allclose(
        logits(decoder, params, IDS)[:8], logits(decoder, params, changed)[:8], atol=1e-6
    )


def test_the_cache_changes_nothing(decoder: DecoderConfig, params: Params) -> None:
    cache = generation.empty_cache(decoder, 3, 32)
    rows = np.array([2, 0, 3, 3], np.int32)  # 3 is beyond the cache: padding
    for start, stop in ((0, 7), (7, 12)):
        chunk = np.zeros((4, 16), np.int32)
        chunk[:2, : stop - start] = IDS[start:stop]
        lengths, counts = np.full(4, start, np.int32), np.full(4, stop - start, np.int32)
        cache = generation.read(decoder, 16, params, cache, rows, chunk, counts, lengths)
    expected = np.asarray(logits(decoder, params, IDS)[-1])
    np.testing.assert_allclose(np.asarray(cache.logits)[[0, 2]], [expected, expected], atol=1e-5)
    assert not np.asarray(cache.logits)[1].any(), "a row that was not read is untouched"


@pytest.mark.parametrize("change", [{"qk_norm": False}, {"tied": False}, {"kv_heads": 2}])
def test_switches_change_the_parameters_and_the_result(
    decoder: DecoderConfig, params: Params, change: dict
) -> None:
    other = DecoderConfig(**(decoder.model_dump() | change))
    fresh = parameters(other, 0)
    assert jax.tree.structure(fresh) != jax.tree.structure(params) or count(fresh) != count(params)
    assert not np.allclose(logits(other, fresh, IDS), logits(decoder, params, IDS))


def test_rotation_keeps_length_and_depends_on_distance_alone(decoder: DecoderConfig) -> None:
    x = jax.random.normal(jax.random.key(0), (1, 1, 2, decoder.head_width))

    def product(first: int, second: int) -> float:
        turned = rotate(x, angles(jnp.array([[first, second]]), decoder))
        return float(turned[0, 0, 0] @ turned[0, 0, 1])

    assert product(3, 7) == pytest.approx(product(13, 17), abs=1e-4)
    turned = rotate(x, angles(jnp.array([[5, 9]]), decoder))
    np.testing.assert_allclose(jnp.linalg.norm(turned, axis=-1), jnp.linalg.norm(x, axis=-1), rtol=1e-5)


def test_a_greedy_token_is_the_most_likely_one_at_temperature_one() -> None:
    logits = jnp.log(jnp.array([[0.2, 0.5, 0.3]]))
    token, logp = generation.choose(logits, jnp.array([0.9]), jnp.float32(0))
    assert int(token[0]) == 1
    assert float(logp[0]) == pytest.approx(-0.693147, abs=1e-5)  # ln 0.5


def test_samples_follow_the_distribution_at_their_temperature() -> None:
    # At temperature 2, weights 0.8 : 0.2 become sqrt(0.8) : sqrt(0.2) = 0.894 : 0.447, that is 2/3 : 1/3.
    logits = jnp.tile(jnp.log(jnp.array([0.8, 0.2])), (4000, 1))
    tokens, logp = generation.choose(logits, jax.random.uniform(jax.random.key(1), 4000), jnp.float32(2.0))
    assert float(jnp.mean(tokens == 0)) == pytest.approx(2 / 3, abs=0.03)
    assert float(logp[jnp.argmin(tokens)]) == pytest.approx(np.log(2 / 3), abs=1e-5)


def test_a_token_is_drawn_where_the_distribution_function_passes_the_random_number() -> None:
    # cumulated 0, 0.2, 0.2, 0.7, 1: of five tokens in blocks of two, the first and the third have no mass
    logits = jnp.tile(jnp.log(jnp.array([0.0, 0.2, 0.0, 0.5, 0.3])), (6, 1))
    uniform = jnp.array([0.0, 0.19, 0.21, 0.69, 0.71, np.nextafter(np.float32(1), np.float32(0))])
    tokens, logp = generation.choose(logits, uniform, jnp.float32(1.0))
    assert tokens.tolist() == [1, 1, 3, 3, 4, 4]
    np.testing.assert_allclose(jnp.exp(logp), [0.2, 0.2, 0.5, 0.5, 0.3, 0.3], rtol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 7, 1024, 1500])
def test_no_token_without_mass_is_drawn_from_vocabularies_of_any_size(size: int) -> None:
    rng = np.random.default_rng(size)
    logits = np.where(rng.random((64, size)) < 0.5, -np.inf, rng.normal(size=(64, size)) * 9)
    logits[:, rng.integers(size)] = 0.0
    tokens, logp = generation.choose(jnp.asarray(logits), jnp.asarray(rng.random(64)), jnp.float32(1.0))
    assert np.isfinite(np.take_along_axis(logits, np.asarray(tokens)[:, None], 1)).all()
    assert np.isfinite(logp).all()
