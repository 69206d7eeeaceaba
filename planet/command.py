"""What PLANET's commands share: wrong use is one line and exit code 2, and so is whatever PLANET refuses."""

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from planet.errors import PlanetError

REFUSED = 1
"""Exit code when the command worked and its verdict is no."""
WRONG_USE = 2
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the complaint and exit."""
        self.exit(WRONG_USE, f"{self.prog}: {message}; --help shows the usage\n")


def command(name: str, description: str) -> Parser:
    """The parser of `python -m planet.<name>`."""
    return Parser(prog=f"python -m planet.{name}", description=description)


def positive(text: str) -> int:
    """A whole number of 1 or more, as the type of an argument."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 1 or more")
    return number


def finish(parser: Parser, work: Callable[[], int]) -> int:
    """Do a command's work and give its exit code; what PLANET or the disk refuses becomes one line."""
    try:
        return work()
    except BrokenPipeError:  # the reader of the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (PlanetError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        print(f"{parser.prog}: stopped", file=sys.stderr)
        return INTERRUPTED
