"""Arms side by side: `python -m loop.compare CONFIG CONFIG ... [--resume-if-unfinished] [key=value ...]`.

The arms run one after another at one seed; they share splits and warm start, so they differ in their
curriculum alone. For several seeds, a plan and result files: `python -m loop.sweep`.
"""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from loop.command import one_line_errors
from loop.config import Config
from loop.errors import ConfigError, Interrupted
from loop.loading import load
from loop.sweep.arms import run_arm
from loop.sweep.comparable import require_comparable
from planet.command import Parser


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m loop.compare", description="Run several arms at one seed and compare them.")
    made.add_argument(
        "words", nargs="+", metavar="CONFIG or key=value", help="YAML files, then overrides for all"
    )
    made.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="where run directories go"
    )
    made.add_argument(
        "--resume-if-unfinished",
        action="store_true",
        help="take finished arms as they are and continue unfinished ones",
    )
    return made


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit code."""
    given = parser().parse_args(argv)
    files = [Path(word) for word in given.words if "=" not in word]
    overrides = tuple(word for word in given.words if "=" in word)
    with one_line_errors() as outcome:
        configs = [load(file, overrides) for file in files]
        if len(configs) < 2:
            raise ConfigError(
                f"{len(configs)} configuration given; a comparison needs at least two YAML files"
            )
        require_comparable(configs)
        directories = [given.runs / config.run_id for config in configs]
        try:
            for config, directory in zip(configs, directories, strict=True):
                run_arm(config, directory, given.resume_if_unfinished)
        except (Interrupted, KeyboardInterrupt) as stopped:
            how = str(stopped) or "stopped at once"
            words = ["python", "-m", "loop.compare", *given.words, "--runs", str(given.runs)]
            again = shlex.join([*words, "--resume-if-unfinished"])
            raise Interrupted(f"{how}; continue with: {again}") from None
        from analysis.compare.__main__ import main as compare

        outcome.code = compare([*map(str, directories), "--out", str(_results(given.runs, configs))])
    return outcome.code


def _results(runs: Path, configs: Sequence[Config]) -> Path:
    """Where the comparison goes."""
    return runs / f"compare-{configs[0].experiment}-s{configs[0].seed}"


if __name__ == "__main__":
    sys.exit(main())
