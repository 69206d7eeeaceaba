"""One run: `python -m loop.run CONFIG [--run-dir DIR] [--dry-run] [--resume] [key=value ...]`."""

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from loop.config import Config
from loop.errors import Interrupted, LoopError
from loop.loading import load

WRONG_USE = 2


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """One line."""
        self.exit(WRONG_USE, f"{self.prog}: {message}; see {self.prog} --help\n")


def parser() -> Parser:
    """The command line."""
    made = Parser(prog="python -m loop.run", description="Run one arm of a curriculum at one seed.")
    made.add_argument("config", type=Path, help="a YAML file, e.g. experiments/closed_loop.yaml")
    made.add_argument(
        "overrides", nargs="*", metavar="key=value", help="replaces a key, e.g. seed=1 or growth.quota=4"
    )
    made.add_argument("--run-dir", type=Path, help="default: runs/<name>-<digest>-s<seed>")
    made.add_argument(
        "--dry-run", action="store_true", help="print the configuration and the costs, and stop"
    )
    made.add_argument("--resume", action="store_true", help="continue a run that was stopped or killed")
    made.add_argument(
        "--resume-if-unfinished",
        action="store_true",
        help="continue the run if it is unfinished, otherwise start one beside it",
    )
    return made


def main(argv: list[str] | None = None) -> int:
    """The command; returns its exit code: 0, 2 for wrong use, 130 when stopped by Ctrl-C, 1 for other failures."""
    given = parser().parse_intermixed_args(argv)
    try:
        config = load(given.config, tuple(given.overrides))
        if given.dry_run:
            return dry_run(config)
        directory = given.run_dir or Path("runs") / config.run_id
        from loop.launch import launch

        launch(config, directory, given.resume, given.resume_if_unfinished)
        return 0
    except Interrupted as error:
        print(f"{error}; continue with: {resume_command(given)}", file=sys.stderr)
        return error.exit_code
    except LoopError as error:
        print(error, file=sys.stderr)
        return error.exit_code


def resume_command(given: argparse.Namespace) -> str:
    """The command that continues this run."""
    words = ["python -m loop.run", str(given.config), *given.overrides]
    if given.run_dir is not None:
        words += ["--run-dir", str(given.run_dir)]
    return " ".join([*words, "--resume"])


def dry_run(config: Config) -> int:
    """Print the tree and the costs."""
    import yaml

    from loop.costs import render

    print(yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False), end="")
    print("\n".join(["", *render(config)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
