"""Between arms of a seed: what makes one cell easier than another falls out, and practice is left."""

import csv
from pathlib import Path

import numpy as np
import pytest

from analysis.compare.dose import Dose
from analysis.compare.dose_between import deviations, slope, write_between


def dose(cell: str, share: float, response: float) -> Dose:
    return Dose(cell, 0.1, share, 0.0, 0.9, 0.9 - response, 40)


PLANTED = {
    # cell a is easy (+0.30 whatever happens), b is hard (+0.00); a point of share removes half a point
    ("aimed", 0): [dose("a", 0.10, 0.35), dose("b", 0.30, 0.15)],
    ("random", 0): [dose("a", 0.20, 0.40), dose("b", 0.10, 0.05)],
    ("aimed", 1): [dose("a", 0.40, 0.50), dose("b", 0.20, 0.10)],
    ("random", 1): [dose("a", 0.20, 0.40), dose("b", 0.20, 0.10)],
}


def test_a_planted_slope_is_found_though_cells_differ_in_ease() -> None:
    found = slope(deviations(PLANTED))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))
    within = np.polyfit(
        [d.drawn_share for d in PLANTED["aimed", 0]], [d.response for d in PLANTED["aimed", 0]], 1
    )
    assert within[0] < 0  # what the cells of one run would have said


def test_the_interval_is_students_of_the_jackknife_over_seeds() -> None:
    # Slopes of the seeds alone 0.5, 1.0 and 1.5 with equal doses: leaving one out gives 1.25, 1.0 and 0.75.
    # Standard error sqrt(2/3 (0.0625 + 0 + 0.0625)) = 0.289, times t(0.975, 2) = 4.303: 1.242.
    found = slope(
        deviations(
            {
                (arm, seed): [dose("a", share, by * share)]
                for seed, by in enumerate((0.5, 1.0, 1.5))
                for arm, share in (("aimed", 0.3), ("random", 0.1))
            }
        )
    )
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((1.0, -0.242, 2.242), abs=1e-3)


def test_deviations_are_from_the_mean_of_the_seeds_arms() -> None:
    first = deviations(PLANTED)[0]
    assert (first.arm, first.seed, first.cell) == ("aimed", 0, "a")
    assert (first.dose, first.response) == pytest.approx((0.10 - 0.15, 0.35 - 0.375))


def test_one_seed_gives_no_interval_and_one_arm_no_slope(tmp_path: Path) -> None:
    one = {key: value for key, value in PLANTED.items() if key[1] == 0}
    found = slope(deviations(one))
    assert found is not None and np.isnan(found.low) and "[" not in str(found)
    alone = {("aimed", 0): PLANTED["aimed", 0]}
    assert slope(deviations(alone)) is None
    assert write_between(alone, tmp_path) == ("", [])


def test_cells_that_an_arm_lacks_are_left_out() -> None:
    lacking = {**PLANTED, ("random", 0): PLANTED["random", 0][:1]}
    assert {(d.seed, d.cell) for d in deviations(lacking)} == {(0, "a"), (1, "a"), (1, "b")}


def test_the_figure_has_its_table_and_the_line_its_numbers(tmp_path: Path) -> None:
    text, files = write_between(PLANTED, tmp_path)
    assert text.startswith("between arms of a seed: +0.50 [+0.50, +0.50] points of failure removed on test")
    assert sorted(file.name for file in files) == ["dose_between_arms.csv", "dose_between_arms.png"]
    rows = list(csv.DictReader((tmp_path / "dose_between_arms.csv").open()))
    assert len(rows) == 8 and sum(float(row["dose"]) for row in rows) == pytest.approx(0)
