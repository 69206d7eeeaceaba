"""`python tpu_scripts/bench_update.py`: how fast policy updates are on whatever devices there are.

Plays episodes with a decoder of a preset after a short warm start, then times updates on them. Runs on one
CPU, a GPU, a slice; the last lines say which of the devices the parameters lay on. `python -m policy.bench`
measures more.
"""

import argparse


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    from policy.bench import PRESETS

    parser = argparse.ArgumentParser(prog="bench_update.py", description=__doc__)
    parser.add_argument("--preset", choices=PRESETS, default="tiny")
    parser.add_argument("--episodes", type=int, default=64, help="episodes of a batch (default 64)")
    parser.add_argument("--repeat", type=int, default=3, help="updates; the fastest counts (default 3)")
    given = parser.parse_args(argv)
    for name in ("episodes", "repeat"):
        if getattr(given, name) < 1:
            parser.error(f"--{name}: {getattr(given, name)} is not allowed; give at least 1")
    report(given.preset, given.episodes, given.repeat)
    return 0


def report(preset: str, episodes: int, repeat: int) -> None:
    """Print the speed and the devices."""
    import jax

    from policy.bench_tasks import schooled
    from policy.decoder import count
    from policy.measurement import configured, matrix_peak, time_rollouts, time_updates

    config, codec = configured(preset)  # type: ignore[arg-type]
    params = schooled(config, codec)
    peak = matrix_peak()
    rollouts = time_rollouts(config, codec, params, episodes, 1)[1]
    speed = time_updates(config, params, rollouts, repeat)
    rate = speed.tokens / speed.seconds
    share = 6 * count(params) * rate / peak
    batch = f"{speed.tokens} tokens of {episodes} episodes in {speed.seconds:.3f} s"
    print(f"decoder    {count(params):,d} parameters ({preset})")
    print(f"update     {rate:.0f} tokens/s ({batch}; {share:.1%} of peak)")
    print(f"peak       {peak / 1e9:.0f} GFLOP/s in a float32 product on one device")
    print(f"compiling  {speed.compiling:.1f} s")
    kinds = sorted({f"{device.platform} ({device.device_kind})" for device in speed.devices})
    print(f"device     {', '.join(kinds)}; the update used {len(speed.devices)} of {len(jax.devices())}")


if __name__ == "__main__":
    raise SystemExit(main())
