"""The lines of the benchmark's table, and the table."""

from collections.abc import Sequence

from planet.bench.spread import Spread
from planet.records.frozen import Frozen
from planet.text_table import align


class Row(Frozen):
    """One thing, beside what SQLite alone takes for its part of it."""

    what: str
    ours: Spread
    raw: Spread | None  # None: SQLite has no part in it
    raw_is: str  # what is compared with, in words; empty where `raw` is None
    bound: float | None = None  # the ratio that should not be exceeded; None: none was set

    @property
    def ratio(self) -> float | None:
        """Median beside median; None without a comparison, or where the clock cannot tell it from nothing."""
        return self.ours.median / self.raw.median if self.raw and self.raw.median > 0 else None

    @property
    def plain(self) -> dict[str, object]:
        """The row as JSON, with its ratio."""
        return {**self.model_dump(mode="json"), "ratio": self.ratio}


_HEAD = ("CPU microseconds", "samples", "median", "p90", "p99", "worst", "SQLite", "ratio", "bound", "beside")


def table(rows: Sequence[Row]) -> list[str]:
    """A line per row under a head, columns aligned; a dash where nothing can be told, no column of dashes."""
    columns = [column for column in zip(_HEAD, *map(_cells, rows), strict=True) if {*column[1:]} - {"-", ""}]
    header, *lines = zip(*columns, strict=True)
    words = [place for place, name in enumerate(header) if name in (_HEAD[0], _HEAD[-1])]
    return align(header, lines, left=words)


def _cells(row: Row) -> tuple[str, ...]:
    ours = row.ours
    times = (ours.median, ours.p90, ours.p99, ours.worst, row.raw.median if row.raw else None)
    ratios = (row.ratio, row.bound)
    return (
        row.what,
        f"{ours.count:,}",
        *(_time(value) for value in times),
        *("-" if value is None else f"{value:.2f}" for value in ratios),
        row.raw_is,
    )


def _time(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.2f}" if value < 1_000 else f"{value:,.0f}"
