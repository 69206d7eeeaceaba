"""The section on training health: how the updates went."""

from collections.abc import Sequence

from analysis.health.updates import Health
from analysis.report.charts import Series, line_chart
from analysis.report.markup import Html, element, note, section

_PANELS: tuple[tuple[str, tuple[str, ...], bool], ...] = (
    ("Reward and all-pass", ("reward", "raw_reward", "all_pass"), True),
    ("Episodes that went wrong", ("truncated", "penalised", "collateral"), True),
    ("Malformed calls, groups without a gradient", ("malformed", "dropped"), True),
    ("Tokens per episode", ("tokens",), False),
    ("Entropy per token", ("entropy",), False),
    ("Gradient norm", ("gradient_norm",), False),
)


def health_section(rows: Sequence[Health]) -> Html:
    """One small chart per matter."""
    if not rows:
        return Html("")
    updates = [row.update + 1 for row in rows]
    charts = [
        line_chart(
            title,
            [Series(name.replace("_", " "), updates, [row.value(name) for row in rows]) for name in names],
            "policy updates",
            share=share,
        )
        for title, names, share in _PANELS
    ]
    return section(
        2,
        "Training health",
        element("div", *charts, class_="charts"),
        note("Over all sampled episodes, those of dropped groups included."),
    )
