"""Where the parts of an array lie on a mesh: by the name of a parameter, by rows of a batch.

Gradients and the optimizer's state have the names of their parameters and lie where the rules of
`policy.layout` put those. Batches and activations are split by rows, over data and fsdp together.

The functions use the mesh of the calling thread (`policy.mesh`); without one they return what they are given,
so a program for one device is the same as ever.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import jax
from jax.lax import with_sharding_constraint
from jax.sharding import NamedSharding, PartitionSpec, get_abstract_mesh, get_mesh

from policy.layout import ROWS, split

Tree = TypeVar("Tree")


def like_parameters(tree: Tree) -> Tree:
    """In a compiled program: arrays that are named like parameters lie where those lie."""
    mesh = get_abstract_mesh()
    if mesh.empty:
        return tree
    return jax.tree_util.tree_map_with_path(
        lambda path, leaf: with_sharding_constraint(leaf, _spec(path, leaf, dict(mesh.shape))),
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


def over_slots(tree: Tree) -> Tree:
    """In a compiled program: a cache's arrays [slots, heads or words, ...] are split by both, where the mesh
    divides them."""
    mesh = get_abstract_mesh()
    if mesh.empty:
        return tree
    return jax.tree.map(lambda leaf: with_sharding_constraint(leaf, _slots(leaf, dict(mesh.shape))), tree)


def row_parts() -> int:
    """Parts that the mesh in use splits rows into."""
    mesh = get_abstract_mesh()
    return 1 if mesh.empty else mesh.shape["data"] * mesh.shape["fsdp"]


def within_parts(work: Callable[..., Tree], *given: Any) -> Tree:
    """In a compiled program: `work` done by every part of the mesh on its own slots and rows alone.

    Takes and returns trees of arrays [slots or rows, heads or words, ...] whose first axis the mesh divides,
    and of arrays [rows].
    """
    mesh = get_abstract_mesh()
    where = partial(jax.tree.map, lambda leaf: _slots(leaf, dict(mesh.shape)))
    into = where(jax.eval_shape(work, *given))
    return jax.shard_map(work, mesh=mesh, in_specs=where(given), out_specs=into)(*given)


def over_features(x: jax.Array) -> jax.Array:
    """In a compiled program: the stream [rows, ..., features] is split by features, like the matrices that it
    goes through. These stay where they are, and products of the parts are summed instead."""
    mesh = get_abstract_mesh()
    if mesh.empty or x.shape[-1] % mesh.shape["fsdp"]:
        return over_rows(x)
    rows = None if x.shape[0] % mesh.shape["data"] else "data"
    return with_sharding_constraint(x, PartitionSpec(rows, *(None,) * (x.ndim - 2), "fsdp"))


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
    return NamedSharding(mesh, _spec(path, leaf, dict(mesh.shape)))


def _slots(leaf: Any, sizes: dict[str, int]) -> PartitionSpec:
    rows, tensor = sizes["data"] * sizes["fsdp"], sizes["tensor"]
    heads = (None if length % tensor else "tensor" for length in leaf.shape[1:2])
    return PartitionSpec(None if leaf.shape[0] % rows else ROWS, *heads)


def _spec(path: tuple[Any, ...], leaf: Any, sizes: dict[str, int]) -> PartitionSpec:
    names = (getattr(key, "key", getattr(key, "name", getattr(key, "idx", key))) for key in path)
    return PartitionSpec(*split("/".join(map(str, names)), leaf.shape, sizes))
