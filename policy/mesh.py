"""The devices that share the work: a mesh of them with the axes data, fsdp and tensor, and several processes.

The mesh in use belongs to the thread that set it (`jax.set_mesh`): a learner and a rollout engine in threads
of their own may use different devices. With one device there is no mesh, and `policy.sharding` does nothing.
"""

import jax
import numpy as np
from jax.sharding import AxisType, Mesh

from policy.config import MeshConfig, ProcessesConfig
from policy.errors import DeviceError

AXES = ("data", "fsdp", "tensor")
PARTING = 3600
"""Seconds that processes wait for each other at the end: one of them may still be drawing figures."""


def make_mesh(config: MeshConfig) -> Mesh | None:
    """A mesh of the first devices there are; None for a single one.

    Tensor neighbours lie closest, because they talk most. DeviceError when there are too few devices, or when
    some of a process's devices would be left out of a mesh that spans processes.
    """
    found = jax.devices()
    if config.devices > len(found):
        raise DeviceError(
            f"mesh data={config.data} x fsdp={config.fsdp} x tensor={config.tensor} needs {config.devices} "
            f"devices, and there are {len(found)}; make policy.mesh smaller, or for a trial on a CPU set "
            f"XLA_FLAGS=--xla_force_host_platform_device_count={config.devices}"
        )
    if jax.process_count() > 1 and config.devices != len(found):
        raise DeviceError(
            f"{jax.process_count()} processes have {len(found)} devices together, and policy.mesh uses "
            f"{config.devices} of them; use all"
        )
    if config.devices == 1:
        return None
    shape = (config.data, config.fsdp, config.tensor)
    grid = np.asarray(found[: config.devices], dtype=object).reshape(shape)
    return Mesh(grid, AXES, axis_types=(AxisType.Auto,) * len(AXES))


def use_mesh(config: MeshConfig) -> None:
    """From now on, what this thread computes is shared by a mesh of this shape."""
    jax.set_mesh(make_mesh(config))


def join(config: ProcessesConfig) -> None:
    """Become one of several processes; nothing when there is only one. Before JAX looks for devices.

    DeviceError when the others are not found, or when it is too late.
    """
    if config.count == 1 or jax.distributed.is_initialized():
        return
    # Whoever starts processes tells them to end by a signal, which is theirs to handle.
    jax.config.update("jax_enable_preemption_service", False)
    try:
        jax.distributed.initialize(
            config.coordinator, config.count, config.index, shutdown_timeout_seconds=PARTING
        )
    except (RuntimeError, ValueError) as error:
        raise DeviceError(
            f"{config.count} processes could not be joined ({_first_line(error)}); give "
            f"coordinator and index, or JAX_COORDINATOR_ADDRESS and JAX_PROCESS_ID, to every process"
        ) from error


def part() -> None:
    """Be one of several processes no longer, once all others say so too."""
    jax.distributed.shutdown()


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
