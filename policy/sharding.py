"""Where the parts of an array lie on a mesh: by the name of a parameter, by rows of a batch.

Gradients and the optimizer's state have the names of their parameters and lie where the rules of
`policy.layout` put those. Batches and activations are split by rows, over data and fsdp together.

The functions use the mesh of the calling thread (`policy.mesh`); without one they return what they are given,
so a program for one device is the same as ever.
"""

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
    rows, tensor = mesh.shape["data"] * mesh.shape["fsdp"], mesh.shape["tensor"]

    def kept(leaf: jax.Array) -> jax.Array:
        spec = (None if leaf.shape[0] % rows else ROWS, None if leaf.shape[1] % tensor else "tensor")
        return with_sharding_constraint(leaf, PartitionSpec(*spec))

    return jax.tree.map(kept, tree)


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


def _spec(path: tuple[Any, ...], leaf: Any, sizes: dict[str, int]) -> PartitionSpec:
    names = (getattr(key, "key", getattr(key, "name", getattr(key, "idx", key))) for key in path)
    return PartitionSpec(*split("/".join(map(str, names)), leaf.shape, sizes))
