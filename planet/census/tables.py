"""The census as tables: for a terminal, and as the Markdown of a results section."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from planet.census import design
from planet.census.corpus import Reach
from planet.census.measure import Census, Distinct, Quantity
from planet.refusal_words import refusal_words
from planet.text_table import align, markdown, percent

_ARTICLES = {"world": "a world", "environment": "an environment", "task": "a task"}
_NAMES = {"share at stake": "share of tasks with a rule at stake"}


class Table(NamedTuple):
    """A title, the names of the columns, and rows of text."""

    title: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]

    @property
    def left(self) -> list[int]:
        """The columns that are aligned left: the first one, and those of words."""
        places = range(1, len(self.header))
        return [0, *(p for p in places if any(row[p][:1] not in "0123456789+-" for row in self.rows))]


def tables(census: Census) -> Iterator[Table]:
    """All tables, the sizes first."""
    yield Table("Size", ("", "here", "design", "deviation"), list(_totals(census)))
    header = ("mean", "here", "design", "deviation", "least", "5 %", "median", "95 %", "most", "design")
    yield Table("Means and tails", header, [_quantity(q) for q in census.quantities])
    rows = [_distinct(d) for d in census.distinct]
    yield Table("Different ones", ("in all", "here", "design", "deviation"), rows)
    title = f"What {census.drawn:,} of {census.totals['tasks']:,} tasks drawn uniformly reach"
    yield Table(title, *reach_table(census.reach))
    for name, parts in census.shares.items():
        if name == "phrasings":
            yield Table("Phrasings", ("family", "phrasings", "least", "most"), list(_phrasings(parts)))
        else:
            yield Table(f"Shares of {name}", (name, "share"), [(k, f"{v:.1%}") for k, v in parts.items()])
    yield Table(
        f"Refused on the way: {census.refused:,} worlds came to nothing",
        ("refused by", "times", "what is refused"),
        list(_refusals(census)),
    )


def as_text(table: Table) -> str:
    """Aligned columns under the title; an empty table says so."""
    if not table.rows:
        return f"{table.title}\n  none"
    lines = align(table.header, table.rows, table.left)
    return "\n".join([table.title, *(f"  {line}" for line in lines)])


def as_markdown(table: Table) -> str:
    """A table of Markdown under its title in bold."""
    if not table.rows:
        return f"**{table.title}**: none.\n"
    return "\n".join([f"**{table.title}**", "", *markdown(table.header, table.rows, table.left), ""])


# ── rows ──────────────────────────────────────────────────────────────────────────────────────────


def _totals(census: Census) -> Iterator[tuple[str, ...]]:
    wanted = {
        "worlds": design.WORLDS,
        "rows": design.ROWS,
        "environments": design.ENVIRONMENTS,
        "tasks": design.TASKS,
    }
    for name, count in census.totals.items():
        yield name, f"{count:,}", f"{wanted[name]:,}", _percent(count / wanted[name] - 1)


def _quantity(q: Quantity) -> tuple[str, ...]:
    low, high = design.BOUNDS.get(q.name, (None, None))
    tails = (q.least, q.low, q.median, q.high, q.most)
    return (
        _NAMES.get(q.name, f"{q.name} of {_ARTICLES[q.of]}"),
        _number(q.mean, 2), _number(q.design, 2), _percent(q.deviation), *(_number(x, 0) for x in tails),
        "-" if low is None else f"{_number(low, 0)} to {_number(high, 0)}",
    )  # fmt: skip


def _distinct(d: Distinct) -> tuple[str, ...]:
    more = " or more" if d.name in design.AT_LEAST else ""
    return f"{d.name} of the {d.of}", f"{d.number:,}", f"{d.design:,}{more}", _percent(d.deviation)


def _phrasings(parts: dict[str, float]) -> Iterator[tuple[str, ...]]:
    """How evenly a family is said in its phrasings: the least and the most frequent one, of its tasks."""
    families: dict[str, list[float]] = {}
    for template, share in parts.items():
        families.setdefault(template.rpartition("-")[0], []).append(share)
    for family, shares in families.items():
        ends = (f"{end / sum(shares):.1%}" for end in (min(shares), max(shares)))
        yield family, str(len(shares)), *ends


def reach_table(found: Sequence[Reach]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and rows: what a draw reached, what draws are expected to, and what is published."""
    header = (
        "share of", "values", "reached", "drawn", "expected", "95 % of draws", "published", "points",
        "of mean", f"within {design.NEAR:g}",
    )  # fmt: skip
    rows = []
    for r in found:
        away = [design.points(share, r.dimension) for share in (r.share, r.expected.share)]
        rows.append(
            (
                r.dimension, f"{r.values:,}", f"{r.reached:,}", percent(r.share), percent(r.expected.share),
                f"{percent(r.expected.low)} to {percent(r.expected.high)}",
                percent(design.REACHED.get(r.dimension)),
                *("-" if p is None else f"{p:+.1f}" for p in away),
                "-" if away[1] is None else "yes" if abs(away[1]) <= design.NEAR else "no",
            )
        )  # fmt: skip
    return header, rows


def _refusals(census: Census) -> Iterator[tuple[str, ...]]:
    for cause, times in census.refusals.items():
        yield cause, f"{times:,}", refusal_words().get(cause, "-")


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f} %"
