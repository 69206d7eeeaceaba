"""Coverage of arms: beside uniform draws, and beside random worlds, paired by seed and iteration."""

import csv
from math import inf

import pytest

from analysis.contrasts.coverage import coverage, coverage_table
from analysis.contrasts.sweep import as_sweep
from analysis.contrasts.write import write_contrasts
from analysis.statistics.paired import paired_interval
from tests.analysis.covered_sweep import POOL, SHARES, covered
from tests.analysis.simulated_sweep import simulated_sweep


def of(sweep, arm, iteration=0, dimension="combinations", scope="cumulated"):
    key = (arm, dimension, scope, iteration)
    return next(c for c in coverage(sweep) if (c.arm, c.dimension, c.scope, c.iteration) == key)


def test_shares_are_means_over_seeds_beside_their_own_uniform_band():
    c = of(covered(), "closed_loop")
    assert c.share == pytest.approx((60 + 61 + 62) / 3 / POOL) and c.seeds == 3
    assert (c.expected, c.low, c.high) == pytest.approx((0.30, 0.255, 0.345))
    # The band ends at 69 of 200: none of 60, 61, 62 lies outside, and all of 40, 41, 42 are below 51.
    assert c.outside == 0 and of(covered(), "static").outside == 3


def test_a_mean_over_seeds_is_judged_by_its_scatter_over_seeds_and_not_by_the_band_of_one_run():
    c = of(covered(seeds=range(10)), "closed_loop")
    # 60 to 69 of 200 are 32.25 % on average, inside of the band of 25.5 to 34.5 % that one run's draws have;
    # standard deviation 1.51 points, t(0.975, 9) 2.262 / sqrt(10) of it 1.08, so 2.25 is not 0.
    assert c.low < c.share < c.high and c.outside == 0
    assert c.excess == pytest.approx((0.0225, 0.0117, 0.0333), abs=1e-4)


def test_one_seed_has_a_distance_from_uniform_draws_without_an_interval():
    c = of(covered(seeds=(0,)), "closed_loop")
    assert c.excess.mean == pytest.approx(0.0, abs=1e-12) and c.excess.low == -inf


def test_the_difference_from_random_worlds_is_paired_by_seed_at_the_same_iteration():
    c = of(covered(), "closed_loop", iteration=1)
    # Each seed: 2 x (60 + seed) - 2 x (50 + seed) = 20 of 200.
    assert c.difference == pytest.approx(paired_interval([0.1, 0.1, 0.1])) and c.pairs == 3
    assert c.control == pytest.approx(2 * 51 / POOL)
    assert of(covered(), "random_worlds").difference is None


def test_seeds_and_iterations_that_one_arm_lacks_are_left_out():
    sweep = covered(without={("random_worlds", 1)})
    assert of(sweep, "closed_loop", iteration=1).pairs == 2 and of(sweep, "closed_loop").pairs == 3
    assert of(sweep, "random_worlds", iteration=1).seeds == 2


def test_one_seed_has_a_difference_without_an_interval():
    c = of(covered(seeds=(0,)), "static")
    assert c.difference.mean == pytest.approx(-10 / POOL) and c.difference.low == -inf


def test_without_random_worlds_the_band_still_stands():
    c = of(covered(arms=("closed_loop", "static")), "closed_loop")
    assert c.difference is None and c.control is None and c.share > 0


def test_results_without_a_footprint_have_no_coverage():
    assert coverage(as_sweep("s", simulated_sweep(seeds=(0,)))) == []
    assert coverage_table([]).rows == []


def test_the_table_shows_combinations_cumulated_to_every_iteration():
    table = coverage_table(coverage(covered()))
    assert [row[:2] for row in table.rows] == [(arm, str(i)) for arm in SHARES for i in (0, 1)]
    # 30, 30.5 and 31 % against 30: mean 0.5, standard deviation 0.5, t(0.975, 2) 4.303 / sqrt(3) of it 1.2.
    assert table.rows[0][2:] == ("30.5", "30.0", "+0.5 [-0.7, +1.7]", "0 of 3", "+5.0 [+5.0, +5.0]")


def test_coverage_is_written_with_its_figure_and_stands_in_the_findings(tmp_path):
    write_contrasts(covered(), tmp_path)
    rows = list(csv.DictReader((tmp_path / "coverage.csv").open()))
    assert len(rows) == 3 * 2 * 2 * 2  # arms, dimensions, scopes, iterations
    assert all(row["difference"] == "" for row in rows if row["arm"] == "random_worlds")
    assert all(float(row["excess_low"]) < float(row["excess"]) for row in rows)
    assert b"The gate alone" in (tmp_path / "coverage.png").read_bytes()
    assert "**Coverage of combinations: " in (tmp_path / "findings.md").read_text()


def test_the_figure_of_one_seed_says_that_it_is_one(tmp_path):
    write_contrasts(covered(seeds=(0,)), tmp_path)
    assert b"(1 seed; a case study)" in (tmp_path / "coverage.png").read_bytes()
