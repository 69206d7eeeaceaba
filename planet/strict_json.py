"""JSON as the standard has it: without NaN and infinities, which Python's reader takes and others refuse."""

import json
import math
from collections.abc import Callable
from typing import Any


def loads(text: str, made_of: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of a JSON text; ValueError for what is none, RecursionError for what is nested too deeply.

    `made_of` makes an object of its pairs; None: a dictionary.
    """
    return json.loads(text, object_pairs_hook=made_of, parse_constant=_no_number, parse_float=_finite)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text:.40} is too large a number")
    return number
