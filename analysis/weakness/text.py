"""A weakness report as text for a terminal."""

from collections.abc import Iterable

from analysis.text_table import align
from analysis.weakness.record import Cell, WeaknessReport

_HEADER = ("cell", "fail", "of", "worlds", "rate", "low", "change", "learn", "mostly")


def render(report: WeaknessReport, top: int = 12, facets: Iterable[str] | None = None) -> str:
    """The totals and the `top` weakest cells, one line each.

    fail: failures (fractions are shared blame), of: opportunities, low: Wilson's lower bound of the rate,
    change: rate against the report before, learn: learnability, mostly: the commonest failure mode.
    """
    lines = [_totals(report)]
    cells = report.ranked(facets)[:top]
    if cells:
        lines += align(_HEADER, [_line(cell) for cell in cells], left=(0, len(_HEADER) - 1))
    return "\n".join(lines)


def _totals(report: WeaknessReport) -> str:
    text = (
        f"{report.episodes} episodes of {report.tasks} tasks in {report.worlds} worlds: "
        f"all-pass {report.all_pass:.1%}, raw reward {report.raw_reward:.3f}"
    )
    return text + (f"; {report.unattributed} failures that no cell owns" if report.unattributed else "")


def _line(cell: Cell) -> tuple[str, ...]:
    mode = max(cell.modes.items(), key=lambda item: item[1])[0] if cell.modes else "-"
    return (
        cell.name,
        f"{cell.failures:.4g}" + (f" (~{cell.ambiguous})" if cell.ambiguous else ""),
        str(cell.opportunities),
        str(cell.worlds),
        f"{cell.rate:.0%}",
        f"{cell.wilson_low:.0%}",
        "new" if cell.change is None else f"{cell.change:+.0%}",
        f"{cell.learnability:.3f}",
        mode.replace("_", " "),
    )
