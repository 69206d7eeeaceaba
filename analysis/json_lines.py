"""JSON-lines files, one line at a time: nothing is held, and what cannot be read is named by its line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from analysis.errors import DataError

_HALF = re.compile(rb"\\u[dD][89abcdefABCDEF]")


class Line(NamedTuple):
    """One line that is not blank."""

    number: int  # from 1
    value: Any  # as JSON; None when there is a problem
    problem: str | None  # why it is no JSON; None: it is


def read_lines(path: str | Path) -> Iterator[Line]:
    """The lines of a file, in order; DataError when the file cannot be read at all."""
    try:
        with Path(path).open("rb") as file:  # only \n and \r\n end a line, whatever stands inside a string
            for number, raw in enumerate(file, 1):
                if raw.strip():
                    yield _line(number, raw)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}; give a JSON-lines file") from error


def _line(number: int, raw: bytes) -> Line:
    try:
        value = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
        if _HALF.search(raw):  # rarely: whole pairs are written like this, too
            json.dumps(value, ensure_ascii=False).encode()
        return Line(number, value, None)
    except UnicodeEncodeError:
        problem = "a text holds half a character (\\ud800 to \\udfff alone); write whole ones"
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at character {error.pos + 1}"
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} is no UTF-8; save the file as UTF-8"
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; brackets without end
        problem = str(error)
    return Line(number, None, problem)


def first_problem(error: ValidationError) -> str:
    """What a record complains of first, in one line: `calls.0.tool: Field required`."""
    found = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(map(str, found["loc"]))
    said = found["msg"].removeprefix("Value error, ")
    given = found["input"]
    shown = f" (got {given!r:.40})" if isinstance(given, str | int | float | bool | None) else ""
    return " ".join(f"{where}: {said}{shown}".removeprefix(": ").split())
