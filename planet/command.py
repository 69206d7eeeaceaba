"""What PLANET's commands share: wrong use is one line and exit code 2, and so is whatever PLANET refuses."""

import argparse
import os
import re
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import NoReturn

from planet.disk_errors import told
from planet.errors import PlanetError

REFUSED = 1
"""Exit code when the command worked and its verdict is no."""
WRONG_USE = 2
INTERRUPTED = 130
LONGEST_QUOTE = 200
"""Characters of a quote in a complaint, dots included."""
_LONG_QUOTE = re.compile(  # not the apostrophes of words: nothing stands before a quote, and none behind it
    r"""(?<!\w)(["'])((?:U){%d})(?:U){4,}\1(?!\w)""".replace("U", r"\\.|(?!\1)[^\\]") % (LONGEST_QUOTE - 3)
)


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the complaint and exit."""
        said = quotes_bounded(" ".join(message.split()))
        self.exit(WRONG_USE, f"{self.prog}: {said}; --help shows the usage\n")


def command(name: str, description: str) -> Parser:
    """The parser of `python -m planet.<name>`."""
    return Parser(prog=f"python -m planet.{name}", description=description)


def positive(text: str) -> int:
    """A whole number of 1 or more, as the type of an argument."""
    return _whole(text, 1)


def none_or_more(text: str) -> int:
    """A whole number of 0 or more, as the type of an argument."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of {least} or more")
    return int(text)


def run(parser: Parser, work: Callable[[argparse.Namespace], int], argv: list[str] | None) -> int:
    """Read a command line, do what it asks for, and give the exit code."""
    given = parser.parse_args(argv)
    return finish(parser, lambda: work(given))


def finish(parser: Parser, work: Callable[[], int], *refusals: type[Exception]) -> int:
    """Do a command's work and give its exit code; what PLANET or the disk refuses becomes one line, and so do
    further `refusals`."""
    refused: tuple[type[Exception], ...] = (PlanetError, *refusals)
    code = 0
    print_anything()
    try:
        code = work()
        print(end="", flush=True)  # so that a reader who is gone is met here
        return code
    except BrokenPipeError:  # the reader of the output has seen enough
        close_output()
        return code
    except OSError as error:
        complain(f"{parser.prog}: {told(error)}")
        return WRONG_USE
    except refused as error:
        complain(f"{parser.prog}: {error}")
        return WRONG_USE
    except KeyboardInterrupt:
        complain(f"{parser.prog}: stopped")
        return INTERRUPTED
    except Exception as error:  # a fault of this program, or of a plug-in
        complain(f"{parser.prog}: {unexpected(error)}")
        return REFUSED


def complain(text: object) -> None:
    """One line to the standard error stream, whatever stands in it."""
    print(quotes_bounded(" ".join(str(text).splitlines())), file=sys.stderr)


def quotes_bounded(text: str) -> str:
    """A line in which no quote, whose content may come from anyone, is longer than LONGEST_QUOTE."""
    return _LONG_QUOTE.sub(lambda found: f"{found[1]}{found[2]}...{found[1]}", text)


def print_anything() -> None:
    """Let no name from elsewhere end a command because the terminal cannot show it."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def close_output() -> None:
    """After a broken pipe: nothing more can be printed, and the end of Python need not say so."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def unexpected(error: BaseException) -> str:
    """A line for an error that nobody foresaw; its traceback goes to a file for whoever mends it."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    line = f"{type(error).__name__} in {os.path.basename(frame.filename)}, line {frame.lineno}: {error}"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="traceback-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            traceback.print_exception(error, file=file)
    except OSError:
        return f"{line:.400}; a fault of this program or of a plug-in"
    return f"{line:.400}; a fault of this program or of a plug-in, whose traceback is in {file.name}"
