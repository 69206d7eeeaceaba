"""What must hold for one column of the catalog."""

import re
from collections.abc import Mapping
from math import isfinite

from planet.catalog.names import check_name
from planet.catalog.nearest import hint
from planet.catalog.phrases import Phrases
from planet.errors import CatalogError
from planet.records.world import Column

OWNERS = {"values": ("enum",), "ref": ("ref",), "pool": ("text",), "unit": ("int", "amount")}
"""Keys that mean something for these types only."""


def check_column(column: Column, pools: Mapping[str, Phrases], where: str) -> None:
    """Raise CatalogError for the first thing wrong with `column`; that its `ref` exists is checked apart."""
    if column.name == "id" or column.type == "id":
        raise CatalogError(f"{where}: column {column.name}: the id column is implied; remove it")
    check_name(column.name, 3, where, "column")
    where = f"{where}: column {column.name}"
    for key, types in OWNERS.items():
        if getattr(column, key) and column.type not in types:
            raise CatalogError(f"{where}: {key} means nothing for type {column.type}; remove it")
    if column.unique and column.type != "text":
        raise CatalogError(f"{where}: unique is for text columns, not for type {column.type}; remove it")
    if column.type == "enum":
        _check_values(column, where)
    if column.type == "ref" and not column.ref:
        raise CatalogError(f"{where}: key 'ref' is missing; name the resource that it refers to")
    if column.type == "text" and not column.pool:
        raise CatalogError(
            f"{where}: key 'pool' is missing; name the text pool to draw from; {hint('', pools)}"
        )
    if column.pool and column.pool not in pools:
        raise CatalogError(f"{where}: no text pool '{column.pool}'; {hint(column.pool, pools)}")
    if not (isfinite(column.low) and isfinite(column.high)):
        raise CatalogError(f"{where}: bounds {column.low:g} to {column.high:g} are not finite; write numbers")
    if not column.low < column.high and column.type in ("int", "amount"):
        raise CatalogError(
            f"{where}: low {column.low:g} is not below high {column.high:g}; exchange or widen them"
        )
    if column.type == "int" and not (column.low.is_integer() and column.high.is_integer()):
        raise CatalogError(
            f"{where}: bounds {column.low:g} to {column.high:g} of an int must be whole; round them"
        )
    if column.default is not None:
        _check_default(column, where)


def _check_values(column: Column, where: str) -> None:
    if len(column.values) < 2:
        raise CatalogError(f"{where}: an enum needs at least two values, not {list(column.values)}; add some")
    if len(set(column.values)) < len(column.values):
        raise CatalogError(f"{where}: an enum value stands twice in {list(column.values)}; remove one")
    for value in column.values:
        if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", value):
            raise CatalogError(f"{where}: enum value '{value}' is not snake_case; write e.g. in_progress")


def _check_default(column: Column, where: str) -> None:
    value = column.default
    if column.unique:
        raise CatalogError(
            f"{where}: default {value!r} of a unique column fits one row only; remove one of the two"
        )
    fits = {
        "text": isinstance(value, str),
        "enum": value in column.values,
        "int": isinstance(value, int) and not isinstance(value, bool) and column.low <= value <= column.high,
        "amount": isinstance(value, (int, float)) and not isinstance(value, bool) and _within(column, value),
        "date": isinstance(value, str) and bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", value)),
        "bool": isinstance(value, bool),
        "ref": False,
    }
    if not fits[column.type]:
        remedy = f"; {hint(value, column.values)}" if column.type == "enum" else "; change or remove it"
        raise CatalogError(f"{where}: default {value!r} does not fit type {column.type}{remedy}")


def _within(column: Column, value: float) -> bool:
    return column.low <= value <= column.high
