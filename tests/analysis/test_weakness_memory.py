"""What a report knows of others: change, mastery, what is forgotten, and who received a gradient."""

import json

import pytest

from analysis.weakness import Forgotten, Mastery, Watch, WeaknessReport, render
from analysis.weakness.forgetting import forgotten_cells, mastered_cells
from tests.analysis.planted_probes import report_of

A = "tool:update_a"


def test_a_tool_mastered_and_lost_again_is_reported():
    before = report_of()
    after = report_of("update_a", previous=before)
    assert A in {mastery.cell for mastery in before.mastered} and before.forgotten == ()
    (lost,) = [lost for lost in after.forgotten if lost.cell == A]
    assert lost == Forgotten(
        cell=A,
        mastered=Mastery(cell=A, rate=0.0, opportunities=40, reports_ago=1),  # 10 tasks × 4 rollouts
        rate=1.0,
        opportunities=40,
    )
    assert after.cell("tool:update_b").rate == 0.0
    assert "tool:update_b" not in {lost.cell for lost in after.forgotten}


def test_a_cell_never_mastered_is_weak_but_not_forgotten():
    assert report_of("update_a", previous=report_of("update_a")).forgotten == ()


def test_mastery_is_remembered_over_reports_that_only_know_their_predecessor():
    mastered = report_of()
    lost = report_of("update_a", previous=mastered)
    still = report_of("update_a", previous=lost)
    ago = {lost.cell: lost.mastered.reports_ago for lost in still.forgotten}
    assert ago[A] == 2


def test_change_is_against_the_report_before_and_mastery_of_the_chain():
    chain = report_of("update_a", previous=report_of("update_b", previous=report_of()))
    assert chain.cell(A).change == 1.0 and chain.cell("tool:update_b").change == -1.0
    assert {lost.cell: lost.mastered.reports_ago for lost in chain.forgotten}[A] == 1


def test_what_is_learned_again_is_no_longer_forgotten():
    again = report_of(previous=report_of("update_a", previous=report_of()))
    assert again.forgotten == ()
    assert {m.reports_ago for m in again.mastered if m.cell == A} == {0}


def test_mastered_and_lost_need_sure_bounds_and_enough_episodes():
    # Wilson's upper bound of 3 in 40: (0.075 + 0.0338 + 1.645 √(0.001734 + 0.000423)) / 1.0676 = 0.1735
    base = report_of().cell(A)
    few, sure = base.replace(failures=1.0, opportunities=10), base.replace(failures=3.0, opportunities=40)
    assert mastered_cells([few], None, Watch()) == ()
    assert len(mastered_cells([few], None, Watch(opportunities=10, mastered=0.5))) == 1
    assert len(mastered_cells([sure], None, Watch(mastered=0.18))) == 1
    assert mastered_cells([sure], None, Watch(mastered=0.17)) == ()
    memory = [Mastery(cell=A, rate=0.0, opportunities=40, reports_ago=1)]
    unsure = base.replace(wilson_low=0.29)
    assert forgotten_cells([unsure], memory, Watch()) == ()
    assert len(forgotten_cells([unsure], memory, Watch(lost=0.29))) == 1


def test_the_text_tells_what_was_forgotten():
    after = report_of("update_a", previous=report_of())
    told = "forgotten: tool:update_a failed in 0% of 40 episodes one report ago, now in 100% of 40"
    assert told in render(after).splitlines()


def test_gradient_shares_are_as_given_and_zero_where_none_is_named():
    report = report_of(gradient_shares={A: 0.25})
    assert report.cell(A).gradient_share == 0.25
    assert report.cell("tool:update_b").gradient_share == 0.0
    assert report_of().cell(A).gradient_share is None


def test_contrast_is_what_failed_episodes_require_oftener_than_passed_ones():
    # 20 tasks of 3 of 4 tools: the failed episodes are those that require update_a.
    report = report_of("update_a", tools=("update_a", "update_b", "update_c", "update_d"), tasks=20)
    weak = report.cell(A)
    assert weak.coverage == 1.0 and weak.contrast == 1.0
    failed = 1 - report.all_pass
    other = report.cell("tool:update_b")
    both = other.coverage * failed * report.episodes  # failed episodes that require b, too
    assert other.contrast == pytest.approx(
        other.coverage - (other.opportunities - both) / (report.all_pass * report.episodes)
    )


def test_contrast_needs_failed_and_passed_episodes():
    assert report_of().cell(A).coverage is None and report_of().cell(A).contrast is None
    always = report_of("update_a").cell(A)  # all tools are in every task: nothing passes
    assert always.coverage == 1.0 and always.contrast is None


def test_a_report_stored_before_these_fields_existed_still_loads():
    old = json.loads(report_of("update_a").model_dump_json())
    for name in ("margin", "false_discovery_rate", "equal_odds", "abstains", "mastered", "forgotten"):
        del old[name]
    newer = (
        "rate_low",
        "rate_high",
        "p_value",
        "q_value",
        "claimed",
        "coverage",
        "contrast",
        "gradient_share",
    )
    for cell in old["cells"]:
        for name in newer:
            del cell[name]
    loaded = WeaknessReport.model_validate(old)
    assert loaded.cell(A).rate == 1.0 and loaded.cell(A).claimed is False and loaded.abstains is None
    assert report_of(previous=loaded).cell(A).change == -1.0
    assert "abstains" not in render(loaded)
