"""The section on what an iteration did: failure of its cells before and after, rewards, validation."""

from collections.abc import Sequence

from analysis.briefs import goals
from analysis.compare.standing import Point, Standing
from analysis.intervals import points, shares
from analysis.report.charts import Series, line_chart
from analysis.report.markup import Html, element, note, section, table
from analysis.report.record import Diagnosis, Iteration, RunRecord, change

_HEADER = ("cell", "failed before", "failed after", "change in points", "share of gradients")


def outcome_section(record: RunRecord, iteration: Iteration) -> Html:
    """What came of an iteration's worlds and updates."""
    after = record.after(iteration)
    if not iteration.updates:
        return section(3, "Result: no update yet", note("The iteration has not trained so far."))
    return section(
        3,
        f"Result: after {iteration.policy_version} updates",
        _validation(record.standing, iteration),
        _curve(iteration),
        _cells(record, iteration, iteration.diagnosis, after) if iteration.diagnosis and after else None,
    )


def aimed_cells(iteration: Iteration) -> frozenset[str]:
    """The cells that an iteration's worlds are judged by."""
    return goals(brief for brief in iteration.briefs if brief.brief_id in iteration.aimed)


def _validation(standing: Standing | None, iteration: Iteration) -> Html | None:
    curve = standing.curve if standing else ()
    now = _at(curve, iteration.policy_version)
    before = _at(curve, iteration.policy_version - len(iteration.updates))
    if now is None:
        return note("Not validated yet.")
    words = f"Validation all-pass {shares(now.all_pass)}, reward {now.reward:.3f}"
    if before is not None:
        words += f"; before the iteration {shares(before.all_pass)}, reward {before.reward:.3f}"
    return element("p", words + ".")


def _at(curve: Sequence[Point], updates: int) -> Point | None:
    return next((point for point in curve if point.updates == updates), None)


def _curve(iteration: Iteration) -> Html:
    numbers = [row.update + 1 for row in iteration.updates]
    series = [
        Series("reward", numbers, [row.reward for row in iteration.updates]),
        Series("all-pass", numbers, [row.all_pass for row in iteration.updates]),
    ]
    chart = line_chart("Training episodes of each update", series, "policy updates", share=True)
    return element("div", chart, class_="charts")


def _cells(record: RunRecord, iteration: Iteration, before: Diagnosis, after: Diagnosis) -> Html:
    aimed = aimed_cells(iteration)
    names = aimed or {cell.name for cell in before.report.cells if cell.facet in record.facets}
    ranked = [cell.name for cell in before.report.cells if cell.name in names]
    rows = [
        (
            name,
            _failure(before, name),
            _failure(after, name),
            points(change(before, after, name)),
            _gradient_share(record, iteration, name),
        )
        for name in ranked
    ]
    whose = "Cells that the briefs aimed at" if aimed else "No brief aimed at the report; its cells"
    return section(
        4,
        f"{whose}, in report {before.id} and in {after.id}",
        table(_HEADER, rows),
        note(
            "Below zero: fewer failures. A cell that was chosen for its failures would fail less often the "
            "second time even if nothing had been learned, so a change means something only beside a "
            "control's. Share of gradients: of the tasks that received a gradient in this iteration, those "
            "that require the cell."
        ),
    )


def _failure(diagnosis: Diagnosis, cell: str) -> str:
    rate = diagnosis.failure(cell)
    return "-" if rate is None else shares(rate)


def _gradient_share(record: RunRecord, iteration: Iteration, cell: str) -> str:
    tasks = [task for update in iteration.gradients for task in update.tasks]
    if not tasks:
        return "-"
    return f"{sum(cell in record.tasks[task].cells for task in tasks) / len(tasks):.0%}"
