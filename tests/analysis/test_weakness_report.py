"""The report finds planted weaknesses, ranks them by what is sure, and tells how they changed."""

import random

import pytest

from analysis.errors import DataError
from analysis.weakness import WeaknessReport, render, weakness_report
from analysis.weakness.rates import wilson_low
from tests.analysis.simulated_probes import simulate, skills

TOOLS = [f"update_r{index:02d}" for index in range(40)]


def top_tools(cells, count=5):
    return {cell.value for cell in [c for c in cells if c.facet == "tool"][:count]}


def test_a_planted_weakness_stands_above_all_other_tools():
    report = weakness_report(simulate(skills(TOOLS[:10], {"update_r03"}), tasks=40))
    first, second = report.ranked(["tool"])[:2]
    assert first.value == "update_r03"
    assert first.wilson_low > second.rate
    assert sum(first.modes.values()) == round(first.failures) and set(first.modes) == {
        "omitted",
        "wrong_value",
    }


def test_an_inverted_ranking_would_put_the_planted_weakness_last():
    report = weakness_report(simulate(skills(TOOLS[:10], {"update_r03"}), tasks=40))
    inverted = list(reversed(report.ranked(["tool"])))
    assert inverted[0].value != "update_r03"
    assert inverted[-1].value == "update_r03"


def test_attribution_finds_more_of_five_weak_tools_than_blaming_every_tool_does():
    found, blamed_all = [], []
    for seed in range(10):
        weak = set(random.Random(seed).sample(TOOLS, 5))
        episodes = simulate(skills(TOOLS, weak, weak_rate=0.5), seed=seed)
        report = weakness_report(episodes)
        found.append(len(weak & top_tools(report.cells)) / 5)
        blamed_all.append(len(weak & _most_failed_tasks(episodes)) / 5)
    assert sum(found) / 10 > 0.85  # precision at 5; measured 0.94 over 20 seeds
    assert sum(found) > sum(blamed_all) + 1.5  # the rival: measured 0.68


def _most_failed_tasks(episodes):
    seen, failed = {}, {}
    for episode in episodes:
        for cell in episode.cells:
            if cell.startswith("tool:"):
                seen[cell] = seen.get(cell, 0) + 1
                failed[cell] = failed.get(cell, 0) + (not episode.all_pass)
    ranked = sorted(seen, key=lambda cell: -wilson_low(failed[cell], seen[cell]))
    return {cell.removeprefix("tool:") for cell in ranked[:5]}


def test_a_uniform_agent_has_no_tool_that_stands_out():
    report = weakness_report(simulate(skills(TOOLS, set(), strong_rate=0.8), tasks=200))
    rates = [cell.rate for cell in report.cells if cell.facet == "tool"]
    overall = sum(rates) / len(rates)
    surely_worse = [c for c in report.cells if c.facet == "tool" and c.wilson_low > overall]
    assert len(surely_worse) <= 4  # one-sided 95 %: 2 of 40 tools by chance


def test_the_order_of_episodes_does_not_matter():
    episodes = simulate(skills(TOOLS[:8], {"update_r01"}), tasks=20)
    shuffled = list(episodes)
    random.Random(1).shuffle(shuffled)
    plain, other = weakness_report(episodes), weakness_report(shuffled)
    strip = [cell.replace(exemplars=()) for cell in plain.cells]
    assert strip == [cell.replace(exemplars=()) for cell in other.cells]


def test_counts_of_a_small_report_by_hand():
    episodes = simulate(
        skills(["update_a", "update_b", "update_c"], {"update_a"}, 1.0, 0.0), tasks=2, rollouts=3
    )
    report = weakness_report(episodes)
    weak = report.cell("tool:update_a")
    assert (weak.opportunities, weak.failures, weak.tasks, weak.worlds) == (
        6,
        6.0,
        2,
        1,
    )  # 2 tasks × 3 rollouts
    assert weak.rate == 1.0 and weak.ambiguous == 0
    assert weak.exemplars == ("t0/g0", "t1/g0")
    assert report.cell("tool:update_b").failures == 0.0
    assert report.cell("family:update").rate == 1.0
    assert report.all_pass == 0.0 and report.raw_reward == pytest.approx(2 / 3) and report.unattributed == 0
    # Tools fail 6, 0 and 0 of 6: as different as can be, so the prior is one pseudo-opportunity of mean
    # 6.5/19 = 0.342105; the posterior is Beta(6.342105, 0.657895), and p(1 − p) has the mean
    # 6.342105 · 0.657895 / (7 · 8).
    assert weak.learnability == pytest.approx(4.172438 / 56, rel=1e-6)


def test_learnability_is_highest_where_success_is_a_coin_flip():
    coin = weakness_report(simulate(skills(TOOLS[:3], set(), 0.8), tasks=20, rollouts=8))  # 0.8³ = 0.51
    sure = weakness_report(simulate(skills(TOOLS[:3], set(), 1.0), tasks=20, rollouts=8))
    assert coin.cell("family:update").learnability > 0.2 > sure.cell("family:update").learnability


def test_change_is_the_rate_against_the_previous_report():
    tools = ["update_a", "update_b", "update_c"]
    before = weakness_report(simulate(skills(tools, {"update_a"}, 1.0, 0.0), tasks=2))
    after = weakness_report(simulate(skills(tools, set(), 1.0), tasks=2), previous=before)
    assert before.cell("tool:update_a").change is None
    assert after.cell("tool:update_a").change == -1.0
    assert after.cell("tool:update_b").change == 0.0


def test_a_report_survives_its_json():
    report = weakness_report(simulate(skills(TOOLS[:4], {"update_r00"}), tasks=5))
    assert WeaknessReport.model_validate_json(report.model_dump_json()) == report


def test_no_episodes_is_an_error_that_names_the_remedy():
    with pytest.raises(DataError, match="needs probe episodes and got none; run a diagnosis first"):
        weakness_report([])


def test_the_text_shows_totals_and_the_weakest_cells_first():
    text = render(
        weakness_report(simulate(skills(TOOLS[:10], {"update_r03"}), tasks=40)), top=3, facets=["tool"]
    )
    lines = text.splitlines()
    assert lines[0].startswith("160 episodes of 40 tasks in 4 worlds: all-pass ")
    assert lines[1] == "cells differ (tool: p = 0.0005, 0.0005 by Holm)"
    assert lines[2].startswith(
        "claimed to fail at more than 1.5 times the odds of its facet's others: tool:upd"
    )
    header = "cell fail of worlds rate interval low q change learn grad mostly"
    assert lines[3].split() == header.split()
    assert lines[4].startswith("tool:update_r03") and "*" in lines[4] and len(lines) == 7
