"""Checkpoints are whole or absent, and give back every bit."""

import shutil
from pathlib import Path

import jax
import numpy as np
import pytest

from policy.checkpoint import CheckpointStore, without_arrays
from policy.config import DecoderConfig, GrpoConfig
from policy.errors import CheckpointError
from policy.rollout import RolloutEngine
from policy.state import TrainState
from policy.trainer import Scored, Trainer
from tests.fakes_policy import toy_task
from tests.policy.conftest import PACKING

METADATA = {"big": 2**127, "nothing": None, "nested": {"share": 0.1}}


def equal(first: TrainState, second: TrainState) -> bool:
    same = jax.tree.map(lambda a, b: np.asarray(a).tobytes() == np.asarray(b).tobytes(), first, second)
    return jax.tree.all(same)


def test_a_state_is_read_back_bit_by_bit_with_its_metadata(trainer: Trainer, tmp_path: Path) -> None:
    state = trainer.init(1)._replace(version=7)
    CheckpointStore(tmp_path / "new").save(12, state, METADATA)
    read, metadata = CheckpointStore(tmp_path / "new").load(12, trainer.init(2))
    assert equal(read, state)
    assert read.version == 7
    assert metadata == METADATA


def test_a_state_is_read_into_shapes_that_hold_no_arrays(trainer: Trainer, tmp_path: Path) -> None:
    state = trainer.init(1)
    CheckpointStore(tmp_path).save(3, state, {})
    template = without_arrays(trainer.init(2))
    assert not any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(template))
    assert equal(CheckpointStore(tmp_path).load(3, template)[0], state)


def test_a_reader_leaves_what_another_process_is_writing_and_a_writer_takes_it_away(
    trainer: Trainer, tmp_path: Path
) -> None:
    CheckpointStore(tmp_path).save(0, trainer.init(0), {})
    (tmp_path / "7.orbax-checkpoint-tmp").mkdir()
    store = CheckpointStore(tmp_path)
    store.load(0, trainer.init(0))
    assert store.steps() == [0] and (tmp_path / "7.orbax-checkpoint-tmp").exists()
    store.save(8, trainer.init(0), {})
    assert store.steps() == [0, 8] and not (tmp_path / "7.orbax-checkpoint-tmp").exists()


def test_training_continues_from_a_checkpoint_as_if_never_stopped(
    engine: RolloutEngine, trainer: Trainer, tmp_path: Path
) -> None:
    store = CheckpointStore(tmp_path)
    state = trainer.init(0)
    rollouts = engine.run(state.params, [toy_task(0, 0, "direct").request(str(k)) for k in range(4)], seed=0)
    scored = [Scored(rollout.tokens, 1.0 - k / 2) for k, rollout in enumerate(rollouts)]
    state, _ = trainer.update(state, scored)
    store.save(1, state, {})
    straight, _ = trainer.update(state, scored)
    resumed, _ = trainer.update(store.load(1, trainer.init(5))[0], scored)
    assert equal(resumed, straight)


def test_steps_are_listed_replaced_and_dropped(trainer: Trainer, tmp_path: Path) -> None:
    store, state = CheckpointStore(tmp_path), trainer.init(0)
    for step in (0, 3, 5):
        store.save(step, state, {"step": step})
    assert store.steps() == [0, 3, 5]
    store.drop(5)
    store.save(3, state, {"step": "again"})
    assert store.steps() == [0, 3]
    assert store.load(3, state)[1] == {"step": "again"}


def test_what_a_killed_save_left_behind_is_no_checkpoint(trainer: Trainer, tmp_path: Path) -> None:
    CheckpointStore(tmp_path).save(1, trainer.init(0), {})
    shutil.copytree(tmp_path / "1", tmp_path / "2.orbax-checkpoint-tmp")
    store = CheckpointStore(tmp_path)
    assert store.steps() == [1]
    store.save(2, trainer.init(0), {})
    assert store.steps() == [1, 2]


def test_a_missing_step_and_another_shape_are_refused_by_name(trainer: Trainer, tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path)
    store.save(1, trainer.init(0), {})
    with pytest.raises(CheckpointError, match=r"holds no checkpoint of step 2; it holds \[1\]"):
        store.load(2, trainer.init(0))
    other = Trainer(DecoderConfig(width=16, layers=1, vocabulary_rows=256), GrpoConfig(), PACKING)
    with pytest.raises(CheckpointError, match="use the decoder, algorithm and optimizer it was"):
        store.load(1, other.init(0))


@pytest.mark.parametrize("damage", ["description", "undescribed", "arrays", "halved"])
def test_a_damaged_checkpoint_is_named_with_the_way_on(damage: str, trainer: Trainer, tmp_path: Path) -> None:
    state = trainer.init(0)
    CheckpointStore(tmp_path).save(3, state, {})
    folder = tmp_path / "3"
    if damage == "description":
        (folder / "_CHECKPOINT_METADATA").write_text("{garbage")
    elif damage == "undescribed":
        (folder / "_CHECKPOINT_METADATA").unlink()
    elif damage == "arrays":
        shutil.rmtree(folder / "state")
    else:
        for file in (folder / "state").rglob("*"):
            if file.is_file():
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(
        CheckpointError, match=r"^checkpoint 3 of .* cannot be read: it is damaged or incomplete \(.*; take "
    ) as raised:
        CheckpointStore(tmp_path).load(3, state)
    assert "\n" not in str(raised.value)
