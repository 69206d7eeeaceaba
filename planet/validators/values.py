"""What a cell of each type may hold.

Types are strict: 25 or -0.0 among amounts, or True among truth values, would be read back as 25.0, 0.0 and 1,
and the world would come back under another identity.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import Any

from planet.records.world import Column, Resource
from planet.validators.text import listed, prompt_in
from planet.world.arguments import LONGEST_TEXT

Fit = Callable[[Any], bool]


def fit_of(column: Column, resource: Resource) -> tuple[Fit, str]:
    """Whether a value other than None fits the column, and what fits it in words."""
    if column.type == "id":
        pattern = re.compile(re.escape(resource.prefix) + r"-[0-9]{4,9}")
        return (
            lambda v: isinstance(v, str) and pattern.fullmatch(v) is not None,
            f"like {resource.prefix}-0007",
        )
    if column.type == "enum":
        options = frozenset(column.values)
        return lambda v: isinstance(v, str) and v in options, f"one of {listed(column.values, 12)}"
    fits: dict[str, tuple[Fit, str]] = {
        "int": (_is_int, "a whole number"),
        "amount": (_is_amount, "a number with a decimal point"),
        "bool": (_is_bool, "0 or 1"),
        "date": (_is_date, "a date like 2026-03-14"),
    }
    return fits.get(
        column.type, (_is_text, f"printable text of at most {LONGEST_TEXT} characters, and no prompt")
    )


def default_fits(column: Column, resource: Resource) -> bool:
    """Whether the column's default is of its type; True and 25 are stored as 1 and 25.0."""
    value: Any = column.default
    if column.type == "bool" and isinstance(value, bool):
        value = int(value)
    if column.type == "amount" and _is_int(value):
        value = float(value)
    return value is None or fit_of(column, resource)[0](value)


def _is_text(value: Any) -> bool:
    is_text = isinstance(value, str) and len(value) <= LONGEST_TEXT and value.isprintable()
    return is_text and prompt_in(value) is None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53


def _is_amount(value: Any) -> bool:
    return isinstance(value, float) and abs(value) < 1e15 and str(value) != "-0.0"


def _is_bool(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value in (0, 1)


def _is_date(value: Any) -> bool:
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True
