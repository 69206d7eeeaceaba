"""Where the parts of an array lie on a mesh: by the name of a parameter, by rows of a batch.

Parameters are split twice: `fsdp` splits the features of the stream, `tensor` what is private to heads,
hidden units and words (Megatron-LM, arXiv 1909.08053; fully sharded data parallelism, arXiv 2004.08910,
1910.02054). Gradients and the optimizer's state have the names of their parameters and lie where those lie.
Batches and activations are split by rows, over data and fsdp together.

The functions use the mesh of the calling thread (`policy.mesh`); without one they return what they are given,
so a program for one device is the same as ever.
"""

import re
from typing import Any, TypeVar

import jax
from jax.lax import with_sharding_constraint
from jax.sharding import NamedSharding, PartitionSpec, get_abstract_mesh, get_mesh

Tree = TypeVar("Tree")

ROWS = ("data", "fsdp")
"""Mesh axes that share the rows of a batch."""
RULES: tuple[tuple[str, PartitionSpec], ...] = (
    (r"embedding$", PartitionSpec("tensor", "fsdp")),  # [v, d]
    (r"head$", PartitionSpec("fsdp", "tensor")),  # [d, v]
    (r"attention/(query|key|value)$", PartitionSpec("fsdp", "tensor")),  # [d, heads x h]
    (r"attention/output$", PartitionSpec("tensor", "fsdp")),  # [heads x h, d]
    (r"hidden/(gate|up)$", PartitionSpec("fsdp", "tensor")),  # [d, f]
    (r"hidden/down$", PartitionSpec("tensor", "fsdp")),  # [f, d]
)
"""(end of a parameter's path, how its axes are split); what no rule names lies whole on every device."""


def split(path: str, shape: tuple[int, ...], sizes: dict[str, int]) -> PartitionSpec:
    """How an array is split on a mesh with axes of these sizes.

    `path` is slash-separated and ends like the parameter's. An axis of the array that its mesh axis does not
    divide stays whole.
    """
    spec = next((spec for pattern, spec in RULES if re.search(rf"(^|/){pattern}", path)), PartitionSpec())
    if len(spec) != len(shape):
        return PartitionSpec()
    return PartitionSpec(
        *(axis if length % sizes[axis] == 0 else None for axis, length in zip(spec, shape, strict=True))
    )


def like_parameters(tree: Tree) -> Tree:
    """In a compiled program: arrays that are named like parameters lie where those lie."""
    mesh = get_abstract_mesh()
    if mesh.empty:
        return tree
    return jax.tree_util.tree_map_with_path(
        lambda path, leaf: with_sharding_constraint(leaf, split(_text(path), leaf.shape, dict(mesh.shape))),
        tree,
    )


def over_rows(tree: Tree) -> Tree:
    """In a compiled program: arrays [rows, ...] are split by rows, where the mesh divides them."""
    mesh = get_abstract_mesh()
    if mesh.empty:
        return tree
    parts = mesh.shape["data"] * mesh.shape["fsdp"]
    return jax.tree.map(
        lambda leaf: leaf if leaf.shape[0] % parts else with_sharding_constraint(leaf, PartitionSpec(ROWS)),
        tree,
    )


def for_lookup(embedding: jax.Array) -> jax.Array:
    """In a compiled program: the table [v, d] with whole features, so that rows looked up need no move."""
    if get_abstract_mesh().empty:
        return embedding
    return with_sharding_constraint(embedding, PartitionSpec("tensor"))


def replicated(tree: Tree) -> Tree:
    """In a compiled program: every device gets these arrays whole, so that every process can read them."""
    if get_abstract_mesh().empty:
        return tree
    return jax.tree.map(lambda leaf: with_sharding_constraint(leaf, PartitionSpec()), tree)


def placed(tree: Tree) -> Tree:
    """Arrays that are named like parameters, put where those lie; without a mesh, as they are."""
    return tree if get_mesh().empty else jax.jit(like_parameters)(tree)


def place_of(path: tuple[Any, ...], leaf: Any) -> NamedSharding | None:
    """Where an array that is named like a parameter lies; None without a mesh."""
    mesh = get_mesh()
    if mesh.empty:
        return None
    return NamedSharding(mesh, split(_text(path), leaf.shape, dict(mesh.shape)))


def _text(path: tuple[Any, ...]) -> str:
    return "/".join(str(getattr(key, "key", getattr(key, "name", getattr(key, "idx", key)))) for key in path)
