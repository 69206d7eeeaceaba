"""What to change when a plan does not fit, each proposal checked by the plan itself."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from policy.config import MeshConfig, PolicyConfig
from policy.memory_plan import Plan, plan

Demand = Callable[[PolicyConfig], Plan]
"""What a configuration asks of the device that has to hold most."""

MOST_DEVICES = 1024
"""Of a mesh that is proposed."""
CHANGED = (
    ("decoder", "remat"), ("packing", "rows"), ("rollout", "chunk_tokens"), ("rollout", "copy_rows"),
    ("rollout", "slots"), ("rollout", "decode_buckets"), ("mesh", "fsdp"),
)  # fmt: skip
"""Keys below `policy` that are changed, in the order in which they are told."""


class Advice(NamedTuple):
    """Changes that together make a plan smaller."""

    changes: tuple[str, ...]  # key=value, as a command takes them
    plan: Plan  # with all of them
    fits: bool


class Fitting(NamedTuple):
    """A mesh with room, and what else has to be set with it."""

    mesh: MeshConfig
    plan: Plan
    rows: int  # `packing.rows`, a multiple of what the mesh divides


def advice(config: PolicyConfig, limit: int, demand: Demand = plan) -> Advice:
    """The first few changes after which a device of `limit` bytes suffices; the closest there is otherwise.

    Cheap ones come first: activations computed again, smaller micro-batches, and smaller calls that read or
    copy cost time, fewer slots cost side-by-side episodes, more devices cost money. Fewer slots than devices
    are not split among them, so when nothing fits, the slots are tried as they are.
    """
    found = _followed(config, limit, demand, fewer_slots=True)
    if found.fits:
        return found
    as_they_are = _followed(config, limit, demand, fewer_slots=False)
    return min(found, as_they_are, key=lambda each: (not each.fits, each.plan.total))


def _followed(config: PolicyConfig, limit: int, demand: Demand, fewer_slots: bool) -> Advice:
    """One change after the other, the first that helps, until it fits or nothing helps."""
    before, now = config, demand(config)
    while now.total > limit:
        proposed = _smaller(config, now, fewer_slots)
        better = next((other for other in proposed if demand(other).total < now.total), None)
        if better is None:
            break
        config = better
        now = demand(config)
    return Advice(_changes(before, config), now, now.total <= limit)


def fitting_mesh(config: PolicyConfig, devices: int, limit: int, demand: Demand = plan) -> Fitting | None:
    """The first mesh of so many devices that fits, with the least communication; None when none does."""
    for mesh in meshes(devices):
        rows = -(-config.packing.rows // mesh.row_parts) * mesh.row_parts
        found = demand(_changed(config, mesh=mesh.model_dump(), packing={"rows": rows}))
        if found.total <= limit:
            return Fitting(mesh, found, rows)
    return None


def meshes(devices: int) -> Iterator[MeshConfig]:
    """All shapes of a mesh of so many devices: little tensor parallelism first, then little sharding."""
    for tensor in _divisors(devices):
        for fsdp in _divisors(devices // tensor):
            yield MeshConfig(data=devices // tensor // fsdp, fsdp=fsdp, tensor=tensor)


def _smaller(config: PolicyConfig, now: Plan, fewer_slots: bool) -> Iterator[PolicyConfig]:
    """Changes of one setting, the cheapest first, that bear on the phase that takes most."""
    mesh, rows, slots = config.mesh, config.packing.rows, config.rollout.slots
    if now.peak == "gradients" and not config.decoder.remat:
        yield _changed(config, decoder={"remat": True})
    if now.peak == "gradients" and rows // 2 >= mesh.row_parts and rows // 2 % mesh.row_parts == 0:
        yield _changed(config, packing={"rows": rows // 2})
    for key in ("chunk_tokens", "copy_rows"):
        if now.peak == "rollout" and (number := getattr(config.rollout, key)) > 1:
            yield _changed(config, rollout={key: number // 2})
    if fewer_slots and now.peak == "rollout" and slots % 2 == 0:
        buckets = sorted({min(bucket, slots // 2) for bucket in config.rollout.decode_buckets}, reverse=True)
        yield _changed(config, rollout={"slots": slots // 2, "decode_buckets": tuple(buckets)})
    if mesh.devices * 2 <= MOST_DEVICES:
        wider = {"fsdp": mesh.fsdp * 2}
        least = 2 * mesh.row_parts
        more = {} if rows % least == 0 else {"rows": -(-rows // least) * least}
        yield _changed(config, mesh=wider, packing=more)


def _changed(config: PolicyConfig, **branches: dict) -> PolicyConfig:
    """The configuration with some keys of some branches replaced."""
    replaced = {
        name: getattr(config, name).model_copy(update=values) for name, values in branches.items() if values
    }
    return config.model_copy(update=replaced)


def _changes(before: PolicyConfig, after: PolicyConfig) -> tuple[str, ...]:
    """What makes the one of the other."""
    return tuple(
        f"policy.{branch}.{key}={_yaml(getattr(getattr(after, branch), key))}"
        for branch, key in CHANGED
        if getattr(getattr(after, branch), key) != getattr(getattr(before, branch), key)
    )


def _yaml(value: bool | int | tuple[int, ...]) -> str:
    if isinstance(value, tuple):
        return f"[{','.join(map(str, value))}]"
    return str(value).lower()


def _divisors(number: int) -> list[int]:
    return [part for part in range(1, number + 1) if number % part == 0]
