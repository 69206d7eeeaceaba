"""`python -m policy.bench`: speed of rollouts and updates, beside the matrix peak of the machine."""

import argparse

from policy.config import PRESETS


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m policy.bench", description=__doc__)
    parser.add_argument("--preset", choices=sorted(PRESETS), default="tiny")
    parser.add_argument("--episodes", type=int, default=64, help="episodes of a batch (default 64)")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions; the best counts (default 3)")
    given = parser.parse_args(argv)
    for name in ("episodes", "repeat"):
        if getattr(given, name) < 1:
            parser.error(f"--{name}: {getattr(given, name)} is not allowed; give at least 1")
    from policy.measurement import measure

    measure(given.preset, given.episodes, given.repeat)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
