"""Checkpoints: a training state and its metadata, by integer step (Orbax v1).

A checkpoint appears under its final name only when it is whole, so a process killed while saving leaves the
earlier ones as they were. Metadata is kept as one JSON text: integers of any size survive in it.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import jax
import numpy as np
from orbax.checkpoint import v1 as ocp

from policy.critic import CriticState
from policy.errors import CheckpointError
from policy.processes import of_the_first
from policy.sharding import place_of
from policy.state import TrainState

Tree = TypeVar("Tree")


class CheckpointStore:
    """Checkpoints in one folder, made when missing; all of them stay."""

    def __init__(self, directory: Path | str) -> None:
        self.directory = Path(directory).resolve()
        self._checkpointer = _opened(self.directory, clean=False)
        self._writes = False

    def steps(self) -> list[int]:
        """Steps that have a whole checkpoint, rising; of several processes all see what process 0 sees."""
        return of_the_first(sorted(int(entry.step) for entry in self._checkpointer.checkpoints))

    def save(self, step: int, state: TrainState, metadata: Mapping[str, Any]) -> None:
        """Write a checkpoint, replacing one of the same step; returns when it is whole.

        Only one store at a time may write to a folder: the first write removes what a killed process left
        half-written. Any number may read.
        """
        if not self._writes:
            self._checkpointer.close()
            self._checkpointer, self._writes = _opened(self.directory, clean=True), True
        if step in self.steps():
            self._checkpointer.delete(step)
        tree = _tree(state)
        described = {"json": json.dumps(metadata), "shapes": _shapes(tree)}
        self._checkpointer.save(step, tree, force=True, custom_metadata=described)

    def load(self, step: int, template: TrainState) -> tuple[TrainState, dict[str, Any]]:
        """The state and metadata of a step. `template` gives shapes, types and places, by its arrays or
        without them (`without_arrays`).

        Raises CheckpointError when there is no such step, or its arrays have other shapes.
        """
        if step not in self.steps():
            raise CheckpointError(
                f"{self.directory} holds no checkpoint of step {step}; it holds {self.steps() or 'none'}"
            )
        wanted = _tree(template)
        name = f"checkpoint {step} of {self.directory}"
        with _readable(name):
            described: Any = dict(self._checkpointer.metadata(step).custom_metadata or {})
            shapes, metadata = described["shapes"], json.loads(described["json"])
        _require_equal_shapes(shapes, _shapes(wanted), name)
        with _readable(name):
            tree = self._checkpointer.load(step, without_arrays(wanted))
        critic = CriticState(**tree["critic"]) if "critic" in tree else None
        state = TrainState(
            tree["params"], tree["opt_state"], int(tree["version"]), critic, tree.get("reference")
        )
        return state, metadata

    def drop(self, step: int) -> None:
        """Remove a checkpoint."""
        self._checkpointer.delete(step)


def _opened(directory: Path, clean: bool) -> ocp.training.Checkpointer:
    """The checkpoints of a folder; `clean` removes those that were never finished."""
    return ocp.training.Checkpointer(
        directory,
        preservation_policy=ocp.training.preservation_policies.PreserveAll(),
        cleanup_tmp_directories=clean,
    )


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """CheckpointError when files of a checkpoint are damaged or gone; Orbax logs nothing of its own then."""
    log = logging.getLogger("absl")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    except Exception as error:  # Orbax, TensorStore and JSON have no error in common
        told = next(iter(str(error).splitlines()), "")
        raise CheckpointError(
            f"{name} cannot be read: it is damaged or incomplete ({type(error).__name__}: {told:.200}); take "
            "another one, or remove its folder, and a run that is resumed goes on from the one before"
        ) from error
    finally:
        log.setLevel(level)


def _tree(state: TrainState) -> dict[str, Any]:
    """A state as a tree of arrays, in which what the state does not have is left out."""
    tree = {
        "params": state.params,
        "opt_state": state.opt_state,
        "version": np.asarray(state.version, np.int64),
    }
    if state.critic is not None:
        tree["critic"] = state.critic._asdict()
    if state.reference is not None:
        tree["reference"] = state.reference
    return tree


def without_arrays(tree: Tree) -> Tree:
    """What a tree is to be read as: shapes, types and places of its arrays, which take no memory."""
    return jax.tree_util.tree_map_with_path(_abstract, tree)


def _abstract(path: tuple[Any, ...], leaf: Any) -> Any:
    """What an array is to be read as: on a mesh it goes to where its rule says, however it was stored."""
    if not isinstance(leaf, jax.Array):
        return leaf
    place = place_of(path, leaf) or leaf.sharding
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=place)


def _shapes(tree: Any) -> dict[str, list[int]]:
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(path): list(np.shape(leaf)) for path, leaf in leaves}


def _require_equal_shapes(found: dict[str, list[int]], wanted: dict[str, list[int]], name: str) -> None:
    for path in sorted(found.keys() | wanted.keys()):
        if found.get(path) != wanted.get(path):
            raise CheckpointError(
                f"{name} holds {path} of shape {found.get(path)}, and this policy wants {wanted.get(path)}; "
                f"use the decoder, algorithm and optimizer it was trained with"
            )
