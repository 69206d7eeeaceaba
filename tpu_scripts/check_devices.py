"""`python tpu_scripts/check_devices.py`: which devices JAX sees, and whether a product over all is right.

Runs on one CPU, on simulated devices (XLA_FLAGS=--xla_force_host_platform_device_count=8), a GPU, a slice.
"""

import argparse
import time

SIZE = 1024
TOLERANCE = 1e-2  # largest relative error of the product; TPUs multiply float32 in bfloat16 passes by default


def main(argv: list[str] | None = None) -> int:
    """Print a line per device and the check; exit code 1 when the sharded product is wrong."""
    argparse.ArgumentParser(prog="check_devices.py", description=__doc__).parse_args(argv)
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import NamedSharding, PartitionSpec

    for device in jax.devices():
        print(f"{device.id:>4}  {device.platform}  {device.device_kind}  process {device.process_index}")
    mesh = jax.make_mesh((len(jax.devices()),), ("data",))
    rows = SIZE - SIZE % len(jax.devices())
    left = np.random.default_rng(0).standard_normal((rows, SIZE), dtype=np.float32)
    right = np.random.default_rng(1).standard_normal((SIZE, SIZE), dtype=np.float32)
    sharded = jax.device_put(left, NamedSharding(mesh, PartitionSpec("data")))
    whole = jax.device_put(right, NamedSharding(mesh, PartitionSpec()))
    multiply = jax.jit(jnp.matmul)
    multiply(sharded, whole).block_until_ready()  # compiles
    start = time.perf_counter()
    product = multiply(sharded, whole).block_until_ready()
    seconds = time.perf_counter() - start
    local = product.addressable_shards[0]
    expected = left[local.index[0]].astype(np.float64) @ right
    error = float(np.abs(np.asarray(local.data) - expected).max() / np.abs(expected).max())
    rate = 2 * rows * SIZE**2 / seconds / 1e9
    print(f"{rows} x {SIZE} x {SIZE} over {len(jax.devices())} devices: {rate:.1f} GFLOP/s")
    print(f"largest relative error {error:.1e}: {'right' if error < TOLERANCE else 'WRONG'}")
    return int(error >= TOLERANCE)


if __name__ == "__main__":
    raise SystemExit(main())
