"""What the commands share: one-line errors, exit code 2 for wrong use, and a light `--help`."""

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn

from analysis.errors import AnalysisError

WRONG_USE = 2


class OneLineParser(argparse.ArgumentParser):
    """A parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USE, f"{self.prog}: {message}; --help shows the usage\n")


def command(name: str, description: str) -> OneLineParser:
    """The parser of `python -m analysis.<name>`."""
    return OneLineParser(prog=f"python -m analysis.{name}", description=description)


def add_run(options: OneLineParser) -> None:
    """The arguments of a command that reads one run."""
    options.add_argument("run", metavar="RUN", help="run directory, e.g. runs/NAME")
    options.add_argument("--out", metavar="DIR", help="folder for the results (default: RUN/figures)")


def finish(options: OneLineParser, work: Callable[[], None]) -> int:
    """Do a command's work; an AnalysisError or an unusable file becomes one line and exit code 2."""
    try:
        work()
    except (AnalysisError, OSError) as error:
        print(f"{options.prog}: {error}", file=sys.stderr)
        return WRONG_USE
    return 0


def positive(text: str) -> int:
    """An argument that counts something."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a positive whole number")
    return int(text)
