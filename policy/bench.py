"""`python -m policy.bench`: speed of rollouts and updates, beside the matrix peak of the machine."""

import argparse
from pathlib import Path

from policy.config import PRESETS


def main(argv: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m policy.bench", description=__doc__)
    parser.add_argument("--preset", choices=sorted(PRESETS), default="tiny")
    parser.add_argument("--episodes", type=int, default=128, help="episodes of a batch (default 128)")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions; the best counts (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    given = parser.parse_args(argv)
    for name in ("episodes", "repeat"):
        if getattr(given, name) < 1:
            parser.error(f"--{name}: {getattr(given, name)} is not allowed; give at least 1")
    from policy.measurement import measure

    measure(given.preset, given.episodes, given.repeat, given.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
