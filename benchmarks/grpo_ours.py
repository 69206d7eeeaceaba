"""This project's side of `benchmarks.grpo`: rollouts of the engine, group advantages, one GRPO update."""

import sys
import time
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from benchmarks.grpo_work import (
    CLIP_HIGH,
    CLIP_LOW,
    CLIP_NORM,
    LEARNING_RATE,
    TEMPERATURE,
    Work,
    prompt,
    reward,
)
from benchmarks.sides import Figures, SideError, answer, peak_memory
from planet.records.view import TaskView
from policy.bench_tasks import requests
from policy.codec import Answer
from policy.config import (
    DecoderConfig,
    GrpoConfig,
    OptimizerConfig,
    PackingConfig,
    PolicyConfig,
    RolloutConfig,
)


class Numbers:
    """A codec whose prompts are the work's, and whose turns are answers that only their limit ends."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.end = work.rows  # a token that the vocabulary lacks

    def episode(self, view: TaskView, unheard: frozenset[str] = frozenset()) -> "OneTurn":
        """The codec of one episode; the task's number follows its name."""
        return OneTurn(prompt(self.work, int(view.task_id.rpartition("-")[2])))


class OneTurn:
    """A prompt and an answer."""

    overflow = 0

    def __init__(self, ids: list[int]) -> None:
        self.ids = ids

    def prompt(self) -> list[int]:
        """The task's tokens."""
        return self.ids

    def parse(self, ids: Sequence[int]) -> Answer:
        """Whatever was said ends the episode."""
        return Answer("")

    def observation(self, result: Any) -> list[int]:
        """Nothing: no tool is called."""
        return []

    def encode_call(self, tool: str, arguments: dict[str, Any]) -> list[int]:
        """Nothing: no tool is called."""
        return []

    def encode_answer(self, text: str) -> list[int]:
        """Nothing: nobody demonstrates."""
        return []

    def literals(self) -> tuple[str, ...]:
        """None."""
        return ()


def policy_of(work: Work) -> PolicyConfig:
    """The main job's settings, but for what the work prescribes and the other trainer cannot do.

    SideError, in one line, for a work that makes no policy.
    """
    try:
        return _policy(work)
    except ValidationError as error:
        told = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise SideError(f"the work makes no policy: {told}") from None


def _policy(work: Work) -> PolicyConfig:
    episode = work.read + work.said
    context = -(-episode // 128) * 128
    return PolicyConfig(
        decoder=DecoderConfig(
            width=work.width,
            layers=work.layers,
            heads=work.heads,
            kv_heads=work.kv_heads,
            head_width=work.head_width,
            hidden=work.hidden,
            vocabulary_rows=work.rows,
        ),
        rollout=RolloutConfig(
            temperature=TEMPERATURE,
            context=context,
            max_turns=1,
            max_turn_tokens=work.said,
            decode_steps=work.said,
        ),
        # Whole episodes, so that a row is full; never less than the context.
        packing=PackingConfig(width=max(256 // episode, -(-context // episode)) * episode),
        grpo=GrpoConfig(
            group_size=work.group,
            clip_low=CLIP_LOW,
            clip_high=CLIP_HIGH,
            negative_weight=1.0,
            optimizer=OptimizerConfig(name="adam", learning_rate=LEARNING_RATE, clip_norm=CLIP_NORM),
        ),
    )


def measure(given: Figures) -> Figures:
    """Figures of a work: seconds of every timed update, whole and in its two parts."""
    import jax

    work = Work(**given)
    config = policy_of(work)
    loop = Loop(work, config)
    before = peak_memory()
    generating, updating = [], []
    for number in range(work.warm + work.repeat):
        began = time.perf_counter()
        rollouts = loop.play(number)
        played = time.perf_counter()
        loop.learn(rollouts)
        generating.append(played - began)
        updating.append(time.perf_counter() - played)
    return {
        "seconds": [a + b for a, b in zip(generating, updating, strict=True)][work.warm :],
        "generating": generating[work.warm :],
        "updating": updating[work.warm :],
        "memory_before": before,
        "memory": peak_memory(),
        "counts": _counted(rollouts),
        "settings": {
            "jax": jax.__version__,
            "parameters": sum(leaf.size for leaf in jax.tree.leaves(loop.state.params)),
            "rollout": config.rollout.model_dump(mode="json"),
            "packing": config.packing.model_dump(mode="json"),
            "grpo": config.grpo.model_dump(mode="json"),
        },
    }


class Loop:
    """Play, then learn, as the main job does."""

    def __init__(self, work: Work, config: PolicyConfig) -> None:
        from policy.rollout import RolloutEngine
        from policy.trainer import Trainer

        self.work = work
        self.engine = RolloutEngine(Numbers(work), config.decoder, config.rollout)
        self.trainer = Trainer(config.decoder, config.grpo, config.packing, TEMPERATURE)
        self.state = self.trainer.init(0)
        self.requests = requests(work.prompts, work.group)

    def play(self, number: int) -> Sequence[Any]:
        """The episodes of an update."""
        return self.engine.run(self.state.params, self.requests, seed=number, version=number)

    def learn(self, rollouts: Sequence[Any]) -> None:
        """Score them, compare each with its group, and take a step."""
        import jax
        import numpy as np

        from policy.advantages import group_advantages
        from policy.trainer import Scored

        earned = [reward(rollout.tokens.ids[rollout.tokens.sampled].tolist()) for rollout in rollouts]
        grouped = np.asarray(earned, np.float32).reshape(self.work.prompts, self.work.group)
        advantages = np.asarray(group_advantages(grouped, self.trainer.config.normalisation)).ravel()
        scored = [Scored(r.tokens, float(a)) for r, a in zip(rollouts, advantages, strict=True)]
        self.state, _ = self.trainer.update(self.state, scored)
        jax.block_until_ready(self.state.params)


def _counted(rollouts: Sequence[Any]) -> dict[str, int]:
    said = sum(int(rollout.tokens.sampled.sum()) for rollout in rollouts)
    return {"read": sum(len(rollout.tokens.ids) for rollout in rollouts) - said, "said": said}


if __name__ == "__main__":
    raise SystemExit(answer(measure, sys.argv[1:]))
