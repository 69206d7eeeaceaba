"""Rows of a world as text, for conversations about states."""

from collections.abc import Collection, Iterable
from typing import Any

from planet.identity import canonical_json
from planet.records.world import Resource

MOST_ROWS = 12
"""Rows of a table that are shown beside those that matter."""


def shown_table(resource: Resource, rows: Iterable[tuple[Any, ...]], wanted: Collection[str]) -> str:
    """Columns, then rows as JSON: those with an id in `wanted`, and the first few others, in their order."""
    every = list(rows)
    others = [row[0] for row in every if row[0] not in wanted][: max(0, MOST_ROWS - len(wanted))]
    kept = [row for row in every if row[0] in wanted or row[0] in others]
    left = f" ({len(every) - len(kept)} more rows)" if len(kept) < len(every) else ""
    columns = ", ".join(c.name for c in resource.columns)
    lines = "\n".join(canonical_json(list(row)) for row in kept)
    return f"Table {resource.name} ({columns}){left}:\n{lines}"
