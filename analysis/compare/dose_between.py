"""Dose and response between the arms of a seed, which meet the same cells from the same warm start.

Within a run, cells differ in how easily they are learned, and that hides what practice does. The arms of one
seed share warm start and test tasks, so there a cell's share of the prompts and the failures removed, each
minus the mean of the seed's arms, relate practice to learning. The dose is not randomised: arms differ in
their worlds too, and a closed loop gives to what still fails. Prompts are counted as they are drawn. Those
with a gradient would not do: a cell that begins to be solved passes the gate more often, so learning raises
their share.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from analysis.compare.dose import Dose
from analysis.contrasts.curves import place_of
from analysis.csv_file import write_csv
from analysis.style import colour, drawing, line

CAPTION = (
    "Each mark is a cell in one run: its share of the prompts drawn (dose) and the failure rate removed on "
    "test (response), both minus the mean of the arms of its seed. The line is the slope: points of failure "
    "removed per point of prompts. A narrow cloud says that arms hardly differ in what they practise."
)


class Deviation(NamedTuple):
    """A cell of a run beside the other arms of its seed; shares."""

    arm: str  # or the label of the run, where its arm has several at the seed
    seed: int
    cell: str
    dose: float
    response: float


class Slope(NamedTuple):
    """Points of failure removed per point of prompts drawn."""

    value: float
    low: float  # 95 % interval over seeds; nan with one seed
    high: float
    spread: float  # standard deviation of the doses

    def __str__(self) -> str:
        interval = "" if np.isnan(self.low) else f" [{self.low:+.2f}, {self.high:+.2f}]"
        return (
            f"between arms of a seed: {self.value:+.2f}{interval} points of failure removed on test per "
            f"point of prompts drawn, which differ by {100 * self.spread:.1f} points (standard deviation)"
        )


def deviations(found: Mapping[tuple[str, int], Sequence[Dose]]) -> list[Deviation]:
    """(arm, seed) -> cells, as differences from the mean of the seed's arms; cells that all of them have.

    The runs of a seed began alike (`footprint.beside.require_same_start`), and no two have one name.
    """
    out = []
    for seed in sorted({seed for _, seed in found}):
        arms = {arm: {d.cell: d for d in doses} for (arm, at), doses in found.items() if at == seed}
        shared = set.intersection(*(set(cells) for cells in arms.values()))
        for cell in sorted(shared) if len(arms) > 1 else ():
            dose = np.mean([cells[cell].drawn_share for cells in arms.values()])
            response = np.mean([cells[cell].response for cells in arms.values()])
            out += [
                Deviation(
                    arm,
                    seed,
                    cell,
                    float(cells[cell].drawn_share - dose),
                    float(cells[cell].response - response),
                )
                for arm, cells in arms.items()
            ]
    return out


def slope(found: Sequence[Deviation]) -> Slope | None:
    """Least squares through the origin, with Student's interval of the jackknife over seeds; None when all
    doses are equal, no interval when they are without one of the seeds."""
    from scipy.stats import t as student

    seeds = sorted({d.seed for d in found})
    products = np.array([sum(d.dose * d.response for d in found if d.seed == s) for s in seeds])
    squares = np.array([sum(d.dose**2 for d in found if d.seed == s) for s in seeds])
    if not squares.sum() > 0:
        return None
    low = high = float("nan")
    value = float(products.sum() / squares.sum())
    rest = squares.sum() - squares
    if len(seeds) > 1 and (rest > 0).all():
        without = (products.sum() - products) / rest
        error = np.sqrt((len(seeds) - 1) * np.mean((without - without.mean()) ** 2))
        reach = float(student.ppf(0.975, len(seeds) - 1) * error)
        low, high = value - reach, value + reach
    return Slope(value, low, high, float(np.std([d.dose for d in found])))


def write_between(found: Mapping[tuple[str, int], Sequence[Dose]], out: Path) -> tuple[str, list[Path]]:
    """The slope as a line of text, dose_between_arms.csv and .png; nothing without two arms of a seed."""
    marks = deviations(found)
    steep = slope(marks)
    if steep is None:
        return "", []
    table = write_csv(out / "dose_between_arms.csv", Deviation._fields, marks)
    return str(steep), [table, _draw(marks, steep, out / "dose_between_arms.png")]


def _draw(marks: Sequence[Deviation], steep: Slope, path: Path) -> Path:
    with drawing(path, CAPTION, width=5.5, height=4.2) as axes:
        axis = axes[0][0]
        for index, arm in enumerate(dict.fromkeys(d.arm for d in marks)):
            own = [d for d in marks if d.arm == arm]
            axis.scatter(
                [100 * d.dose for d in own],
                [100 * d.response for d in own],
                s=16,
                color=colour(place_of(arm, index)),
                marker=line(place_of(arm, index))["marker"],
                alpha=0.8,
                label=arm,
            )
        ends = np.array([min(d.dose for d in marks), max(d.dose for d in marks)])
        axis.plot(100 * ends, 100 * steep.value * ends, color="black", linewidth=1)
        axis.set_xlabel("share of the prompts, beside the other arms (points)")
        axis.set_ylabel("failure removed on test, beside them (points)")
        axis.legend(fontsize=7)
    return path
