"""The section on the test and the learning curve of a run."""

from collections.abc import Sequence

from analysis.compare.standing import GREEDY, Sample, Standing, difference
from analysis.intervals import points, shares
from analysis.report.charts import Series, line_chart
from analysis.report.markup import Html, element, note, section, table
from analysis.report.verdict import test_gain

_SCORES = ("sampled how", "warm start", "final policy", "gain in points", "reward", "episodes", "worlds")
_WENT_ON = (
    "Went on: the policy that made further updates until it had spent the charged budget. All else on this "
    "page is of the final policy, but for the end of the learning curves and the costs."
)
_FAMILIES = ("family", "gain on test, in points", "forgotten in validation, in points")


def test_section(standing: Standing, *body: object) -> Html:
    """Scores of warm start and final policy, and gains by family."""
    variants = [v for v in dict.fromkeys((standing.sampled, GREEDY)) if test_gain(standing, v)]
    if not variants:
        return Html("")
    further = [v for v in variants if v in standing.extended]
    rows = [
        *(_scores(v, standing.warm[v], standing.final[v]) for v in variants),
        *(_scores(f"{v}, went on", standing.warm[v], standing.extended[v]) for v in further),
    ]
    families = [
        (family, points(standing.family_gain(family)), _points(standing.forgotten(family)))
        for family in standing.families
    ]
    return section(
        2,
        "Test",
        element("p", "Worlds that neither training nor diagnosis nor validation has seen."),
        table(_SCORES, rows),
        note(_WENT_ON) if further else None,
        table(_FAMILIES, families),
        note("Forgotten: the best validation of a family minus its last one. Intervals resample worlds."),
        *body,
    )


def _scores(how: str, before: Sample, after: Sample) -> tuple[object, ...]:
    return (
        how,
        shares(before.all_pass()),
        shares(after.all_pass()),
        points(difference(after, before)),
        f"{before.mean_reward():.3f} → {after.mean_reward():.3f}",
        len(after.passed),
        len(set(after.worlds)),
    )


def _points(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def learning_curves(standings: Sequence[Standing]) -> Html:
    """Validation on both budgets, one line per run, with intervals while there are few lines."""
    runs = [s for s in standings if s.curve]
    charts = [
        line_chart(
            f"Validation {name}", [_series(s, what, budget, len(runs) <= 3) for s in runs], axis, share=True
        )
        for what, name in (("all_pass", "all-pass"), ("reward", "reward"))
        for budget, axis in (("updates", "policy updates"), ("charged", "charged environment steps"))
    ]
    return element("div", *charts, class_="charts pairs") if runs else Html("")


def _series(standing: Standing, what: str, budget: str, banded: bool) -> Series:
    curve = standing.curve
    x = [getattr(point, budget) for point in curve]
    if what == "reward":
        return Series(standing.label, x, [point.reward for point in curve])
    low, high = [p.all_pass.low for p in curve], [p.all_pass.high for p in curve]
    y = [point.all_pass.mean for point in curve]
    return Series(standing.label, x, y, *((low, high) if banded else ()))
