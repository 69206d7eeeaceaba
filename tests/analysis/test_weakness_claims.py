"""What is claimed: little cases by hand, worlds that blame nobody, and agents that are weak at nothing."""

import numpy as np
import pytest

from analysis.statistics.holm import holm_of_each
from analysis.weakness import Rules, weakness_report
from analysis.weakness.claims import benjamini_hochberg, claims_of_reports, find_claims
from analysis.weakness.comparison import Unit, comparisons
from analysis.weakness.permutation import excess, permutation_test
from analysis.weakness.planted.agent import ScriptedAgent
from analysis.weakness.planted.tasks import make_places
from analysis.weakness.planted.uniform import Setting, task_units, uniform_shares
from tests.analysis.simulated_probes import simulate, skills


def column(*values):
    return np.array(values, dtype=float)[:, None]


def units(*rows):
    """Units of (world, task, cell, rollouts, failures), of each of which the task asks something."""
    return [Unit(world, task, cell, True, n, k) for world, task, cell, n, k in rows]


def one_facet(*rows):
    (parts,) = comparisons(units(*rows)).values()
    return parts


def p_values(*rows, margin=1.5, permutations=4000):
    found = find_claims(comparisons(units(*rows)), Rules(margin=margin, permutations=permutations))
    return found.p_values


def test_q_values_by_hand():
    # In order 0.01 · 4/1, 0.02 · 4/2, 0.04 · 4/3, 0.5 · 4/4 = 0.04, 0.04, 0.0533, 0.5; the untested stays
    q_values = benjamini_hochberg(column(0.04, 0.01, np.nan, 0.5, 0.02))[:, 0]
    assert q_values == pytest.approx([0.16 / 3, 0.04, np.nan, 0.5, 0.04], nan_ok=True)


def test_a_larger_p_value_never_has_the_smaller_q_value():
    # 0.03 · 2/1 = 0.06 is more than 0.04 · 2/2 = 0.04, so both have 0.04
    assert benjamini_hochberg(column(0.03, 0.04))[:, 0] == pytest.approx([0.04, 0.04])


def test_holm_by_hand():
    # 0.03 · 2 = 0.06; then 0.04 · 1 = 0.04, raised to 0.06. A test that was not made does not count.
    assert holm_of_each(column(0.04, 0.03))[:, 0] == pytest.approx([0.06, 0.06])
    assert holm_of_each(column(np.nan, 0.03))[:, 0] == pytest.approx([np.nan, 0.03], nan_ok=True)


def test_the_excess_of_a_two_by_two_table_by_hand():
    # a: 6 of 10 failed, b: 2 of 10. At equal odds μ = 10 · 8/20 = 4, V = 1/(1/4 + 1/6 + 1/4 + 1/6) = 1.2.
    # At odds 1.5: 0.5 μ² − 29 μ + 120 = 0, so μ = 29 − √601 = 4.484699 and
    # V = 1/(1/4.484699 + 1/5.515301 + 1/3.515301 + 1/6.484699) = 1.186278.
    (part,) = one_facet(("w", "t1", "f:a", 10, 6), ("w", "t2", "f:b", 10, 2))
    found = excess(part, 1.5)
    assert found.variance[0, 0] == pytest.approx(1.2)
    assert found.at_equal_odds[0, 0] == pytest.approx(2 / 1.2**0.5)
    assert found.beyond_margin[0, 0] == pytest.approx((6 - 4.484699) / 1.186278**0.5, rel=1e-5)
    assert found.at_equal_odds[1, 0] == pytest.approx(-2 / 1.2**0.5)


def test_excesses_of_worlds_add_up():
    rows = [("w1", "t1", "f:a", 10, 6), ("w1", "t2", "f:b", 10, 2)]
    (one,) = one_facet(*rows)
    two = one_facet(*rows, *(("w2", *row[1:]) for row in rows))[0]
    assert excess(two, 1.5).beyond_margin[0, 0] == pytest.approx(
        2**0.5 * excess(one, 1.5).beyond_margin[0, 0]
    )


def test_rollouts_of_a_task_are_one_observation():
    # Two tasks of a fail in 8 of 8 rollouts, two of b in none: of 4!/(2! 2!) = 6 orders one is as extreme.
    rows = [("w", f"t{i}", "f:a" if i < 2 else "f:b", 8, 8 if i < 2 else 0) for i in range(4)]
    assert p_values(*rows)["f:a"] == pytest.approx(1 / 6, abs=0.02)


def test_a_world_that_is_hard_as_a_whole_blames_nobody():
    # a occurs in the hard world alone, and fails there as b does; over all worlds it fails far oftener.
    hard = [("w0", f"t{i}", "f:a" if i % 2 else "f:b", 4, 3) for i in range(8)]
    easy = [(f"w{1 + i // 8}", f"u{i}", "f:c" if i % 2 else "f:b", 4, i % 8 == 0) for i in range(40)]
    found = p_values(*hard, *easy)
    assert found["f:a"] > 0.5  # its failures are those of its world


def test_a_cell_alone_in_its_worlds_is_compared_between_worlds():
    # Three of twelve worlds are of a, and fail in 9 of 10 episodes, not 1 of 10: of the C(12, 3) = 220 ways
    # to choose three worlds one is as extreme.
    rows = [
        (f"w{w:02d}", f"w{w}t{t}", "industry:a" if w < 3 else "industry:b", 10, 9 if w < 3 else 1)
        for w in range(12)
        for t in range(2)
    ]
    assert p_values(*rows)["industry:a"] == pytest.approx(1 / 220, abs=0.004)


def test_odds_within_the_margin_are_not_claimed_however_sure_they_are():
    # 39 against 33 in 100 episodes are odds of 0.6393 and 0.4925: a ratio of 1.298, in each of 40 worlds.
    rows = [
        (f"w{w}", f"{cell}{t}", f"f:{cell}", 50, k)
        for w in range(40)
        for cell, ks in (("a", (20, 19)), ("b", (17, 16)))
        for t, k in enumerate(ks)
    ]
    assert p_values(*rows, margin=1.0)["f:a"] < 0.001
    assert p_values(*rows, margin=1.5)["f:a"] > 0.99


def test_what_is_merely_read_is_no_yardstick_for_what_is_written():
    # Reads never fail here. Both writing tools fail alike, so neither is weak, and the reads say nothing.
    rows = [
        Unit(f"w{w}", f"w{w}t{t}", f"tool:{tool}", tool != "read", 4, 0 if tool == "read" else 2)
        for w in range(20)
        for t, write in enumerate(("write_a", "write_b"))
        for tool in (write, "read")
    ]
    found = find_claims(comparisons(rows), Rules())
    assert found.p_values["tool:write_a"] > 0.9 and found.p_values["tool:write_b"] > 0.9
    assert "tool:read" not in found.p_values  # no read failed: nothing to compare


def test_cells_that_fail_together_are_shuffled_together():
    # Tasks with two cells fail in both or in neither; tasks with one stand apart from them.
    rows = [
        ("w", f"t{t}", f"f:{cell}", 4, 4 * (t % 2))
        for t in range(8)
        for cell in (("a",) if t < 4 else ("b", "c"))
    ]
    part = one_facet(*rows)[0]
    assert part.width.tolist() == [1, 2] and part.stratum.tolist() == [0] * 4 + [1] * 8


def test_many_reports_at_once_are_each_tested_like_one():
    draw = np.random.default_rng(1)
    rows = [(f"w{w}", f"w{w}t{t}", f"f:{'abc'[t % 3]}") for w in range(6) for t in range(9)]
    failures = draw.binomial(4, 0.3, size=(len(rows), 3)).astype(float)
    rules = Rules(permutations=4000)
    many = [Unit(*row, True, 4, k) for row, k in zip(rows, failures, strict=True)]
    together = claims_of_reports(comparisons(many), rules)
    for report in range(3):
        alone = find_claims(
            comparisons([u._replace(failures=float(u.failures[report])) for u in many]), rules
        )
        # two draws of 4,000 permutations differ by at most 0.5 · √(2/4000) · 4 standard deviations
        for cell, p in zip(together.cells, together.p_values[:, report], strict=True):
            assert p == pytest.approx(alone.p_values[cell], abs=0.045)


def test_p_values_are_never_zero_and_the_same_seed_gives_the_same():
    (part,) = one_facet(("w", "t1", "f:a", 10, 10), ("w", "t2", "f:b", 10, 0), ("w", "t3", "f:b", 10, 0))
    first, again = (permutation_test(part, 1.5, permutations=50, seed=3) for _ in range(2))
    assert first.above.min() >= 1 / 51
    assert np.array_equal(first.above, again.above)


# ── reports ───────────────────────────────────────────────────────────────────────────────────────

TOOLS = [f"update_r{index:02d}" for index in range(10)]


def test_a_planted_tool_is_claimed_and_no_other():
    report = weakness_report(simulate(skills(TOOLS, {"update_r03"}), tasks=120))
    assert [cell.name for cell in report.claims()] == ["tool:update_r03"]
    assert report.abstains is False and report.margin == 1.5 and report.false_discovery_rate == 0.1


def test_a_report_of_an_agent_that_is_weak_at_nothing_abstains_and_claims_nothing():
    report = weakness_report(simulate(skills(TOOLS, set(), strong_rate=0.7), tasks=120))
    assert report.abstains is True and report.claims() == ()
    (tool,) = [test for test in report.equal_odds if test.facet == "tool"]
    assert tool.holm > 0.1


def test_an_abstaining_report_shows_its_q_values_but_claims_nothing():
    episodes = simulate(skills(TOOLS, {"update_r03"}), tasks=120)
    report = weakness_report(episodes, rules=Rules(abstention_level=0.0))
    assert report.abstains is True and report.claims() == ()
    assert report.cell("tool:update_r03").q_value <= 0.1


def test_families_and_resources_decide_abstention_where_there_are_some():
    # family:a and family:b fail alike; the roles do not, and are not asked.
    rows = [
        Unit(f"w{w}", f"w{w}t{t}", cell, True, 4, 4.0 * (t % 2))
        for w in range(20)
        for t in range(4)
        for cell in (f"family:{'ab'[t // 2]}", f"role:{'xy'[t % 2]}")
    ]
    found = find_claims(comparisons(rows), Rules())
    assert [test.facet for test in found.equal_odds] == ["family"] and found.abstains
    assert found.q_values["role:y"] <= 0.1 and not found.claimed
    unnamed = find_claims(comparisons(rows), Rules(abstention_facets=("role",)))
    assert unnamed.claimed == {"role:y"}


def test_without_permutations_nothing_is_tested():
    report = weakness_report(simulate(skills(TOOLS, {"update_r03"}), tasks=20), rules=Rules(permutations=0))
    assert report.abstains is None and report.equal_odds == () and report.margin is None
    assert {cell.p_value for cell in report.cells} == {None}


def test_everything_failing_alike_can_be_compared_with_nothing():
    report = weakness_report(simulate(skills(TOOLS, set(), strong_rate=0.0), tasks=20))
    assert report.abstains is True and report.all_pass == 0.0
    assert {cell.p_value for cell in report.cells} == {None}


# ── agents that are weak at nothing, on PLANET's own worlds ───────────────────────────────────────


@pytest.fixture(scope="module")
def own_units():
    """Units of twelve worlds of ten tasks: as many as a diagnosis has."""
    agent = ScriptedAgent()
    yield task_units(make_places(12), agent)
    agent.close()


@pytest.mark.parametrize(
    "setting", [Setting(), Setting(worlds=0.7), Setting(rate=0.6, worlds=0.7, tasks=1.5)]
)
def test_a_uniform_agent_gets_claims_in_at_most_a_tenth_of_2000_reports(own_units, setting):
    share = uniform_shares(own_units, setting, rollouts=2, reports=2000, rules=Rules(permutations=99))
    assert share.claiming <= 0.10  # measured 1 to 3 %
    # two exact tests at 0.05 each: about 0.9025 abstain; four standard deviations of 0.0066
    assert share.abstaining == pytest.approx(0.9025, abs=0.03)


def test_a_family_at_four_times_the_odds_is_claimed_far_oftener_than_one_at_the_margin(own_units):
    edge, weak = (
        uniform_shares(own_units, Setting(cell="family:update", odds=odds), 4, 500, Rules(permutations=199))
        for odds in (1.5, 4.0)
    )
    assert edge.naming <= 0.04 < 0.3 < weak.naming
