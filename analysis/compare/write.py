"""Runs side by side as text, CSV and figures."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.command import Result
from analysis.compare.cells import write_cells
from analysis.compare.difficulty_table import write_difficulty
from analysis.compare.dose_table import write_doses
from analysis.compare.funnel import write_funnel
from analysis.compare.mass import write_mass
from analysis.compare.pages import on_pages, parts
from analysis.compare.standing import GREEDY, Sample, Standing, difference, share_text, standing
from analysis.compare.withheld_table import write_withheld
from analysis.csv_file import write_csv
from analysis.errors import DataError
from analysis.intervals import Interval, points
from analysis.run_directory import OpenRun
from analysis.style import colour, drawing, line
from planet.text_table import align, percent

CAPTION = (
    "Validation all-pass and reward on both budgets: policy updates, and charged environment steps "
    "(training, rejected groups, probing, audits). Bands are 95 % intervals over worlds."
)


def write_comparison(runs: Sequence[OpenRun], out: Path) -> Result:
    """comparison.csv, comparison_families.csv and the figures, each with its CSV, in `out`.

    learning_curves, withheld, cells, dose_response, difficulty, sampling and author_funnel: what no run has
    data for is left out.
    """
    if len({run.path.resolve() for run in runs}) < len(runs):
        raise DataError("a run is given twice; give each run directory once")
    named = _named(runs)
    standings = [standing(run, label) for label, run in named.items()]
    withheld, withheld_files = write_withheld(named, out)
    doses, dose_files = write_doses(named, out)
    difficulty, difficulty_files = write_difficulty(named, out)
    funnel, funnel_files = write_funnel(named, out)
    files = (
        write_csv(out / "comparison.csv", ("run", *_MEASURES), [_measures(s) for s in standings]),
        write_csv(out / "comparison_families.csv", _FAMILY_HEADER, _family_rows(standings)),
        write_csv(out / "learning_curves.csv", _CURVE_HEADER, _curve_rows(standings)),
        *on_pages({s.label: s for s in standings}, out / "learning_curves.png", _draw),
        *withheld_files,
        *write_cells(named, out),
        *dose_files,
        *difficulty_files,
        *write_mass(named, out),
        *funnel_files,
    )
    told = (render_comparison(standings), withheld, doses, difficulty, funnel)
    return Result("\n\n".join(part for part in told if part), files)


def _named(runs: Sequence[OpenRun]) -> dict[str, OpenRun]:
    """Runs by arm and seed, else by folder, else by path: the first that tells them apart."""
    for name in (lambda run: run.label, lambda run: run.path.name, lambda run: str(run.path.resolve())):
        named = {name(run): run for run in runs}
        if len(named) == len(runs):
            break
    return named


def render_comparison(standings: Sequence[Standing]) -> str:
    """One column per run: scores and costs, then gains on test and forgetting, a line per family."""
    lines = _lines(standings)
    families = sorted({family for s in standings for family in s.families})
    tables = []
    for part in parts(standings):
        rows = [(name, *(show(s) for s in part)) for name, show in lines]
        gains = [(f"  {family}", *(_family_cell(s, family) for s in part)) for family in families]
        title = ("all-pass gained on test (forgotten in validation)", *([""] * len(part)))
        tables.append("\n".join(align(("", *(s.label for s in part)), [*rows, title, *gains])))
    return "\n\n".join(tables)


def _lines(standings: Sequence[Standing]) -> list[tuple[str, Callable[[Standing], str]]]:
    first = standings[0]
    lines: list[tuple[str, Callable[[Standing], str]]] = [
        ("test all-pass, sampled: warm start", lambda s: share_text(s.warm.get(s.sampled))),
        ("test all-pass, sampled: final", lambda s: share_text(s.final.get(s.sampled))),
        ("  gain", lambda s: points(s.gain(s.sampled))),
        ("test all-pass, greedy: warm start", lambda s: share_text(s.warm.get(GREEDY))),
        ("test all-pass, greedy: final", lambda s: share_text(s.final.get(GREEDY))),
        ("  gain", lambda s: points(s.gain(GREEDY))),
        ("test reward, sampled: final", lambda s: _reward(s.final.get(s.sampled))),
        ("last validation all-pass", _last_validation),
        ("policy updates", lambda s: str(s.updates)),
        ("charged steps", lambda s: f"{sum(s.charged.values()):,}"),
        ("worlds in the pool", lambda s: str(s.worlds)),
    ]
    if any(s.extended for s in standings):
        name = "test all-pass, sampled: charged budget spent"
        lines.insert(7, (name, lambda s: share_text(s.extended.get(s.sampled))))
    if len(standings) > 1:
        lines.insert(3, (f"  final against {first.label}", lambda s: points(against(s, first))))
    return lines


def _last_validation(s: Standing) -> str:
    return percent(s.planned[-1].all_pass.mean) if s.planned else "-"


def against(one: Standing, other: Standing) -> Interval | None:
    """Final all-pass of `one` minus `other`'s; None for the same run, or when they tested other worlds."""
    mine, theirs = one.final.get(one.sampled), other.final.get(other.sampled)
    if one is other or mine is None or theirs is None or set(mine.worlds) != set(theirs.worlds):
        return None
    return difference(mine, theirs)


def _reward(sample: Sample | None) -> str:
    return "-" if sample is None else f"{sample.mean_reward():.3f}"


def _family_cell(s: Standing, family: str) -> str:
    gain, lost = s.family_gain(family), s.forgotten(family)
    shown = "-" if gain is None else f"{100 * gain.mean:+.1f}"
    return shown if lost is None else f"{shown} ({100 * lost:.1f})"


_MEASURES = (
    "sampled_warm",
    "sampled_final",
    "sampled_final_low",
    "sampled_final_high",
    "sampled_gain",
    "sampled_gain_low",
    "sampled_gain_high",
    "greedy_warm",
    "greedy_final",
    "greedy_gain",
    "greedy_gain_low",
    "greedy_gain_high",
    "reward_final",
    "updates",
    "charged_steps",
    "worlds",
)


def _measures(s: Standing) -> list[Any]:
    final, greedy = s.final.get(s.sampled), s.final.get(GREEDY)
    blank: tuple[None, None, None] = (None, None, None)
    return [
        s.label,
        _mean(s.warm.get(s.sampled)),
        *(final.all_pass() if final else blank),
        *(s.gain(s.sampled) or blank),
        _mean(s.warm.get(GREEDY)),
        _mean(greedy),
        *(s.gain(GREEDY) or blank),
        final.mean_reward() if final else None,
        s.updates,
        sum(s.charged.values()),
        s.worlds,
    ]


def _mean(sample: Sample | None) -> float | None:
    return sum(sample.passed) / len(sample.passed) if sample else None


_FAMILY_HEADER = ("run", "family", "test_gain", "low", "high", "forgotten_in_validation")


def _family_rows(standings: Sequence[Standing]) -> list[tuple[Any, ...]]:
    blank = (None, None, None)
    return [
        (s.label, family, *(s.family_gain(family) or blank), s.forgotten(family))
        for s in standings
        for family in s.families
    ]


_CURVE_HEADER = ("run", "updates", "charged_steps", "all_pass", "low", "high", "reward")


def _curve_rows(standings: Sequence[Standing]) -> list[tuple[Any, ...]]:
    return [(s.label, p.updates, p.charged, *p.all_pass, p.reward) for s in standings for p in s.curve]


def _draw(standings: Mapping[str, Standing], path: Path) -> Path:
    with drawing(path, CAPTION, 2, 2, width=9, height=6) as axes:
        for index, s in enumerate(standings.values()):
            for column, budget in enumerate(("updates", "charged")):
                x = [getattr(point, budget) for point in s.curve]
                look = line(index) | {"label": s.label}
                bounds = ([p.all_pass.low for p in s.curve], [p.all_pass.high for p in s.curve])
                axes[0][column].fill_between(x, *bounds, color=colour(index), alpha=0.15, lw=0)
                axes[0][column].plot(x, [p.all_pass.mean for p in s.curve], **look)
                axes[1][column].plot(x, [p.reward for p in s.curve], **look)
        for column, name in enumerate(("policy updates", "charged steps")):
            axes[0][column].set_title("validation all-pass")
            axes[1][column].set_title("validation reward")
            axes[1][column].set_xlabel(name)
            for row in axes:
                row[column].locator_params(axis="x", nbins=5)
        axes[0][0].legend()
    return path
