"""What the policy's commands share: one-line complaints, with exit code 2 for wrong use."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from policy.errors import PolicyError

WRONG_USE = 2
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """One line."""
        self.exit(WRONG_USE, f"{self.prog}: {' '.join(message.split())}; see {self.prog} --help\n")


def positive(text: str) -> int:
    """A whole number of 1 or more, as the type of an argument."""
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 1 or more")
    return int(text)


def new_file(text: str) -> Path:
    """A file that can be written, as the type of an argument: told before anything is measured."""
    place = Path(text)
    if place.is_dir() or not place.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is no place for a file; name one in a folder that exists")
    return place


def finish(parser: Parser, work: Callable[[], int], *refusals: type[Exception]) -> int:
    """Do a command's work and give its exit code; what the policy or the disk refuses becomes one line, and
    so do further `refusals`."""
    refused: tuple[type[Exception], ...] = (PolicyError, OSError, *refusals)
    try:
        return work()
    except refused as error:
        print(f"{parser.prog}: {' '.join(str(error).split())}", file=sys.stderr)
        return WRONG_USE
    except KeyboardInterrupt:
        print(f"{parser.prog}: stopped", file=sys.stderr)
        return INTERRUPTED
