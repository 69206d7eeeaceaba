"""Which devices learn and which play: the first ones of `policy.mesh` learn, the next ones play."""

import jax

from policy.config import MeshConfig
from policy.decoder import Params
from policy.errors import DeviceError


def rollout_devices(mesh: MeshConfig, count: int) -> list[jax.Device | None]:
    """The devices that play. None, alone, stands for those that learn: `count` 0. DeviceError: too few."""
    if count == 0:
        return [None]
    found = jax.devices()
    if mesh.devices + count > len(found):
        raise DeviceError(
            f"{mesh.devices} devices that learn (policy.mesh) and {count} that play "
            f"(asynchronous.rollout_devices) are {mesh.devices + count}, and there are {len(found)}; lower "
            f"either, or for a trial on a CPU set "
            f"XLA_FLAGS=--xla_force_host_platform_device_count={mesh.devices + count}"
        )
    return list(found[mesh.devices : mesh.devices + count])


def pushed(params: Params, device: jax.Device | None) -> Params:
    """A copy of parameters that their next update does not consume, on a device; None: where they are."""
    if device is None:
        return jax.tree.map(jax.numpy.copy, params)
    return jax.tree.map(lambda leaf: jax.device_put(leaf, device, may_alias=False), params)
