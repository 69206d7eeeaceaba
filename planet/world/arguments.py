"""Arguments of tool calls as an agent sent them: how they are read, kept as plain JSON, shown in errors."""

import math
import re
from collections.abc import Callable
from datetime import date
from reprlib import Repr
from typing import Any

from planet.records.world import Column

LONGEST_TEXT = 2_000
"""Characters of one text argument; the validators admit no longer cell or description either."""
_DEEPEST = 32
"""Levels of nesting; a filter takes three."""
_WIDEST_INT = 1_024
"""Bits; more than a column holds, less than Python refuses to print."""
_SHOWN = 60
"""Characters of a value in an error."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")

Reader = Callable[[Any], tuple[Any, str | None]]
"""A value as an agent sent it -> (value to store, None) or (None, what is wrong)."""


def reader_of(column: Column) -> Reader:
    """What reads the values of a column."""
    if column.type == "enum":
        return _enum_reader(frozenset(column.values), ", ".join(column.values))
    return {"int": _read_int, "amount": _read_amount, "bool": _read_bool, "date": _read_date}.get(
        column.type, _read_text
    )


def _enum_reader(values: frozenset[str], listed: str) -> Reader:
    def read(value: Any) -> tuple[Any, str | None]:
        if isinstance(value, str) and value in values:
            return value, None
        return None, f"must be one of {listed}, not {shown(value)}"

    return read


def _read_text(value: Any) -> tuple[Any, str | None]:
    if isinstance(value, str) and len(value) <= LONGEST_TEXT and value.isprintable():
        return value, None
    return None, f"must be printable text of at most {LONGEST_TEXT} characters, not {shown(value)}"


def _read_int(value: Any) -> tuple[Any, str | None]:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if whole and not isinstance(value, bool) and abs(value) < 2**53:
        return int(value), None
    return None, f"must be a whole number, not {shown(value)}"


def _read_amount(value: Any) -> tuple[Any, str | None]:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:
        return float(value), None
    return None, f"must be a number, not {shown(value)}"


def _read_bool(value: Any) -> tuple[Any, str | None]:
    if isinstance(value, bool):
        return int(value), None
    return None, f"must be true or false, not {shown(value)}"


def _read_date(value: Any) -> tuple[Any, str | None]:
    if isinstance(value, str) and _DATE.match(value):
        try:
            date.fromisoformat(value)
        except ValueError:
            return None, f"must be a day of the calendar, not {shown(value)}"
        return value, None
    return None, f"must be a date like 2026-03-14, not {shown(value)}"


# ── plain JSON ────────────────────────────────────────────────────────────────────────────────────


def unplain(value: Any, depth: int = 0) -> str | None:
    """Why `value` would not survive being written as JSON and read back; None when it would.

    Half of a surrogate pair, nan, infinities, very large integers and very deep nesting would not.
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return None if _encodable(value) else "text with half a surrogate pair"
    if isinstance(value, int):
        return None if value.bit_length() <= _WIDEST_INT else f"a number of {value.bit_length()} bits"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{value} is no number of JSON"
    if depth == _DEEPEST:
        return f"more than {_DEEPEST} levels of nesting"
    if isinstance(value, list):
        return next(filter(None, (unplain(item, depth + 1) for item in value)), None)
    if isinstance(value, dict):
        odd = next((name for name in value if not isinstance(name, str) or not _encodable(name)), None)
        if odd is not None:
            return f"the name {shown(odd)}"
        return next(filter(None, (unplain(item, depth + 1) for item in value.values())), None)
    return f"a {type(value).__name__}"


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# ── values in errors ──────────────────────────────────────────────────────────────────────────────


class _Brief(Repr):
    """A `repr` that stays short, and that huge integers and deep nesting do not break."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxstring = self.maxother = _SHOWN

    def repr_int(self, x: int, level: int) -> str:
        """The digits, or how many bits there are when there are many."""
        return str(x) if x.bit_length() <= _WIDEST_INT else f"<a number of {x.bit_length()} bits>"


_BRIEF = _Brief()


def shown(value: Any) -> str:
    """`value` in at most 60 printable characters of plain text."""
    text = repr(value[:_SHOWN]) if isinstance(value, str) else _BRIEF.repr(value)
    text = text if text.isascii() or _encodable(text) else ascii(text)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
