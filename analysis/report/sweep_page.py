"""A page about several runs: the arms side by side, then each run."""

from collections.abc import Callable, Sequence

from analysis.compare.standing import GREEDY, Point, Standing, share_text
from analysis.intervals import points
from analysis.report.anchors import Anchors
from analysis.report.charts import Series, line_chart
from analysis.report.contrasts import Arms, contrast_section, sweep_verdict
from analysis.report.document import document
from analysis.report.markup import Html, element, folded, note, section, table, together
from analysis.report.record import RunRecord
from analysis.report.run_page import Part, contents, placed, run_head, run_parts
from analysis.report.runs import Found
from analysis.report.samples import shared_limits
from analysis.report.tested import learning_curves

WHOLE = 8
"""Runs up to which every run is told iteration by iteration; more would make the page too large."""
SHORT = ("Test", "Costs")
"""Parts of a run that are left when there are more."""

Measure = Callable[[Point], float]
_MEASURED: tuple[tuple[str, Measure], ...] = (
    ("all-pass", lambda point: point.all_pass.mean),
    ("reward", lambda point: point.reward),
)
_BUDGETS: tuple[tuple[str, Measure], ...] = (
    ("policy updates", lambda point: point.updates),
    ("charged environment steps", lambda point: point.charged),
)

_ARMS = (
    "arm", "seed", "warm start", "final, sampled", "gain in points", "final, greedy", "gain in points",
    "updates", "charged steps", "worlds in the pool",
)  # fmt: skip


def sweep_page(name: str, found: Found) -> tuple[str, str]:
    """The page, and its verdict. `name`: of the folder."""
    records = [RunRecord(run) for run in found.runs]
    arms = arms_of(records)
    verdict = sweep_verdict(arms) if arms else "No run was evaluated yet."
    runs = [_run(record, f"run{index}", len(records)) for index, record in enumerate(records)]
    parts = [
        Part("Arms", "arms", _arms(records)),
        Part("Contrasts", "contrasts", contrast_section(arms, GREEDY) if arms else Html("")),
        Part(
            "Learning curves", "curves", section(2, "Learning curves", arm_curves(arms)) if arms else Html("")
        ),
        Part("Runs", "runs", section(2, f"The {len(runs)} runs", *runs)),
    ]
    parts = [part for part in parts if part.body]
    missing = [note(f"Left out: {line}") for line in found.unread]
    page = document(
        f"{name}: {len(runs)} runs",
        element("p", verdict, class_="verdict"),
        *missing,
        contents(parts),
        placed(parts),
    )
    return page, verdict


def arms_of(records: Sequence[RunRecord]) -> Arms:
    """Arm -> seed -> where the run stands, if it was evaluated; of two such runs the first by path counts."""
    arms: dict[str, dict[int, Standing]] = {}
    for record in records:
        if record.standing is not None:
            arms.setdefault(record.run.run.arm, {}).setdefault(record.run.run.seed, record.standing)
    return arms


def _arms(records: Sequence[RunRecord]) -> Html:
    rows = [_row(record, record.standing) for record in records if record.standing is not None]
    return section(
        2, "Arms", table(_ARMS, rows), note("Test all-pass; intervals resample the test worlds of the run.")
    )


def _row(record: RunRecord, standing: Standing) -> tuple[object, ...]:
    warm, final = standing.warm, standing.final
    return (
        record.run.run.arm,
        record.run.run.seed,
        share_text(warm.get(standing.sampled)),
        share_text(final.get(standing.sampled)),
        points(standing.gain(standing.sampled)),
        share_text(final.get(GREEDY)),
        points(standing.gain(GREEDY)),
        standing.updates,
        f"{sum(standing.charged.values()):,}",
        standing.worlds,
    )


def arm_curves(arms: Arms) -> Html:
    """Validation over both budgets, a line per arm: its run, or the mean over seeds that all arms have."""
    if all(len(runs) == 1 for runs in arms.values()):
        return learning_curves([standing for runs in arms.values() for standing in runs.values()])
    shared = set.intersection(*(set(runs) for runs in arms.values()))
    chosen = {arm: [runs[s] for s in sorted(shared or runs)] for arm, runs in arms.items()}
    charts = []
    for title, what in _MEASURED:
        for axis, budget in _BUDGETS:
            series = [_mean_series(arm, runs, budget, what) for arm, runs in chosen.items()]
            charts.append(line_chart(f"Validation {title}, mean over seeds", series, axis, share=True))
    return together((_seeds(shared), element("div", *charts, class_="charts pairs")))


def _seeds(shared: set[int]) -> Html:
    if not shared:
        return note(
            "No seed is shared by all arms: each line averages its own, so their heights do not compare."
        )
    return note(f"Means over the seeds that all arms have: {', '.join(map(str, sorted(shared)))}.")


def _mean_series(arm: str, runs: Sequence[Standing], budget: Measure, what: Measure) -> Series:
    """The points that all of these runs have, averaged."""
    by_updates = [{point.updates: point for point in run.curve} for run in runs]
    shared = sorted(set.intersection(*(set(points) for points in by_updates)))
    columns = [[points[updates] for points in by_updates] for updates in shared]
    return Series(
        arm, [_mean(column, budget) for column in columns], [_mean(column, what) for column in columns]
    )


def _mean(points: Sequence[Point], measure: Measure) -> float:
    return sum(measure(point) for point in points) / len(points)


def _run(record: RunRecord, prefix: str, runs: int) -> Html:
    """One run, folded."""
    parts = run_parts(record, Anchors(prefix), shared_limits(runs), SHORT if runs > WHOLE else None)
    more = None
    if runs > WHOLE:
        more = note(f"Iteration by iteration: python -m analysis.report {record.run.path}")
    return folded(
        record.run.label,
        together((run_head(record), more, contents(parts), placed(parts))),
        class_="run",
        id=prefix,
    )
