"""This project's side of `benchmarks.decoding`: the compiled decoding of rollouts, float32 weights."""

import sys
import time
from typing import Any

from benchmarks.decoding_work import Work
from benchmarks.sides import Figures, answer, peak_memory

NEVER = -1
"""A token that no vocabulary has: no turn ends before its limit."""


def measure(given: Figures) -> Figures:
    """Figures of a work: per batch the seconds of every measurement and what was said."""
    import jax

    from policy.memory import keep_freed_memory
    from policy.weights.source import load

    keep_freed_memory()
    work = Work(**given)
    weights = load(work.weights)
    seconds, said = {}, {}
    for batch in work.batches:
        seconds[str(batch)], said[str(batch)] = timed(weights.config, weights.params, work, batch)
    return {
        "seconds": seconds,
        "said": said,
        "memory": peak_memory(),
        "settings": {"jax": jax.__version__, "weights": "float32", "cache": "float32"},
    }


def timed(config: Any, params: Any, work: Work, batch: int) -> tuple[list[float], list[list[int]]]:
    """Seconds of decoding calls after one that compiles, and the ids that the last of them sampled."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from policy import generation

    length = len(work.prompts[0])
    rows, lengths = np.arange(batch, dtype=np.int32), np.full(batch, length, np.int32)
    cache = generation.empty_cache(config, batch, length + work.new)
    ids = np.asarray(work.prompts[:batch], np.int32)
    cache = generation.read(config, length, params, cache, rows, ids, lengths, np.zeros_like(lengths))
    start = np.asarray(cache.logits)  # decoding leaves those of its own last token
    seconds: list[float] = []
    for _ in range(work.repeat + 1):
        cache = jax.block_until_ready(cache._replace(logits=jnp.asarray(start)))
        began = time.perf_counter()
        cache, said = generation.decode(
            config, length, work.new, NEVER, params, cache, rows, lengths, np.full(batch, work.new, np.int32),
            jnp.int32(batch), np.arange(batch, dtype=np.uint32), jnp.uint32(0), jnp.float32(0.0),
        )  # fmt: skip
        jax.block_until_ready((cache, said))
        seconds.append(time.perf_counter() - began)
    return seconds[1:], np.asarray(said.ids).tolist()


if __name__ == "__main__":
    raise SystemExit(answer(measure, sys.argv[1:]))
