"""What tasks drawn uniformly from a folder of worlds reach, beside the published footprint of training."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.command import Result
from analysis.style import colour, drawing
from analysis.text_table import align, markdown, percent, write_csv
from planet.census.corpus import Reach, corpus_of, reach
from planet.census.design import ENOUGH, ENVIRONMENTS, REACHED, draw_for
from planet.census.environment import watched_environments
from planet.whole_file import write_whole

NEAR = 5.0
"""Points that a share may differ from the published one."""
CAPTION = (
    "Share of the values of the corpus that {drawn:,} of {tasks:,} tasks drawn uniformly reach: one draw "
    "(dot), mean and 95 % range of all draws (bar, exact rarefaction), and what training is published to "
    "have touched (diamond). A published share inside its range is what chance gives."
)
_HEADER = (
    "dimension",
    "values",
    "reached",
    "share",
    "expected",
    "low",
    "high",
    "published",
    "points",
    "near",
)


def write_corpus_footprint(
    folder: Path, out: Path, drawn: int | None = None, seed: int = 0, limit: int | None = None
) -> Result:
    """corpus_footprint.csv, .png and .md in `out`.

    drawn: tasks (None: as many of the corpus as 3,200 are of 43,260); limit: environments at most.
    """
    corpus = corpus_of(list(watched_environments(folder)), limit, folder)
    tasks = sum(len(world.tasks) for world in corpus)
    count = min(drawn or draw_for(tasks), tasks)
    found = reach(corpus, count, seed)
    title = f"{count:,} of {tasks:,} tasks of {len(corpus):,} environments, drawn uniformly"
    words = [*said(found)]
    header, rows = table(found)
    page = "\n".join([f"{title}:", "", *markdown(header, rows), "", *(f"- {line}" for line in words), ""])
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "corpus_footprint.md", page)
    files = (
        write_csv(out / "corpus_footprint.csv", _HEADER, [_row(r) for r in found]),
        _draw(found, out / "corpus_footprint.png", CAPTION.format(drawn=count, tasks=tasks)),
        out / "corpus_footprint.md",
    )
    return Result("\n".join([title, *align(header, rows), "", *words]), files)


def points(r: Reach) -> float | None:
    """Percentage points of a drawn share above the published one; None where none is published."""
    published = REACHED.get(r.dimension)
    return None if published is None else 100 * (r.share - published)


def said(found: Sequence[Reach]) -> list[str]:
    """What the numbers say, in words."""
    known = [(r, p) for r in found if (p := points(r)) is not None]
    near = [r.dimension for r, p in known if abs(p) <= NEAR]
    far = [f"{r.dimension} ({p:+.1f})" for r, p in known if abs(p) > NEAR]
    chance = [r.dimension for r, _ in known if r.expected.low <= REACHED[r.dimension] <= r.expected.high]
    other = [f"{r.dimension} ({_above(r)})" for r, _ in known if r.dimension not in chance]
    outside = [r.dimension for r in found if not r.expected.low <= r.share <= r.expected.high]
    return [
        f"Within {NEAR:g} points of the published share: {_list(near)}. Further away: {_list(far)}.",
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


def _above(r: Reach) -> str:
    return f"published {100 * (REACHED[r.dimension] - r.expected.share):+.1f} points from the mean"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def table(found: Sequence[Reach]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and rows of the table that is printed."""
    header = ("share of", "values", "reached", "drawn", "expected", "95 % of draws", "published", "points")
    rows = []
    for r in found:
        difference = points(r)
        rows.append(
            (
                r.dimension, f"{r.values:,}", f"{r.reached:,}", percent(r.share), percent(r.expected.share),
                f"{percent(r.expected.low)} to {percent(r.expected.high)}", percent(REACHED.get(r.dimension)),
                "-" if difference is None else f"{difference:+.1f}",
            )
        )  # fmt: skip
    return header, rows


def _row(r: Reach) -> tuple[Any, ...]:
    difference = points(r)
    near = None if difference is None else int(abs(difference) <= NEAR)
    likely = r.expected
    return (
        r.dimension, r.values, r.reached, r.share, likely.share, likely.low, likely.high,
        REACHED.get(r.dimension), difference, near,
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
