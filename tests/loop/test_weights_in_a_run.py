"""A run that begins with published weights: its shape comes from them, and no demonstration is shown."""

import re
from pathlib import Path

import pytest
import yaml

from loop.config import Config
from loop.errors import ConfigError
from loop.learning.decoder import DecoderLearner
from loop.learning.learner import Graded, Request
from loop.loading import build
from loop.loading import load as load_config
from planet.world.session import Session
from policy.config import PolicyConfig
from policy.weights.source import load
from tests.fakes_chat import LLAMA, PLAIN, QWEN, write_folder
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world

pytest.importorskip("safetensors", reason="needs the extra `weights`")

ROOT = Path(__file__).parents[2]
SMALL = {
    "context": 2_048, "slots": 2, "decode_buckets": (2,), "chunk_tokens": 512, "chunk_widths": (64, 512),
    "max_turn_tokens": 8, "max_turns": 2,
}  # fmt: skip


def policy_of(folder: Path, **more: object) -> dict[str, object]:
    return {"codec": "chat", "weights": str(folder), **more}


def test_the_decoder_takes_the_shape_of_the_weights(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", QWEN)
    config = build({"policy": policy_of(folder)}, "x.yaml")
    assert config.policy.decoder == QWEN
    again = build(config.model_dump(mode="json"), "a run directory")
    assert isinstance(again, Config) and again.policy == config.policy


def test_what_contradicts_the_weights_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", QWEN)
    with pytest.raises(ConfigError, match=r"policy\.decoder\.layers=9 is not that of the weights, 2; leave"):
        build({"policy": policy_of(folder, decoder={"layers": 9})}, "x.yaml")
    with pytest.raises(ConfigError, match=r"x\.yaml: policy\.weights: .*nowhere does not exist; name a"):
        build({"policy": policy_of(tmp_path / "nowhere")}, "x.yaml")
    with pytest.raises(
        ConfigError, match="codec='chat' does not go with weights=None; give `codec: chat` and"
    ):
        build({"policy": {"codec": "chat"}}, "x.yaml")


def test_the_configuration_of_the_page_loads(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "real_weights.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    folder = write_folder(tmp_path / "model", QWEN)
    tree = yaml.safe_load(told.replace("models/Qwen3-0.6B", str(folder)))
    base = ROOT / "experiments" / tree.pop("extends")
    policy = load_config(base, changes=(tree,)).policy
    assert policy.decoder == QWEN.model_copy(update={"remat": True}) and policy.codec == "chat"


def test_settings_that_are_not_used_leave_no_trace_in_a_configuration() -> None:
    assert not {"codec", "weights", "thinking"} & PolicyConfig().model_dump().keys()


def test_weights_are_adopted_played_trained_stored_and_read_back(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "model", LLAMA)
    config = build(
        {"policy": policy_of(folder, rollout=SMALL, packing={"width": 2_048, "rows": 1})}, "x.yaml"
    ).policy
    learner = DecoderLearner(config, 0, tmp_path / "cache")
    assert learner.warm_start((), lambda steps: None) == {}
    world, key = toy_world()
    task = toy_task(world)

    def opened() -> Session:
        session = Session(world, key)
        session.begin(task)
        return session

    view = task.view.model_copy(update={"tools": task.view.tools[:2]})
    rollouts = learner.play([Request(str(n), view, opened) for n in range(2)], 1.0)
    assert [len(rollout.trajectory.calls) for rollout in rollouts] == [2, 2]  # random weights say nothing
    grade = rollouts[0].session.grade()
    marked = [grade.model_copy(update={"reward": reward}) for reward in (0.0, 1.0)]
    before = load(folder).params["embedding"]
    learner.update([[Graded(r, g) for r, g in zip(rollouts, marked, strict=True)]])
    assert learner.version == 1 and not (learner.state.params["embedding"] == before).all()
    store = learner.store(tmp_path / "checkpoints")
    store.save(3, {})
    other = DecoderLearner(config, 0, tmp_path / "cache")
    assert other.store(tmp_path / "checkpoints").load(3)["version"] == 1
    assert (other.state.params["embedding"] == learner.state.params["embedding"]).all()
    plain = write_folder(tmp_path / "plain", LLAMA, PLAIN)
    stranger = DecoderLearner(config.model_copy(update={"weights": str(plain)}), 0, tmp_path / "cache")
    with pytest.raises(
        ConfigError, match=r"tokenizer or chat template of .* are not those that the checkpoint"
    ):
        stranger.store(tmp_path / "checkpoints").load(3)
