"""One run: `python -m loop.run CONFIG [--run-dir DIR] [--dry-run] [--resume] [key=value ...]`."""

import argparse
import os
import shlex
import sys
import time
from pathlib import Path

from loop.command import one_line_errors
from loop.config import Config
from loop.errors import Interrupted
from loop.loading import load
from loop.processes.joining import VARIABLES, add_arguments, processes_of
from loop.processes.membership import Membership
from loop.run_directory import unfinished_or_free
from planet.command import Parser

BEGAN = time.perf_counter()


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m loop.run", description="Run one arm of a curriculum at one seed.")
    made.add_argument("config", type=Path, help="a YAML file, e.g. experiments/closed_loop.yaml")
    made.add_argument(
        "overrides", nargs="*", metavar="key=value", help="replaces a key, e.g. seed=1 or growth.quota=4"
    )
    made.add_argument("--run-dir", type=Path, metavar="DIR", help="default: runs/<name>-<digest>-s<seed>")
    made.add_argument("--dry-run", action="store_true", help="print the configuration and what it costs")
    how = made.add_mutually_exclusive_group()
    how.add_argument("--resume", action="store_true", help="continue a run that was stopped or killed")
    how.add_argument(
        "--resume-if-unfinished",
        action="store_true",
        help="continue the run if there is an unfinished one, otherwise start one (beside a finished one)",
    )
    add_arguments(made)
    return made


def main(argv: list[str] | None = None) -> int:
    """The command; its exit code is 0, 2 for wrong use, 130 when stopped by Ctrl-C, 1 for other failures."""
    given = parser().parse_intermixed_args(argv)
    membership = None
    with one_line_errors() as outcome:
        config = load(given.config, tuple(given.overrides))
        if given.dry_run:
            print(dry_run(config))
            return outcome.code
        directory = given.run_dir or Path("runs") / config.run_id
        if given.resume_if_unfinished:
            directory = unfinished_or_free(directory)
        again = resume_command(given, None if directory == Path("runs") / config.run_id else directory)
        membership = Membership(processes_of(given, os.environ), again)
        try:
            with membership as crew:
                from loop.launch import launch

                launch(config, directory, given.resume, given.resume_if_unfinished, BEGAN, crew)
        except (Interrupted, KeyboardInterrupt) as stopped:
            how = str(stopped) or "stopped at once"
            raise Interrupted(f"{how}; continue with: {again}") from None
    if membership is not None:
        membership.leave(outcome.code)
    return outcome.code


def resume_command(given: argparse.Namespace, directory: Path | None) -> str:
    """The command that continues this run, in a directory of its own (None: the usual one)."""
    words = ["python", "-m", "loop.run", str(given.config), *given.overrides]
    if directory is not None:
        words += ["--run-dir", str(directory)]
    for name in VARIABLES:
        if (value := getattr(given, name)) is not None:
            words += [f"--{name}", value]
    return shlex.join([*words, "--resume"])


def dry_run(config: Config) -> str:
    """The tree and the costs. ConfigError for parts or a decoder that the run would refuse as well."""
    import yaml

    from loop.costs import render
    from loop.curricula.parts import curriculum
    from loop.learning.language import require_words
    from loop.reporting.printout import printed

    curriculum(config)
    require_words(config)
    tree = yaml.safe_dump(printed(config), sort_keys=False)
    return tree + "\n" + "\n".join(render(config))


if __name__ == "__main__":
    sys.exit(main())
