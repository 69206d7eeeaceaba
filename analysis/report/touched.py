"""The section on the footprint: what received a gradient, beside what uniform draws would reach."""

from analysis.footprint.pool import read_pool
from analysis.footprint.shares import Reached, footprint
from analysis.report.charts import Series, line_chart
from analysis.report.markup import Html, element, note, section, table
from analysis.report.record import RunRecord

_HEADER = ("with a gradient", "reached", "of", "share", "uniform draws", "95 % range")
_DRAWN = ("tasks", "worlds", "tools", "combinations")


def footprint_section(record: RunRecord) -> Html:
    """Shares of the pool reached by the last update, and how they grew."""
    planned = [update for update in record.gradients if update.iteration is not None]
    if not planned:
        return Html("")
    reached = footprint(read_pool(record.run.ledger, record.run.id), planned)
    cumulated = [r for r in reached if r.scope == "cumulated"]
    last = [r for r in cumulated if r.update == reached[-1].update]
    charts = [_chart([r for r in cumulated if r.dimension == name], name) for name in _DRAWN]
    return section(
        2,
        "Footprint",
        table(_HEADER, [_row(r) for r in last]),
        note(
            "Uniform draws: as many tasks per update from the pool as it stood. What lies in their range "
            "proves nothing about the curriculum."
        ),
        element("div", *charts, class_="charts"),
    )


def _row(r: Reached) -> tuple[object, ...]:
    return (
        r.dimension,
        r.reached,
        r.pool,
        f"{r.share:.1%}",
        f"{r.expected:.1%}",
        f"{r.low:.1%} to {r.high:.1%}",
    )


def _chart(line: list[Reached], name: str) -> Html:
    updates = [r.update + 1 for r in line]
    own = Series("this run", updates, [r.share for r in line])
    uniform = Series(
        "uniform draws", updates, [r.expected for r in line], [r.low for r in line], [r.high for r in line]
    )
    return line_chart(f"{name} with a gradient", [own, uniform], "policy updates", share=True)
