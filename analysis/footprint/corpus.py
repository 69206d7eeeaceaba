"""What tasks drawn uniformly from a folder of worlds reach, beside the published footprint of training."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.command import Result
from analysis.csv_file import write_csv
from analysis.style import colour, drawing
from planet.census.corpus import Reach, corpus_of, reach
from planet.census.design import ENOUGH, ENVIRONMENTS, NEAR, REACHED, draw_for, points
from planet.census.environment import read_environments
from planet.census.tables import reach_table
from planet.text_table import align, markdown
from planet.whole_file import write_whole

CAPTION = (
    "Share of the values of the corpus that {drawn:,} of {tasks:,} tasks drawn uniformly reach: one draw "
    "(dot), mean and 95 % range of all draws (bar, exact rarefaction), and what training is published to "
    "have touched (diamond). A published share inside its range is what chance gives."
)
_HEADER = (
    "dimension", "values", "reached", "share", "expected", "low", "high", "published", "points",
    "points_of_mean", "near",
)  # fmt: skip
"""`near`: whether the mean of all draws is within NEAR points of the published share."""


def write_corpus_footprint(
    folder: Path, out: Path, drawn: int | None = None, seed: int = 0, limit: int | None = None
) -> Result:
    """corpus_footprint.csv, .png and .md in `out`.

    drawn: tasks (None: as many of the corpus as 3,200 are of 43,260); limit: environments at most.
    """
    corpus = corpus_of(list(read_environments(folder)), limit, folder)
    tasks = sum(len(world.tasks) for world in corpus)
    count = min(drawn or draw_for(tasks), tasks)
    found = reach(corpus, count, seed)
    title = f"{count:,} of {tasks:,} tasks of {len(corpus):,} environments, drawn uniformly"
    words = [*said(found)]
    header, rows = reach_table(found)
    page = "\n".join([f"{title}:", "", *markdown(header, rows), "", *(f"- {line}" for line in words), ""])
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "corpus_footprint.md", page)
    files = (
        write_csv(out / "corpus_footprint.csv", _HEADER, [_row(r) for r in found]),
        _draw(found, out / "corpus_footprint.png", CAPTION.format(drawn=count, tasks=tasks)),
        out / "corpus_footprint.md",
    )
    return Result("\n".join([title, *align(header, rows), "", *words]), files)


def said(found: Sequence[Reach]) -> list[str]:
    """What the numbers say, in words."""
    known = [r for r in found if r.dimension in REACHED]
    chance = [r.dimension for r in known if r.expected.low <= REACHED[r.dimension] <= r.expected.high]
    other = [r.dimension for r in known if r.dimension not in chance]
    outside = [r.dimension for r in found if not r.expected.low <= r.share <= r.expected.high]
    return [
        f"The mean of all draws: {_near([(r.dimension, r.expected.share) for r in known])}",
        f"This draw: {_near([(r.dimension, r.share) for r in known])}",
        f"Published shares inside the range of uniform draws: {_list(chance)}. Outside: {_list(other)}.",
        f"This draw lies outside of the range, as one share in twenty does by chance, in: {_list(outside)}.",
        *_of_size(next(r.values for r in found if r.dimension == "environments")),
    ]


def _of_size(environments: int) -> list[str]:
    if environments >= ENOUGH * ENVIRONMENTS:
        return []
    return [
        f"The published shares are of {ENVIRONMENTS:,} environments, these of {environments:,}. The share of "
        "environments compares; descriptions, tools and combinations recur less often among fewer worlds."
    ]


def _near(shares: Sequence[tuple[str, float]]) -> str:
    """Which shares are within NEAR points of the published ones, and how far away the others are."""
    away = [(name, p) for name, share in shares if (p := points(share, name)) is not None]
    near = [name for name, p in away if abs(p) <= NEAR]
    far = [f"{name} ({p:+.1f})" for name, p in away if abs(p) > NEAR]
    return f"within {NEAR:g} points of the published share {_list(near)}; further away {_list(far)}."


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _row(r: Reach) -> tuple[Any, ...]:
    away = [points(share, r.dimension) for share in (r.share, r.expected.share)]
    near = None if away[1] is None else int(abs(away[1]) <= NEAR)
    likely = r.expected
    return (
        r.dimension, r.values, r.reached, r.share, likely.share, likely.low, likely.high,
        REACHED.get(r.dimension), *away, near,
    )  # fmt: skip


def _draw(found: Sequence[Reach], path: Path, caption: str) -> Path:
    with drawing(path, caption, width=7.5, height=4.2) as axes:
        axis, flat = axes[0][0], {"solid_capstyle": "butt"}
        for place, r in enumerate(found):
            axis.plot(
                [r.expected.low, r.expected.high], [place, place], color=colour(5), lw=7, alpha=0.6, **flat
            )
            axis.plot([r.expected.share], [place], "|", color=colour(0), ms=12)
            axis.plot([r.share], [place], "o", color=colour(1), label="" if place else "one draw")
            if r.dimension in REACHED:
                label = "" if place else "published"
                axis.plot([REACHED[r.dimension]], [place], "D", color=colour(2), label=label)
        axis.set_yticks(range(len(found)), [f"{r.dimension} ({r.values:,})" for r in found])
        axis.invert_yaxis()
        axis.set_xlim(0, 1.02)
        axis.set_xlabel("share reached")
        axis.legend(loc="lower left")
    return path
