"""Tables as text: aligned for a terminal, and as Markdown for a page."""

from collections.abc import Sequence


def align(header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> list[str]:
    """One line per row; columns whose index is in `left` are aligned left, the others right."""
    table = [header, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    return [
        "  ".join(
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> list[str]:
    """The lines of a Markdown table; columns whose index is in `left` are aligned left, the others right."""
    marks = ["---" if place in left else "---:" for place in range(len(header))]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in (header, marks, *rows)]


def percent(value: float | None) -> str:
    """A share as text; "-" when it was not measured."""
    return "-" if value is None else f"{value:.1%}"
