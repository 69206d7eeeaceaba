"""How fast the policy plays and learns on this machine.

One run measures the peak of a matrix product, then rollouts and updates of an untrained decoder, so that
every number has its yardstick beside it. An untrained decoder rarely ends a turn before its token limit:
rollouts here are the slowest there are for their number of turns.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from planet.records.episode import Call, Ended, ToolResult, Trajectory
from planet.records.view import TaskView, ToolSpec
from policy import vocabulary
from policy.config import PRESETS, PolicyConfig, PresetName
from policy.decoder import Params, count, parameters
from policy.rollout import EpisodeRequest, Rollout, RolloutEngine
from policy.trainer import Scored, Trainer
from policy.world_codec import WorldCodec

ROW = {"id": "TIC-0007", "label": "Ann Lee", "status": "open"}
PAGE = ToolResult({"rows": [ROW, ROW | {"id": "TIC-0008"}], "page": 1, "more": False}, None)
VIEW = TaskView(
    task_id="bench",
    world_id="bench",
    instruction='set the status of ticket TIC-0007 to open and its due date to 2026-03-14 for "Ann Lee"',
    role="support_lead",
    tools=(
        ToolSpec(
            name="search_ticket",
            operation="search",
            resource="ticket",
            service=None,
            description="Find ticket records by filters.",
            parameters={"type": "object", "properties": {"filters": {"type": "array"}}},
        ),
    ),
)


@dataclass
class Echo:
    """A session that answers every call with the same page."""

    turns_left: int = 8
    calls: list[Call] = field(default_factory=list)

    def call(self, tool: str | None, arguments: dict[str, Any]) -> ToolResult:
        self.turns_left -= 1
        self.calls.append(Call(tool=tool, arguments=arguments, payload=PAGE.payload, error=None))
        return PAGE

    def finish(self, answer: str | None, ended: Ended) -> Trajectory:
        return Trajectory(
            task_id="bench", world_id="bench", calls=tuple(self.calls), answer=answer, ended=ended
        )


class UpdateSpeed(NamedTuple):
    """How fast updates on one batch of episodes are."""

    tokens: int  # of the batch, padding not counted
    seconds: float  # of the fastest update
    compiling: float  # seconds that the first update took longer
    gap: float  # largest difference of sampler and trainer in a log-probability
    devices: frozenset[jax.Device]  # that hold the parameters


def untrained(preset: PresetName) -> tuple[PolicyConfig, Params, vocabulary.Vocabulary]:
    """A policy of a preset whose episodes end only at their turn limit."""
    words = vocabulary.load()
    decoder = PRESETS[preset].model_copy(update={"vocabulary_rows": words.rows})
    config = PolicyConfig(decoder=decoder)
    config = config.model_copy(
        update={"rollout": config.rollout.model_copy(update={"max_unreadable": config.rollout.max_turns})}
    )
    return config, parameters(decoder, 0), words


def measure(preset: PresetName, episodes: int, repeat: int) -> None:
    """Print the peak, rollouts of `episodes` in groups of 8, and updates on them; best of `repeat`."""
    config, params, words = untrained(preset)
    peak = matrix_peak()
    print(f"matrix peak        {peak / 1e9:8.0f} GFLOP/s (float32, 1024 x 1024)")
    print(f"decoder            {count(params):8,d} parameters ({preset})")
    rollouts = _bench_rollouts(config, params, words, episodes, repeat, peak)
    _bench_updates(config, params, rollouts, repeat, peak)


def matrix_peak(size: int = 1024, repeat: int = 20) -> float:
    """Best floating-point operations per second of a square float32 product."""
    product = jax.jit(jnp.matmul)
    matrix = jnp.ones((size, size))
    seconds = _best(lambda: product(matrix, matrix), repeat)
    return 2 * size**3 / seconds


def _bench_rollouts(
    config: PolicyConfig,
    params: Params,
    words: vocabulary.Vocabulary,
    episodes: int,
    repeat: int,
    peak: float,
) -> list[Rollout]:
    engine = RolloutEngine(WorldCodec(words), config.decoder, config.rollout)
    requests = requests_of(episodes)
    rollouts: list[Rollout] = []

    def play() -> None:
        rollouts[:] = engine.run(params, requests, seed=0)

    first = _best(play, 1)
    compiled = engine.compilations
    best = _best(play, repeat)
    tokens = sum(len(rollout.tokens.ids) for rollout in rollouts)
    sampled = sum(int(rollout.tokens.sampled.sum()) for rollout in rollouts)
    share = 2 * count(params) * tokens / best / peak
    print(
        f"rollout            {tokens / best:8.0f} tokens/s, {sampled / best:.0f} of them sampled "
        f"({episodes} episodes, {tokens} tokens, {best:.2f} s; {share:.1%} of peak)"
    )
    print(
        f"compilations       {engine.compilations:8d} for rollouts ({first - best:.1f} s), "
        f"{engine.compilations - compiled} of them in steady state"
    )
    return rollouts


def requests_of(episodes: int) -> list[EpisodeRequest]:
    """Episodes of one task, in groups of 8."""
    return [EpisodeRequest(f"{n // 8}/{n % 8}", VIEW, Echo) for n in range(episodes)]


def time_updates(config: PolicyConfig, params: Params, rollouts: list[Rollout], repeat: int) -> UpdateSpeed:
    """The fastest of `repeat` updates on rollouts, after one that compiles; `params` are left as they are."""
    trainer = Trainer(config.decoder, config.grpo, config.packing)
    scored = [Scored(rollout.tokens, (-1.0) ** n) for n, rollout in enumerate(rollouts)]
    tokens = sum(len(rollout.tokens.ids) for rollout in rollouts)
    state = trainer.adopt(jax.tree.map(jnp.copy, params))
    gaps: list[float] = []

    def update() -> None:
        nonlocal state
        state, metrics = trainer.update(state, scored)
        gaps.append(metrics["agreement_gap"])
        jax.block_until_ready(state.params)

    first = _best(update, 1)
    best = _best(update, repeat)
    devices = frozenset(device for leaf in jax.tree.leaves(state.params) for device in leaf.devices())
    return UpdateSpeed(tokens, best, first - best, gaps[0], devices)


def _bench_updates(
    config: PolicyConfig, params: Params, rollouts: list[Rollout], repeat: int, peak: float
) -> None:
    speed = time_updates(config, params, rollouts, repeat)
    rate = speed.tokens / speed.seconds
    share = 6 * count(params) * rate / peak
    print(
        f"update             {rate:8.0f} tokens/s ({speed.seconds:.2f} s; {share:.1%} of peak; "
        f"compiling took {speed.compiling:.1f} s)"
    )
    print(
        f"agreement          {speed.gap:8.1e} largest difference of sampler and trainer in a log-probability"
    )


def _best(action: Callable[[], Any], repeat: int) -> float:
    """Seconds of the fastest of some repetitions."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        jax.block_until_ready(action())
        seconds.append(time.perf_counter() - start)
    return float(np.min(seconds))
