"""A weakness report as text for a terminal: what is sure in sentences, then the weakest cells as a table."""

from collections.abc import Iterable

from analysis.weakness.record import Cell, Forgotten, WeaknessReport
from planet.text_table import align

_HEADER = (
    "cell",
    "fail",
    "of",
    "worlds",
    "rate",
    "interval",
    "low",
    "q",
    "change",
    "learn",
    "grad",
    "mostly",
)
_NAMED = 6
"""Claimed cells that a sentence names."""


def render(report: WeaknessReport, top: int = 12, facets: Iterable[str] | None = None) -> str:
    """Totals, what is claimed and what was forgotten, and the `top` weakest cells, one line each.

    fail: failures (fractions are shared blame; ~n: in so many episodes), of: opportunities, interval: of
    the rate, low: its lower bound by Wilson, which ranks, q: adjusted p-value, `*` if the cell is claimed,
    change: rate against the report before, learn: learnability, grad: share of the training groups since
    then, mostly: the commonest failure mode.
    """
    lines = [_totals(report), *_sentences(report)]
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


def _sentences(report: WeaknessReport) -> list[str]:
    if report.abstains is None:
        return _lost(report.forgotten)
    made = [test for test in report.equal_odds if test.p_value is not None]
    tests = ", ".join(f"{t.facet}: p = {t.p_value:.3g}, {t.holm:.3g} by Holm" for t in made)
    tests = tests or "none can be compared"
    if report.abstains:
        return [f"abstains: no difference between cells is sure ({tests})", *_lost(report.forgotten)]
    return [f"cells differ ({tests})", _claims(report), *_lost(report.forgotten)]


def _claims(report: WeaknessReport) -> str:
    claimed = [cell.name for cell in report.claims()]
    above = f"claimed to fail at more than {report.margin:g} times the odds of its facet's others"
    if not claimed:
        return f"no cell is {above}"
    more = f" and {len(claimed) - _NAMED} more" if len(claimed) > _NAMED else ""
    return f"{above}: {', '.join(claimed[:_NAMED])}{more}"


def _lost(forgotten: Iterable[Forgotten]) -> list[str]:
    return [
        f"forgotten: {lost.cell} failed in {lost.mastered.rate:.0%} of {lost.mastered.opportunities} "
        f"episodes {_ago(lost.mastered.reports_ago)}, now in {lost.rate:.0%} of {lost.opportunities}"
        for lost in forgotten
    ]


def _ago(reports: int) -> str:
    return "one report ago" if reports == 1 else f"{reports} reports ago"


def _line(cell: Cell) -> tuple[str, ...]:
    mode = max(cell.modes.items(), key=lambda item: item[1])[0] if cell.modes else "-"
    bounded = cell.rate_low is not None and cell.rate_high is not None
    return (
        cell.name,
        f"{cell.failures:.4g}" + (f" (~{cell.ambiguous})" if cell.ambiguous else ""),
        str(cell.opportunities),
        str(cell.worlds),
        f"{cell.rate:.0%}",
        f"{cell.rate_low:.0%}-{cell.rate_high:.0%}" if bounded else "-",
        f"{cell.wilson_low:.0%}",
        "-" if cell.q_value is None else f"{cell.q_value:.3f}" + "*" * cell.claimed,
        "new" if cell.change is None else f"{cell.change:+.0%}",
        f"{cell.learnability:.3f}",
        "-" if cell.gradient_share is None else f"{cell.gradient_share:.0%}",
        mode.replace("_", " "),
    )
