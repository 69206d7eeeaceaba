"""How much memory a device has, asked of the device."""

import os

import jax

from policy.config import PolicyConfig
from policy.errors import DeviceError
from policy.memory_plan import plan, rollout_plan


def device_memory() -> int | None:
    """Bytes that a program may use on the first device of this process; None where it does not say.

    Devices of a CPU share the machine's memory.
    """
    device = jax.local_devices()[0]
    limit = (device.memory_stats() or {}).get("bytes_limit")
    if limit is None and device.platform == "cpu" and "SC_PHYS_PAGES" in os.sysconf_names:
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return machine // jax.local_device_count()
    return limit


def require_room(config: PolicyConfig, play_elsewhere: bool = False) -> None:
    """DeviceError when what is needed for certain is more than the device has.

    `play_elsewhere`: other devices play, each with the whole policy, and those that learn do not.
    """
    limit = device_memory()
    if limit is None:
        return
    needed = plan(config, "elsewhere" if play_elsewhere else "between").certain
    if needed > limit:
        raise DeviceError(
            f"parameters, optimizer and gradients take {needed / 2**30:,.1f} GiB of every device, and one "
            f"has {limit / 2**30:,.1f}; raise policy.mesh.fsdp, or see python -m loop.memory_plan CONFIG"
        )
    if play_elsewhere and (whole := rollout_plan(config).certain) > limit:
        raise DeviceError(
            f"the whole policy takes {whole / 2**30:,.1f} GiB of a device that plays, and one has "
            f"{limit / 2**30:,.1f}; leave out asynchronous.rollout_devices, so that those that learn play"
        )
