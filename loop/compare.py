"""Arms side by side: `python -m loop.compare CONFIG CONFIG ... [--resume-if-unfinished] [key=value ...]`.

The arms run one after another at one seed; they share splits and warm start, so they differ in their
curriculum alone.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from loop.command import Parser, one_line_errors
from loop.config import Config
from loop.errors import ConfigError, Interrupted
from loop.loading import load


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
        require_comparable(configs)
        directories = [given.runs / config.run_id for config in configs]
        try:
            for config, directory in zip(configs, directories, strict=True):
                _run(config, directory, given.resume_if_unfinished)
        except (Interrupted, KeyboardInterrupt) as stopped:
            how = str(stopped) or "stopped at once"
            again = " ".join(["python -m loop.compare", *given.words, "--resume-if-unfinished"])
            raise Interrupted(f"{how}; continue with: {again}") from None
        from analysis.compare.__main__ import main as compare

        outcome.code = compare([*map(str, directories), "--out", str(_results(given.runs, configs))])
    return outcome.code


def require_comparable(configs: Sequence[Config]) -> None:
    """ConfigError unless there are several arms that share everything that comes before them."""
    if len(configs) < 2:
        raise ConfigError(f"{len(configs)} configuration given; a comparison needs at least two YAML files")
    first = configs[0]
    for other in configs[1:]:
        for key in _SHARED:
            if getattr(other, key) != getattr(first, key):
                raise ConfigError(
                    f"{key}: {first.arm} and {other.arm} differ, so they would not share the warm start; "
                    "give all arms the same"
                )
    arms = [config.arm for config in configs]
    for arm in arms:
        if arms.count(arm) > 1:
            raise ConfigError(f"arm: {arm!r} is given twice; call each arm differently")


_SHARED = (
    "experiment", "seed", "iterations", "updates_per_iteration", "prompts_per_update", "tasks_per_world",
    "splits", "policy", "coverage", "learner", "author", "evaluation", "catalog",
)  # fmt: skip
"""Keys in which arms may not differ."""


def _run(config: Config, directory: Path, resume: bool) -> None:
    from loop.launch import launch
    from loop.run_directory import RunDirectory, is_run

    print(f"arm {config.arm}, seed {config.seed}: {directory}", flush=True)
    if resume and is_run(directory):
        if not RunDirectory(directory).finished:
            launch(config, directory, resume=True)
        return
    launch(config, directory)


def _results(runs: Path, configs: Sequence[Config]) -> Path:
    """Where the comparison goes."""
    return runs / f"compare-{configs[0].experiment}-s{configs[0].seed}"


if __name__ == "__main__":
    sys.exit(main())
