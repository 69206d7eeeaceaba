"""From report to briefs: who gets how many worlds, and why."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.weakness import WeaknessReport
from loop.config import Targeting
from loop.curricula.allocations.expected_gain import ExpectedGain
from loop.curricula.growers.closed_loop import ClosedLoopGrower
from loop.curricula.growers.fixed_corpus import NoGrower
from loop.curricula.growers.random_worlds import RandomWorldsGrower
from loop.curricula.protocols import GrowthRequest
from loop.curricula.targeting import (
    aimed_at_random,
    aimed_at_report,
    allocation_of,
    apportion,
    eligible,
    reason,
    targeted_count,
)
from loop.errors import ConfigError
from loop.plugins import Plugin
from planet.records.world import Brief
from tests.loop.reports import cell, group, pool_task, report

SCENARIOS = tuple(Brief(text=f"scenario {n}", industry="retail", country="BR") for n in range(8))
TARGETING = Targeting(allocation="failure_rate", hints=(), min_opportunities=8)
WEAK = report(
    cell("family:two_hop", 30, 40), cell("family:repair", 15, 40), cell("family:update", 0, 40),
    cell("family:create", 6, 7), cell("resource:invoice", 20, 40), cell("resource:ticket", 0, 40),
)  # fmt: skip


def request(told: WeaknessReport | None = WEAK, targeting: Targeting = TARGETING) -> GrowthRequest:
    return GrowthRequest(0, SCENARIOS, 7, targeting, (pool_task(0),), ("old-tool-set",), told)


def test_seventy_percent_of_eight_briefs_are_six() -> None:
    assert targeted_count(8, 0.7) == 6  # 5.6 rounds to 6
    assert targeted_count(10, 0.7) == 7
    assert targeted_count(0, 0.7) == 0


def test_reading_is_no_goal_and_a_task_without_a_goal_is_not_drawn() -> None:
    read = report(
        cell("tool:get_invoice", 30, 40),
        cell("operation:search", 30, 40),
        cell("tool:update_invoice", 30, 40),
    )
    names = [c.name for c in eligible(read.cells, ("tool", "operation"), TARGETING)]
    assert names == ["tool:update_invoice"]
    pairs = TARGETING.model_copy(update={"facets": ("pair",)})
    plain, paired = pool_task(0), pool_task(1)
    paired = replace(paired, cells=paired.cells | {"pair:billing>sales"})
    drawn = aimed_at_random(SCENARIOS, (plain, paired), pairs, (), seed=0)
    assert {b.target.cells[0] for b in drawn if b.target} == {"pair:billing>sales"}
    assert aimed_at_random(SCENARIOS, (plain,), pairs, (), seed=0) == list(SCENARIOS)  # nothing to aim at


def test_seats_go_by_largest_remainder() -> None:
    assert apportion([2, 1], 6) == [4, 2]
    assert apportion([1, 1, 1], 4) == [2, 1, 1]  # 1.33 each: one seat left, to the first
    assert apportion([5, 3, 2], 7) == [4, 2, 1]  # 3.5, 2.1, 1.4: the remainder .5 gets the seventh
    assert apportion([0, 0], 3) == [0, 0]


@given(st.lists(st.floats(0.001, 100), min_size=1, max_size=12), st.integers(0, 50))
def test_all_seats_are_given_and_none_is_off_by_one_or_more(weights: list[float], seats: int) -> None:
    counts = apportion(weights, seats)
    assert sum(counts) == seats
    assert all(abs(c - seats * w / sum(weights)) < 1 + 1e-9 for c, w in zip(counts, weights, strict=True))


def test_cells_that_never_failed_or_were_hardly_probed_are_not_aimed_at() -> None:
    # update never failed; create was met 7 times, below the 8 that are asked for.
    names = [c.name for c in eligible(WEAK.cells, ("family",), TARGETING)]
    assert names == ["family:repair", "family:two_hop"]


def test_briefs_are_allotted_in_proportion_to_failure_rates() -> None:
    # Failure rates 30/40 and 15/40 are 2 to 1: of six briefs four aim at two_hop and two at repair.
    briefs = aimed_at_report(SCENARIOS[:6], WEAK, TARGETING, (), seed=0)
    goals = [b.target.cells[0] for b in briefs if b.target]
    assert goals == ["family:repair"] * 2 + ["family:two_hop"] * 4


def test_learnability_allots_by_itself_and_not_by_failures() -> None:
    equal = report(cell("family:a", 39, 40, 0.02), cell("family:b", 20, 40, 0.2))
    targeting = TARGETING.model_copy(update={"allocation": Plugin(type="learnability")})
    briefs = aimed_at_report(SCENARIOS, equal, targeting, (), seed=0)
    goals = [b.target.cells[0] for b in briefs if b.target]
    assert goals.count("family:a") == 1 and goals.count("family:b") == 7  # 8 x 1/11 = 0.73, 8 x 10/11 = 7.27


def test_a_power_sends_more_to_the_weakest() -> None:
    def rule(power: float) -> Targeting:
        return TARGETING.model_copy(update={"allocation": Plugin(type="failure_rate", power=power)})

    # Failure rates 15/40 and 30/40 are 1 to 2: to the third power 1 to 8.
    cells = eligible(WEAK.cells, ("family",), TARGETING)
    assert allocation_of(rule(3)).weights(cells) == pytest.approx([1 / 8, 1.0])
    assert allocation_of(rule(1)).weights(cells) == [15 / 40, 30 / 40]
    with pytest.raises(ConfigError, match="power=0 is not a number above 0"):
        allocation_of(rule(0))


def test_a_hint_names_a_weak_resource_and_only_one_that_failed() -> None:
    targeting = TARGETING.model_copy(update={"hints": ("resource",)})
    for brief in aimed_at_report(SCENARIOS, WEAK, targeting, (), seed=3):
        assert brief.target is not None and brief.target.cells[1] == "resource:invoice"
        assert brief.resources == ("invoice",)


def test_the_reason_is_one_sentence_of_counts() -> None:
    assert reason(cell("family:two_hop", 30, 40)) == (
        "tasks of family two_hop failed in 30 of 40 episodes over 4 worlds (posterior failure rate 0.75)"
    )


def test_random_briefs_differ_from_targeted_ones_in_cells_and_reason_alone() -> None:
    targeted = aimed_at_report(SCENARIOS, WEAK, TARGETING, ("old",), seed=0)
    randomly = aimed_at_random(SCENARIOS, [pool_task(0)], TARGETING, ("old",), seed=0)
    for one, other in zip(targeted, randomly, strict=True):
        assert one.target is not None and other.target is not None
        same = other.target.replace(cells=one.target.cells, reason=one.target.reason)
        assert other.replace(target=same) == one


def test_random_cells_follow_the_training_generator() -> None:
    # Three of four train tasks are creates, so about three of four random briefs are.
    tasks = [pool_task(n, "create") for n in range(3)] + [pool_task(3, "update")]
    many = tuple(Brief(text=str(n)) for n in range(400))
    briefs = aimed_at_random(many, tasks, TARGETING, (), seed=1)
    creates = sum(b.target.cells[0] == "family:create" for b in briefs if b.target)
    assert 270 <= creates <= 330  # 300, and 3.5 standard deviations of 8.7


def test_the_closed_loop_aims_seventy_percent_and_explores_the_rest() -> None:
    asks = ClosedLoopGrower().briefs(request())
    assert [ask.aimed for ask in asks] == [True] * 6 + [False] * 2


def test_a_report_without_weak_cells_is_explored() -> None:
    asks = ClosedLoopGrower().briefs(request(report(cell("family:update", 0, 40))))
    assert len(asks) == 8 and not any(ask.aimed for ask in asks)


def test_random_worlds_never_read_the_report_and_no_grower_asks_for_none() -> None:
    assert RandomWorldsGrower().briefs(request()) == RandomWorldsGrower().briefs(request(None))
    assert not RandomWorldsGrower.reads_report and ClosedLoopGrower.reads_report
    assert NoGrower().briefs(request()) == []


def test_a_grower_goes_on_counting_where_it_was_stored() -> None:
    first = ClosedLoopGrower()
    first.briefs(request())
    second = ClosedLoopGrower()
    second.load_state_dict(first.state_dict())
    second.briefs(request())
    assert second.metrics() == {
        "grower/briefs_targeted": 12.0,
        "grower/briefs_random": 4.0,
        "grower/ladders": 0.0,
    }


def test_an_allocation_rule_is_made_by_name_and_its_weights_are_the_cells_own() -> None:
    cells = [cell("family:a", 30, 40, 0.05), cell("family:b", 10, 40, 0.2)]
    assert allocation_of(Targeting(allocation="failure_rate")).weights(cells) == [0.75, 0.25]
    assert allocation_of(Targeting(allocation="learnability")).weights(cells) == [0.05, 0.2]


def test_expected_gain_begins_with_learnability() -> None:
    bandit = ExpectedGain()
    first = report(cell("family:a", 30, 40, 0.05), cell("family:b", 10, 40, 0.2))
    bandit.hear(first)
    assert bandit.weights(first.cells) == [0.05, 0.2]


def test_expected_gain_is_failure_removed_per_charged_step_shrunk_to_the_common_rate() -> None:
    bandit = ExpectedGain(explore=0.2, memory=1.0, prior_steps=1000.0)
    bandit.hear(report(cell("family:a", 30, 40), cell("family:b", 20, 40)))
    bandit.observe([group("family:a", "hops:1", steps=600), group("family:a", steps=400)])
    bandit.observe([group("family:b", steps=1000)])
    second = report(cell("family:a", 22, 40), cell("family:b", 20, 40))
    bandit.hear(second)
    # a gained (30 - 22) / 40 = 0.2 for 1000 steps, b nothing for 1000: 0.2 / 2000 = 0.0001 in common.
    # Rates: a (0.2 + 1000 x 0.0001) / 2000 = 0.00015, b 0.1 / 2000 = 0.00005: shares 3/4 and 1/4.
    assert bandit.weights(second.cells) == pytest.approx([0.8 * 0.75 + 0.1, 0.8 * 0.25 + 0.1])
    # Per thousand steps over both: 0.2 / 2000 x 1000.
    assert bandit.metrics() == {"allocation/cells": 2.0, "allocation/gain": pytest.approx(0.1)}


def test_expected_gain_gives_what_got_worse_its_exploration_share_and_forgets() -> None:
    bandit = ExpectedGain(explore=0.5, memory=0.5, prior_steps=1.0)
    bandit.hear(report(cell("family:a", 20, 40), cell("family:b", 20, 40)))
    for failures in (30, 36):
        bandit.observe([group("family:a", steps=100), group("family:b", steps=100)])
        newest = report(cell("family:a", failures, 40), cell("family:b", 50 - failures, 40))
        bandit.hear(newest)
    weights = bandit.weights(newest.cells)
    assert weights[0] == pytest.approx(0.25) and sum(weights) == pytest.approx(1)
    # a lost 0.25 and then 0.15, the first half forgotten; costs fade alike.
    assert bandit.state_dict()["sums"]["family:a"] == pytest.approx([0.5 * -0.25 - 0.15, 150.0])


def test_expected_gain_spreads_evenly_when_nothing_gained() -> None:
    bandit = ExpectedGain()
    for failures in (20, 30):
        bandit.hear(report(cell("family:a", failures, 40), cell("family:b", failures, 40)))
        bandit.observe([group("family:a", steps=50), group("family:b", steps=50)])
    assert bandit.weights([cell("family:a", 30, 40), cell("family:b", 30, 40)]) == pytest.approx([0.5, 0.5])


def test_an_allocation_goes_on_where_it_was_stored() -> None:
    first, second = ExpectedGain(), ExpectedGain()
    first.hear(WEAK)
    first.observe([group("family:two_hop", steps=40)])
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    for bandit in (first, second):
        bandit.hear(report(cell("family:two_hop", 10, 40)))
    assert first.state_dict() == second.state_dict() and first.metrics() == second.metrics()


def test_a_report_that_abstains_is_explored_where_that_is_asked_for() -> None:
    silent = WEAK.model_copy(update={"abstains": True})
    heeding = TARGETING.model_copy(update={"heed_abstention": True})
    assert sum(ask.aimed for ask in ClosedLoopGrower().briefs(request(silent))) == 6
    assert sum(ask.aimed for ask in ClosedLoopGrower().briefs(request(silent, heeding))) == 0
    assert sum(ask.aimed for ask in ClosedLoopGrower().briefs(request(WEAK, heeding))) == 6
