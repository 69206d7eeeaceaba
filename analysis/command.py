"""What the commands share: one-line errors, exit code 2 for wrong use, a light `--help`, and how they end."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from analysis.errors import AnalysisError
from planet.command import WRONG_USE, Parser, complain
from planet.command import finish as finish_command


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

    def guarded() -> int:
        try:
            work()
        except AnalysisError as error:
            complain(f"{options.prog}: {error}")
            return WRONG_USE
        return 0

    return finish_command(options, guarded)
