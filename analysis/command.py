"""What the commands share: one-line errors, exit code 2 for wrong use, a light `--help`, and how they end."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from analysis.errors import AnalysisError
from planet import command as shared
from planet.command import Parser


class Result(NamedTuple):
    """What a command found: text to print, and the files that it wrote."""

    text: str
    files: tuple[Path, ...]

    def show(self) -> None:
        """Print the text, and where the files are."""
        print(self.text)
        print("written: " + ", ".join(str(file) for file in self.files))


def command(name: str, description: str) -> Parser:
    """The parser of `python -m analysis.<name>`."""
    return Parser(prog=f"python -m analysis.{name}", description=description)


def add_run(options: Parser) -> None:
    """The arguments of a command that reads one run."""
    options.add_argument("run", metavar="RUN", help="run directory, e.g. runs/NAME")
    options.add_argument("--out", metavar="DIR", help="folder for the results (default: RUN/figures)")


def finish(options: Parser, work: Callable[[], None]) -> int:
    """Do a command's work; an AnalysisError or an unusable file becomes one line and exit code 2."""

    def done() -> int:
        work()
        return 0

    return shared.finish(options, done, AnalysisError)
