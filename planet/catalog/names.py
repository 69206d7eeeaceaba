"""Names that can stand in a database and in an instruction: short, snake_case, no word of SQL."""

import re

from planet.errors import CatalogError

_SQL = """
add all alter and as autoincrement between case check collate commit constraint create cross current
default deferrable delete distinct drop else escape except exists foreign from full group having if
in index inner insert intersect into is isnull join left limit natural not notnull null on or order
outer primary references returning right select set table then to transaction union unique update
using values when where
"""

RESERVED = frozenset(_SQL.split())
"""Words that SQLite, or a reader of its SQL, takes for something else."""


def check_name(name: str, words: int, where: str, what: str) -> None:
    """`name` is snake_case of at most `words` words and not reserved; CatalogError otherwise."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise CatalogError(f"{where}: {what} '{name}' is not snake_case; write e.g. {_snake(name)}")
    if name.count("_") >= words:
        raise CatalogError(f"{where}: {what} '{name}' has more than {words} words; shorten it")
    if name in RESERVED:
        raise CatalogError(f"{where}: {what} '{name}' is a word of SQL; write e.g. {name}_{what.split()[0]}")


def _snake(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    return re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_").lstrip("0123456789_") or "due_date"
