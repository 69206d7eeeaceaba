"""The footprint of a run as text, CSV and figure, alone or beside that of another run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.command import Result
from analysis.csv_file import write_csv
from analysis.footprint.beside import Pair, pairs_of, require_same_start
from analysis.footprint.pool import DIMENSIONS, read_pool, read_updates
from analysis.footprint.shares import Reached, ends_of_iterations, footprint
from analysis.run_directory import OpenRun
from analysis.style import colour, drawing
from planet.text_table import align, percent

CAPTION = (
    "Share of the pool that received a gradient up to each update (line), beside the mean and 95 % range of "
    "as many uniform draws from the pool as it stood (dashed, band); level pieces: each iteration by "
    "itself, its range in grey. What stays in the range proves nothing."
)
BESIDE = " Dash-dotted: {}, on its own pool, its iterations alone."
_HEADER = (
    "dimension",
    "scope",
    "iteration",
    "update",
    "reached",
    "pool",
    "share",
    "expected",
    "low",
    "high",
)
_BESIDE_HEADER = (
    "dimension",
    "scope",
    "iteration",
    "run",
    "share",
    "expected",
    "low",
    "high",
    "other",
    "other_share",
    "other_expected",
    "other_low",
    "other_high",
    "difference",
)


def write_footprint(run: OpenRun, out: Path | None = None, beside: OpenRun | None = None) -> Result:
    """footprint.csv and footprint.png in `out` (None: the run's figures).

    beside: a run of the same seed, e.g. of random worlds, DataError otherwise; adds footprint_beside.csv.
    """
    if beside is not None:
        require_same_start(run, beside)
    out = out or run.figures
    reached, other = footprint_of(run), footprint_of(beside) if beside is not None else []
    rows = [(*r[:6], r.share, r.expected, r.low, r.high) for r in reached]
    files = [write_csv(out / "footprint.csv", _HEADER, rows)]
    parts = [render_footprint(reached), render_iterations(reached)]
    caption = CAPTION
    if beside is not None:
        labels, pairs = (run.label, beside.label), pairs_of(reached, other)
        parts.append(render_pairs(pairs, *labels))
        caption += BESIDE.format(beside.label)
        table = [_pair_row(pair, *labels) for pair in pairs]
        files.append(write_csv(out / "footprint_beside.csv", _BESIDE_HEADER, table))
    files.append(_draw(reached, other, out / "footprint.png", caption))
    return Result("\n\n".join(part for part in parts if part), tuple(files))


def footprint_of(run: OpenRun) -> list[Reached]:
    """The footprint of a run, read from its ledger."""
    return footprint(read_pool(run.ledger, run.id), read_updates(run.ledger, run.id))


def render_footprint(reached: Sequence[Reached]) -> str:
    """The cumulated shares at the last update, one line per dimension; a star lies outside of the range."""
    last = [r for r in reached if r.scope == "cumulated" and r.update == reached[-1].update]
    lines = [
        (r.dimension, str(r.reached), str(r.pool), _share(r), percent(r.expected), _range(r)) for r in last
    ]
    header = ("with a gradient", "reached", "of", "share", "uniform", "95 % range")
    return "\n".join(align(header, lines))


def render_iterations(reached: Sequence[Reached]) -> str:
    """Each iteration by itself, one column per iteration; empty without iterations."""
    ends = [r for r in ends_of_iterations(reached) if r.scope == "iteration"]
    iterations = sorted({r.iteration for r in ends if r.iteration is not None})
    cells = {(r.dimension, r.iteration): f"{_share(r)} ({_range(r)})" for r in ends}
    header = ("within iteration (uniform range)", *(str(i) for i in iterations))
    lines = [
        (dimension, *(cells.get((dimension, i), "-") for i in iterations))
        for dimension in DIMENSIONS
        if any((dimension, i) in cells for i in iterations)
    ]
    return "\n".join(align(header, lines)) if iterations else ""


def render_pairs(pairs: Sequence[Pair], mine: str, theirs: str) -> str:
    """Both runs, cumulated to the end of each iteration; empty when they share none."""
    lines = [
        (
            f"{pair.mine.dimension}, to iteration {pair.mine.iteration}",
            _share(pair.mine),
            _share(pair.theirs),
            f"{100 * pair.difference:+.1f}",
        )
        for pair in pairs
        if pair.mine.scope == "cumulated"
    ]
    return "\n".join(align(("with a gradient", mine, theirs, "points"), lines)) if lines else ""


def _pair_row(pair: Pair, mine: str, theirs: str) -> tuple[Any, ...]:
    one, other = pair
    return (
        *(one.dimension, one.scope, one.iteration),
        *(mine, one.share, one.expected, one.low, one.high),
        *(theirs, other.share, other.expected, other.low, other.high),
        pair.difference,
    )


def _share(r: Reached) -> str:
    return percent(r.share) + ("*" if r.outside else "")


def _range(r: Reached) -> str:
    return f"{r.low:.1%} to {r.high:.1%}"


def _draw(reached: Sequence[Reached], other: Sequence[Reached], path: Path, caption: str) -> Path:
    with drawing(path, caption, 2, 4, width=10, height=5.2) as axes:
        for axis, dimension in zip(axes.flat, DIMENSIONS, strict=True):
            own = [r for r in reached if r.dimension == dimension]
            if not own:
                axis.set_axis_off()
                continue
            _iterations(axis, own)
            _panel(axis, [r for r in own if r.scope == "cumulated"])
            _other(axis, [r for r in other if r.dimension == dimension and r.scope == "cumulated"])
            axis.set_title(dimension)
        axes[0][0].legend(fontsize=7)
    return path


def _panel(axis: Any, line: Sequence[Reached]) -> None:
    updates = [r.update + 1 for r in line]
    axis.fill_between(
        updates, [r.low for r in line], [r.high for r in line], color=colour(5), alpha=0.35, lw=0
    )
    axis.plot(updates, [r.expected for r in line], color=colour(0), ls="--", label="uniform draws")
    axis.plot(updates, [r.share for r in line], color=colour(1), label="this run")
    axis.set_ylim(0, 1.02)
    axis.set_xlabel("updates")


def _iterations(axis: Any, own: Sequence[Reached]) -> None:
    """A level line per iteration over its updates, and the range of uniform draws across it."""
    updates: dict[int, list[int]] = {}
    for r in own:
        if r.iteration is not None:
            updates.setdefault(r.iteration, []).append(r.update)
    for r in ends_of_iterations([r for r in own if r.scope == "iteration"]):
        first, last = min(updates[r.iteration or 0]), max(updates[r.iteration or 0]) + 1
        middle = (first + last) / 2
        axis.plot([middle, middle], [r.low, r.high], color="#999999", lw=5, solid_capstyle="butt")
        axis.plot([first, last], [r.share, r.share], color=colour(3), lw=2, solid_capstyle="butt")


def _other(axis: Any, line: Sequence[Reached]) -> None:
    """The other run up to its last iteration; nothing when there is none."""
    within = [r for r in line if r.iteration is not None]
    if within:
        shares = [r.share for r in within]
        axis.plot([r.update + 1 for r in within], shares, color=colour(2), ls="-.", label="other run")
