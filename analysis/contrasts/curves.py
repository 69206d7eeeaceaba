"""Mean learning curves of the arms, as change since the warm start, on both budgets."""

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from analysis.contrasts.scores import curve_until
from analysis.contrasts.sweep import MAIN, Sweep
from analysis.csv_file import write_csv
from analysis.run_result import CurvePoint, RunResult
from analysis.style import colour, drawing, line

Budget = Literal["updates", "charged_steps"]
BUDGETS: dict[Budget, str] = {"updates": "policy updates", "charged_steps": "charged steps"}
HEADER = ("budget", "arm", "seeds", "spent", "all_pass_gained", "all_pass_se", "reward_gained", "reward_se")
GRID = 25  # points on the axis of charged steps, on which no two runs are evaluated alike


class CurveOfArm(NamedTuple):
    """The mean over seeds of validation minus the seed's own warm start."""

    arm: str
    seeds: int
    spent: Any  # (point,)
    all_pass: Any  # (point,), shares gained
    all_pass_se: Any  # standard error over seeds; zeros with one seed
    reward: Any
    reward_se: Any


def curve_of_arm(runs: Sequence[RunResult], budget: Budget) -> CurveOfArm | None:
    """One arm's mean curve up to the budget that all of its runs reached; None without two validations."""
    curves = [curve for run in runs if len(curve := _points(run, budget)) > 1]
    if not curves:
        return None
    spent = _axis(curves, budget)
    gained = {field: _gained(curves, budget, field, spent) for field in ("all_pass", "reward")}
    means = {field: values.mean(axis=0) for field, values in gained.items()}
    errors = {field: _standard_error(values) for field, values in gained.items()}
    return CurveOfArm(
        runs[0].arm,
        len(curves),
        spent,
        means["all_pass"],
        errors["all_pass"],
        means["reward"],
        errors["reward"],
    )


def _points(run: RunResult, budget: Budget) -> Sequence[CurvePoint]:
    """An extension's validations count towards the charged steps alone: its updates are the arm's own."""
    return curve_until(run) if budget == "updates" else run.curve


def _axis(curves: Sequence[Sequence[CurvePoint]], budget: Budget) -> Any:
    first = max(getattr(curve[0], budget) for curve in curves)
    last = min(getattr(curve[-1], budget) for curve in curves)
    if budget == "charged_steps":
        return np.linspace(first, last, GRID)
    shared = sorted({getattr(point, budget) for curve in curves for point in curve})
    return np.array([spent for spent in shared if first <= spent <= last], dtype=float)


def _gained(curves: Sequence[Sequence[CurvePoint]], budget: Budget, field: str, spent: Any) -> Any:
    """(seed, point), linear between validations."""
    rows = []
    for curve in curves:
        x = [getattr(point, budget) for point in curve]
        y = [getattr(point, field) for point in curve]
        rows.append(np.interp(spent, x, y) - y[0])
    return np.array(rows)


def _standard_error(values: Any) -> Any:
    if len(values) < 2:
        return np.zeros(values.shape[1])
    return values.std(axis=0, ddof=1) / sqrt(len(values))


def write_curves(sweep: Sweep, arms: Sequence[str], out: Path, name: str) -> list[Path]:
    """NAME.csv and NAME.png of some arms; nothing when none was validated twice."""
    found = {
        budget: [curve for arm in arms if (curve := curve_of_arm(sweep.of(arm), budget)) is not None]
        for budget in BUDGETS
    }
    if not found["updates"]:
        return []
    rows = [
        (budget, c.arm, c.seeds, *point)
        for budget, curves in found.items()
        for c in curves
        for point in zip(c.spent, c.all_pass, c.all_pass_se, c.reward, c.reward_se, strict=True)
    ]
    return [write_csv(out / f"{name}.csv", HEADER, rows), _draw(sweep, found, out / f"{name}.png")]


def caption(sweep: Sweep, arms: Sequence[str]) -> str:
    """The sentence under the figure of some arms."""
    few = sweep.case_study(arms)
    return (
        "Validation all-pass and reward gained since each seed's warm start, on equal updates (left) and on "
        "equal charged steps (right: training, rejected groups, probing, audits); lines are means over "
        "seeds, bands one "
        f"standard error over them{f'; {few}' if few else ''}."
    )


def _draw(sweep: Sweep, found: dict[Budget, list[CurveOfArm]], path: Path) -> Path:
    arms = [curve.arm for curve in found["updates"]]
    with drawing(path, caption(sweep, arms), 2, 2, width=9, height=6) as axes:
        for column, (budget, name) in enumerate(BUDGETS.items()):
            for index, curve in enumerate(found[budget]):
                sides = ((curve.all_pass, curve.all_pass_se), (curve.reward, curve.reward_se))
                for row, (mean, error) in enumerate(sides):
                    _line(
                        axes[row][column], place_of(curve.arm, index), curve, 1 if row else 100, mean, error
                    )
            axes[0][column].set_title("validation all-pass gained (points)")
            axes[1][column].set_title("validation reward gained")
            axes[1][column].set_xlabel(name)
            for axis in axes[:, column]:
                axis.locator_params(axis="x", nbins=5)
                axis.axhline(0, color="black", linewidth=0.6)
        figure, names = axes[0][0].figure, axes[0][0].get_legend_handles_labels()
        figure.legend(*names, fontsize=8, loc="outside upper left", ncols=len(names[0]))
    return path


def place_of(arm: str, index: int) -> int:
    """The series number of an arm: the main ones look alike in every figure, others come after them.

    index: of the arm among those of the figure.
    """
    return MAIN.index(arm) if arm in MAIN else len(MAIN) + index


def _line(axis: Any, index: int, curve: CurveOfArm, scale: float, mean: Any, error: Any) -> None:
    look = line(index) | {"markevery": max(1, len(curve.spent) // 6)}
    axis.fill_between(
        curve.spent, scale * (mean - error), scale * (mean + error), color=colour(index), alpha=0.13, lw=0
    )
    axis.plot(curve.spent, scale * mean, label=f"{curve.arm} ({curve.seeds})", **look)
