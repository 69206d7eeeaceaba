"""What the policy's commands share beyond PLANET's: what the policy refuses is one line and exit code 2."""

import argparse
from collections.abc import Callable
from pathlib import Path

from planet import command
from planet.command import Parser
from policy.errors import PolicyError


def new_file(text: str) -> Path:
    """A file that can be written, as the type of an argument: told before anything is measured."""
    place = Path(text)
    if place.is_dir() or not place.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is no place for a file; name one in a folder that exists")
    return place


def finish(parser: Parser, work: Callable[[], int], *refusals: type[Exception]) -> int:
    """Do a command's work and give its exit code; what the policy or the disk refuses becomes one line, and
    so do further `refusals`."""
    return command.finish(parser, work, PolicyError, *refusals)
