"""Tables of a benchmark: names to the left, numbers to the right, a line on what each is."""

from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """One figure of both programs."""

    name: str
    ours: float
    theirs: float
    meaning: str


def lines(rows: Sequence[Row], ours: str, theirs: str) -> list[str]:
    """A heading and a line per figure; `ratio` is ours divided by theirs."""
    width = max(len(row.name) for row in rows)
    head = f"{'':{width}s} {ours:>12s} {theirs:>12s} {'ratio':>7s}"
    return [head, *(_line(row, width) for row in rows)]


def shown(value: float) -> str:
    """Three digits, or all that stand before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _line(row: Row, width: int) -> str:
    ratio = row.ours / row.theirs
    return (
        f"{row.name:{width}s} {shown(row.ours):>12s} {shown(row.theirs):>12s} {ratio:>7.2f}   {row.meaning}"
    )
