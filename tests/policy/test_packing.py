"""Packing lays traces side by side and changes nothing of what is computed."""

import jax.numpy as jnp
import numpy as np
import pytest

from policy.config import DecoderConfig
from policy.decoder import Params
from policy.errors import PolicyError
from policy.gradients import target_logp
from policy.packing import Example, Packed, batches, pack


def example(prompt: list[int], rest: list[int], weight: float = 1.0) -> Example:
    """A trace whose `rest` was sampled, each token with the log-probability -id."""
    ids = np.array([*prompt, *rest], np.int32)
    sampled = np.arange(len(ids)) >= len(prompt)
    return Example(ids, sampled, np.where(sampled, -ids, 0).astype(np.float32), float(rest[0]), weight)


def test_a_shared_prompt_is_stored_once_up_to_its_last_token() -> None:
    packed = pack([example([1, 2, 3], [10, 11]), example([1, 2, 3], [20])], width=8)
    row = Packed(*(array[0].tolist() for array in packed))
    assert row.ids == [1, 2, 3, 10, 11, 3, 20, 0]
    assert row.positions == [0, 1, 2, 3, 4, 2, 3, 0]
    assert row.trunk == [1, 1, 1, 1, 1, 1, 1, 0]
    assert row.branch == [0, 0, 1, 1, 1, 2, 2, 0]
    assert row.target == [0, 0, 10, 11, 0, 20, 0, 0]
    assert row.logp == [0, 0, -10, -11, 0, -20, 0, 0]
    assert row.advantage == [0, 0, 10, 10, 0, 20, 0, 0]
    assert row.weight == [0, 0, 1, 1, 0, 1, 0, 0]


def test_only_sampled_tokens_weigh() -> None:
    trace = example([1, 2], [10, 11, 12])
    packed = pack([trace._replace(sampled=np.array([0, 0, 1, 0, 1], bool))], width=8)
    assert packed.weight[0].tolist() == [0, 1, 0, 1, 0, 0, 0, 0]


def test_every_example_is_laid_exactly_once_and_rows_fill_up() -> None:
    rng = np.random.default_rng(0)
    traces = [
        example([1 + i // 4, *range(100, 110)], rng.integers(2, 90, rng.integers(5, 40)).tolist())
        for i in range(40)
    ]
    packed = pack(traces, width=128)
    sampled = sum(int(trace.sampled.sum()) for trace in traces)
    assert int((packed.weight > 0).sum()) == sampled
    assert np.sort(packed.target[packed.weight > 0]).tolist() == sorted(
        token for trace in traces for token in trace.ids[trace.sampled].tolist()
    )
    assert np.mean(packed.trunk > 0) > 0.8


def test_a_trace_longer_than_a_row_is_refused() -> None:
    with pytest.raises(PolicyError, match="an episode of 5 tokens does not fit into a row of 4; raise"):
        pack([example([1, 2], [3, 4, 5])], width=4)


def test_the_last_micro_batch_is_padded_with_empty_rows() -> None:
    packed = pack([example([n], [5] * 7) for n in range(1, 4)], width=8)
    parts = list(batches(packed, rows=2))
    assert [part.ids.shape for part in parts] == [(2, 8), (2, 8)]
    assert not parts[1].trunk[1].any()


def test_a_packed_branch_computes_what_it_would_alone(decoder: DecoderConfig, params: Params) -> None:
    rng = np.random.default_rng(1)
    prompt = rng.integers(1, 255, 9).tolist()
    traces = [example(prompt, rng.integers(1, 255, n).tolist()) for n in (4, 7, 5)]
    traces.append(example(rng.integers(1, 255, 6).tolist(), rng.integers(1, 255, 6).tolist()))
    together = pack(traces, width=64)
    logp = np.asarray(target_logp(decoder, params, together, jnp.float32(1.0)))
    for trace in traces:
        alone = pack([trace], width=64)
        expected = np.asarray(target_logp(decoder, params, alone, jnp.float32(1.0)))[alone.weight > 0]
        mine = (together.weight > 0) & (together.advantage == trace.advantage)
        np.testing.assert_allclose(logp[mine], expected, atol=1e-5)
