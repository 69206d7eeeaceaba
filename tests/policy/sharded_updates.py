"""Ten updates on fixed batches over whatever mesh is asked for, as a program of its own.

Devices and processes can only be chosen before JAX starts, so `test_sharding.py` runs this in subprocesses.
Prints one line of JSON: the losses, how a matrix and its optimizer state are laid out, and the loss of one
more update from every checkpoint that it was told to wait for.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from policy.checkpoint import CheckpointStore
from policy.config import PRESETS, GrpoConfig, MeshConfig, OptimizerConfig, PackingConfig, ProcessesConfig
from policy.episode import TokenTrace
from policy.mesh import join, use_mesh
from policy.trainer import Scored, Trainer, TrainState

UPDATES = 10
WAIT = 600.0  # seconds for another program's checkpoint


def batch(number: int) -> list[Scored]:
    """Eight episodes of 12 to 40 tokens in two groups that share their prompts; equal in every program."""
    rng = np.random.default_rng(number)
    items = []
    for group in range(2):
        prompt = rng.integers(1, 256, 10)
        for member in range(4):
            ids = np.concatenate([prompt, rng.integers(1, 256, int(rng.integers(2, 31)))]).astype(np.int32)
            sampled = np.arange(len(ids)) >= len(prompt)
            logp = np.where(sampled, rng.normal(-5.5, 0.3, len(ids)), 0.0).astype(np.float32)
            # Of no version that the trainer has: it is not asked whether it agrees with the sampler.
            version = np.full(len(ids), -1, np.int32)
            items.append(Scored(TokenTrace(ids, sampled, logp, version), float(member - 1.5 + group)))
    return items


def trainer() -> Trainer:
    """A micro decoder under Muon, whose rows of 48 tokens go four at a time."""
    config = GrpoConfig(optimizer=OptimizerConfig(learning_rate=1e-3))
    return Trainer(PRESETS["micro"], config, PackingConfig(width=48, rows=4))


def train(made: Trainer) -> tuple[TrainState, list[float]]:
    """Ten updates from the parameters of seed 0."""
    state, losses = made.init(0), []
    for number in range(UPDATES):
        state, metrics = made.update(state, batch(number))
        losses.append(metrics["loss"])
    return state, losses


def next_loss(made: Trainer, directory: Path) -> float:
    """The loss of one more update from the checkpoint in a directory."""
    until = time.monotonic() + WAIT
    while not (directory / str(UPDATES)).is_dir():  # a store opened now would sweep away a half-written one
        assert time.monotonic() < until, f"no checkpoint came to {directory}"
        time.sleep(0.5)
    state, metadata = CheckpointStore(directory).load(UPDATES, made.init(1))
    assert metadata["from"] == directory.name and state.version == UPDATES
    return float(made.update(state, batch(UPDATES))[1]["loss"])


def layout(state: TrainState) -> dict[str, Any]:
    """How the embedding and its first moment are split, and what share of the embedding one device has."""
    import jax

    leaves = jax.tree_util.tree_leaves_with_path(state.opt_state)
    moment = next(leaf for path, leaf in leaves if jax.tree_util.keystr(path).endswith("mu['embedding']"))
    embedding = state.params["embedding"]
    shard = embedding.addressable_shards[0].data
    return {
        "embedding": str(getattr(embedding.sharding, "spec", None)),
        "moment": str(getattr(moment.sharding, "spec", None)),
        "share": shard.size / embedding.size,
    }


def run(made: Trainer, name: str, directory: Path, others: Sequence[str]) -> dict[str, Any]:
    """Train, save under a name, and go on from the checkpoints of this program and of the others."""
    state, losses = train(made)
    told = {"losses": losses, **layout(state)}
    CheckpointStore(directory / name).save(UPDATES, state, {"from": name})
    return {**told, "next": {each: next_loss(made, directory / each) for each in (name, *others)}}


def main() -> None:
    """Choose devices and processes, then run."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("directory", type=Path, help="the checkpoints of all programs, by their names")
    parser.add_argument("--mesh", type=int, nargs=3, default=(1, 1, 1))
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--index", type=int)
    parser.add_argument("--coordinator")
    parser.add_argument("--load", nargs="*", default=())
    given = parser.parse_args()
    join(ProcessesConfig(count=given.count, index=given.index, coordinator=given.coordinator))
    data, fsdp, tensor = given.mesh
    use_mesh(MeshConfig(data=data, fsdp=fsdp, tensor=tensor))
    print(json.dumps(run(trainer(), given.name, given.directory, given.load)))


if __name__ == "__main__":
    main()
