"""How fast the policy plays and learns on this machine.

One run measures the peak of a matrix product, then rollouts and updates on tasks of `policy.bench_tasks`, so
that every number has its yardstick beside it.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from policy import vocabulary
from policy.bench_tasks import requests, schooled
from policy.config import PRESETS, PolicyConfig, PresetName
from policy.decoder import Params, count
from policy.episode import Rollout
from policy.rollout import RolloutEngine, Work
from policy.trainer import Scored, Trainer
from policy.world_codec import WorldCodec

GROUP = 8
"""Episodes of one task."""


class RolloutSpeed(NamedTuple):
    """How fast a batch of episodes is played; the fastest of some repetitions."""

    episodes: int
    tokens: int  # read or sampled, prompts of a group counted for every member
    sampled: int  # of them chosen by the policy
    seconds: float
    compiling: float  # seconds that the first time took longer
    in_python: float  # share of the time in codecs and tools, most of it while the device decodes
    read_full: float  # share of the room of prefill calls that was used
    decoded_full: float  # share of the rows and steps of decoding calls that were used
    compilations: int  # programs
    in_steady_state: int  # programs that were compiled after the first time


class UpdateSpeed(NamedTuple):
    """How fast updates on one batch of episodes are."""

    tokens: int  # of the batch, padding not counted
    seconds: float  # of the fastest update
    compiling: float  # seconds that the first update took longer
    gap: float  # largest difference of sampler and trainer in a log-probability
    devices: frozenset[jax.Device]  # that hold the parameters


def configured(preset: PresetName) -> tuple[PolicyConfig, WorldCodec]:
    """A policy of a preset for worlds of words, with as many rows as their vocabulary."""
    words = vocabulary.load()
    decoder = PRESETS[preset].model_copy(update={"vocabulary_rows": words.rows})
    return PolicyConfig(decoder=decoder), WorldCodec(words)


def measure(preset: PresetName, episodes: int, repeat: int, out: Path | None = None) -> None:
    """Print the peak, rollouts of `episodes` in groups of 8, and updates on them; best of `repeat`."""
    config, codec = configured(preset)
    params = schooled(config, codec)
    peak = matrix_peak()
    size = count(params)
    played, rollouts = time_rollouts(config, codec, params, episodes, repeat)
    learned = time_updates(config, params, rollouts, repeat)
    figures = {
        "peak_gflops": peak / 1e9,
        "parameters": size,
        "episodes": played.episodes,
        "rollout_episodes_per_s": played.episodes / played.seconds,
        "rollout_tokens_per_s": played.tokens / played.seconds,
        "rollout_sampled_per_s": played.sampled / played.seconds,
        "rollout_share_of_peak": 2 * size * played.tokens / played.seconds / peak,
        "rollout_in_python": played.in_python,
        "prefill_used": played.read_full,
        "decoding_used": played.decoded_full,
        "programs": played.compilations,
        "programs_in_steady_state": played.in_steady_state,
        "update_tokens_per_s": learned.tokens / learned.seconds,
        "update_seconds": learned.seconds,
        "update_share_of_peak": 6 * size * learned.tokens / learned.seconds / peak,
        "agreement": learned.gap,
        "compiling_s": played.compiling + learned.compiling,
        "peak_memory_mib": peak_memory() / 2**20,
    }
    for name, value in figures.items():
        print(f"{name:26s} {_shown(value):>12s}   {MEANING[name]}")
    if out is not None:
        out.write_text(json.dumps({"preset": preset, **figures}, indent=1) + "\n", encoding="utf-8")


MEANING = {
    "peak_gflops": "float32 product of 2048 x 2048 matrices, the best of some, all cores",
    "parameters": "of the decoder",
    "episodes": "of a batch, in groups of 8",
    "rollout_episodes_per_s": "played to their end",
    "rollout_tokens_per_s": "read or sampled, prompts counted for every episode",
    "rollout_sampled_per_s": "of them chosen by the policy",
    "rollout_share_of_peak": "2 x parameters x tokens/s, of the peak",
    "rollout_in_python": "share of the time in codecs and tools, most of it while the device decodes",
    "prefill_used": "share of the tokens that prefill calls had room for",
    "decoding_used": "share of the rows and steps of decoding calls",
    "programs": "compiled for rollouts",
    "programs_in_steady_state": "compiled after the first batch",
    "update_tokens_per_s": "padding not counted, prompts counted for every episode",
    "update_seconds": "of one update on the batch",
    "update_share_of_peak": "6 x parameters x tokens/s, of the peak",
    "agreement": "largest difference of sampler and trainer in a log-probability, relative to 1 + |logp|",
    "compiling_s": "that the first batch and the first update took longer",
    "peak_memory_mib": "of the process, compilation included",
}
"""What the printed figures are."""


def matrix_peak() -> float:
    """Best floating-point operations per second of a product of 2048 x 2048 float32 matrices."""
    size = 2048
    product = jax.jit(jnp.matmul)
    matrix = jnp.ones((size, size))
    seconds = _best(lambda: product(matrix, matrix), 10)
    return 2 * size**3 / seconds


def peak_memory() -> int:
    """The most bytes that this process had resident so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def time_rollouts(
    config: PolicyConfig, codec: WorldCodec, params: Params, episodes: int, repeat: int
) -> tuple[RolloutSpeed, list[Rollout]]:
    """The speed of a batch, after one that compiles; and its rollouts."""
    engine = RolloutEngine(codec, config.decoder, config.rollout)
    wanted = requests(-(-episodes // GROUP), GROUP)[:episodes]
    rollouts: list[Rollout] = []

    def play() -> None:
        rollouts[:] = engine.run(params, wanted, seed=0)

    first = _best(play, 1)
    compiled = engine.compilations
    engine.work = Work()
    times = _timed(play, repeat)
    best = min(times)
    work = engine.work
    speed = RolloutSpeed(
        episodes=episodes,
        tokens=sum(len(rollout.tokens.ids) for rollout in rollouts),
        sampled=sum(int(rollout.tokens.sampled.sum()) for rollout in rollouts),
        seconds=best,
        compiling=first - best,
        in_python=work.in_python / sum(times),  # of all repetitions, as the work is
        read_full=work.read / max(work.read_room, 1),
        decoded_full=work.decoded / max(work.decoded_room, 1),
        compilations=compiled,
        in_steady_state=engine.compilations - compiled,
    )
    return speed, rollouts


def time_updates(config: PolicyConfig, params: Params, rollouts: list[Rollout], repeat: int) -> UpdateSpeed:
    """The fastest of `repeat` updates on rollouts, after one that compiles; `params` are left as they are."""
    trainer = Trainer(config.decoder, config.grpo, config.packing)
    scored = [Scored(rollout.tokens, (-1.0) ** n) for n, rollout in enumerate(rollouts)]
    tokens = sum(len(rollout.tokens.ids) for rollout in rollouts)
    state = trainer.adopt(jax.tree.map(jnp.copy, params))
    gaps: list[float] = []

    def update() -> None:
        nonlocal state
        # Always the version that sampled: tokens of older ones cost a pass that the main job does not make.
        state, metrics = trainer.update(state._replace(version=0), scored)
        gaps.append(metrics["agreement_gap"])
        jax.block_until_ready(state.params)

    first = _best(update, 1)
    best = _best(update, repeat)
    devices = frozenset(device for leaf in jax.tree.leaves(state.params) for device in leaf.devices())
    return UpdateSpeed(tokens, best, first - best, gaps[0], devices)


def _shown(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,d}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _best(action: Callable[[], Any], repeat: int) -> float:
    """Seconds of the fastest of some repetitions."""
    return min(_timed(action, repeat))


def _timed(action: Callable[[], Any], repeat: int) -> list[float]:
    """Seconds of each of some repetitions."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        jax.block_until_ready(action())
        seconds.append(time.perf_counter() - start)
    return seconds
