"""What to change when a plan does not fit, each proposal checked by the plan itself."""

from collections.abc import Iterator
from typing import NamedTuple

from policy.config import MeshConfig, PolicyConfig
from policy.memory_plan import Plan, plan

MOST_DEVICES = 1024
"""Of a mesh that is proposed."""


class Advice(NamedTuple):
    """Changes that, one after the other, make a plan smaller."""

    changes: tuple[str, ...]  # key=value
    plan: Plan  # with all of them
    fits: bool


def advice(config: PolicyConfig, limit: int) -> Advice:
    """The first few changes after which a device of `limit` bytes suffices; the closest there is otherwise.

    Cheap ones come first: activations computed again and smaller micro-batches cost time, fewer slots cost
    side-by-side episodes, more devices cost money.
    """
    changes: list[str] = []
    now = plan(config)
    while now.total > limit:
        better = next(
            ((text, other) for text, other in _smaller(config, now) if plan(other).total < now.total), None
        )
        if better is None:
            break
        changes.append(better[0])
        config = better[1]
        now = plan(config)
    return Advice(_last_of_each(changes), now, now.total <= limit)


def fitting_mesh(config: PolicyConfig, devices: int, limit: int) -> tuple[MeshConfig, Plan] | None:
    """The first mesh of so many devices that fits, with the least communication; None when none does."""
    for mesh in meshes(devices):
        rows = -(-config.packing.rows // mesh.row_parts) * mesh.row_parts
        found = plan(_changed(config, mesh=mesh.model_dump(), packing={"rows": rows}))
        if found.total <= limit:
            return mesh, found
    return None


def meshes(devices: int) -> Iterator[MeshConfig]:
    """All shapes of a mesh of so many devices: little tensor parallelism first, then little sharding."""
    for tensor in _divisors(devices):
        for fsdp in _divisors(devices // tensor):
            yield MeshConfig(data=devices // tensor // fsdp, fsdp=fsdp, tensor=tensor)


def _smaller(config: PolicyConfig, now: Plan) -> Iterator[tuple[str, PolicyConfig]]:
    """Changes of one setting, the cheapest first, that bear on the phase that takes most."""
    mesh, rows, slots = config.mesh, config.packing.rows, config.rollout.slots
    if now.peak == "gradients" and not config.decoder.remat:
        yield "policy.decoder.remat=true", _changed(config, decoder={"remat": True})
    if now.peak == "gradients" and rows // 2 >= mesh.row_parts and rows // 2 % mesh.row_parts == 0:
        yield f"policy.packing.rows={rows // 2}", _changed(config, packing={"rows": rows // 2})
    if now.peak == "rollout" and slots % 2 == 0:
        buckets = sorted({min(bucket, slots // 2) for bucket in config.rollout.decode_buckets}, reverse=True)
        fewer = {"slots": slots // 2, "decode_buckets": tuple(buckets)}
        yield f"policy.rollout.slots={slots // 2} (and decode_buckets)", _changed(config, rollout=fewer)
    if mesh.devices * 2 <= MOST_DEVICES:
        wider = {"fsdp": mesh.fsdp * 2}
        least = 2 * mesh.row_parts
        more = {} if rows % least == 0 else {"rows": -(-rows // least) * least}
        also = f" (and packing.rows={more['rows']})" if more else ""
        yield f"policy.mesh.fsdp={mesh.fsdp * 2}{also}", _changed(config, mesh=wider, packing=more)


def _changed(config: PolicyConfig, **branches: dict) -> PolicyConfig:
    """The configuration with some keys of some branches replaced."""
    replaced = {
        name: getattr(config, name).model_copy(update=values) for name, values in branches.items() if values
    }
    return config.model_copy(update=replaced)


def _last_of_each(changes: list[str]) -> tuple[str, ...]:
    """Of several values for one key, the last."""
    return tuple({change.partition("=")[0]: change for change in changes}.values())


def _divisors(number: int) -> list[int]:
    return [part for part in range(1, number + 1) if number % part == 0]
