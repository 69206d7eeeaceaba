"""Growers without a report, and the rivals' published rules."""

import json
from collections import Counter

import pytest

from analysis.weakness import Cell
from loop.config import Targeting
from loop.curricula.growers.balanced_worlds import BalancedWorldsGrower
from loop.curricula.growers.closed_loop import ClosedLoopGrower
from loop.curricula.growers.harden_soften import HardenSoftenGrower
from loop.curricula.growers.random_worlds import RandomWorldsGrower
from loop.curricula.growers.task_scaling import TaskScalingGrower
from loop.curricula.growers.trace import TraceGrower, contrast
from loop.curricula.ladders.levels import harder, scale
from loop.curricula.protocols import Ask, Grower, GrowthRequest
from planet.records.world import Brief, Difficulty
from tests.loop.reports import OPERATIONS, cell, pool_task, report

TASKS = tuple(
    pool_task(n, family, "invoice" if n % 2 else "ticket", f"w{n % 3}") for n, family in enumerate(OPERATIONS)
)
TARGETING = Targeting(hints=(), min_opportunities=8)


def ask(
    grower: Grower, *cells: Cell, count: int = 10, iteration: int = 0, targeting=TARGETING, **whole
) -> list[Ask]:
    scenarios = tuple(Brief(text=f"scenario {n}") for n in range(count))
    told = report(*cells).model_copy(update=whole) if cells else None
    return grower.briefs(GrowthRequest(iteration, scenarios, iteration, targeting, TASKS, ("old",), told))


def goals(asks: list[Ask]) -> list[str]:
    return [a.brief.target.cells[0] for a in asks if a.brief.target is not None]


def aimed(asks: list[Ask]) -> Counter[str]:
    return Counter(goals([a for a in asks if a.aimed]))


def resumed(grower: Grower) -> Grower:
    again = type(grower)()
    again.load_state_dict(json.loads(json.dumps(grower.state_dict())))
    return again


# ── without a report ──────────────────────────────────────────────────────────────────────────────


def test_balanced_worlds_ask_for_every_family_equally_often() -> None:
    counts = Counter(goals(ask(BalancedWorldsGrower(), count=48)))
    assert counts == {f"family:{name}": 6 for name in OPERATIONS}  # 48 over 8 families


def test_what_a_quota_cannot_divide_evenly_is_evened_out_by_the_next_ones_also_after_a_resume() -> None:
    grower, counts = BalancedWorldsGrower(), Counter()
    for iteration in range(4):
        counts.update(goals(ask(grower, count=10, iteration=iteration)))
        assert max(counts.values()) - min(counts[f"family:{name}"] for name in OPERATIONS) <= 1
        grower = resumed(grower)
    assert counts.total() == 40 and set(counts.values()) == {5}


def test_balanced_briefs_differ_from_random_ones_in_cells_and_reason_alone() -> None:
    hinted = Targeting(min_opportunities=8)
    balanced = ask(BalancedWorldsGrower(), targeting=hinted)
    random = ask(RandomWorldsGrower(), targeting=hinted)
    for one, other in zip(balanced, random, strict=True):
        assert one.brief.target is not None and other.brief.target is not None and not one.aimed
        cells = one.brief.target.cells
        assert cells[1].startswith("resource:") and any({*cells} <= task.cells for task in TASKS)
        same = other.brief.target.replace(cells=cells, reason=one.brief.target.reason)
        assert one.brief.replace(resources=()) == other.brief.replace(target=same, resources=())


def test_task_scaling_asks_every_known_world_in_turn_also_after_a_resume() -> None:
    grower, counts = TaskScalingGrower(), Counter()
    for iteration in range(3):
        counts.update(a.world_id for a in ask(grower, count=4, iteration=iteration))
        grower = resumed(grower)
    assert counts == {"w0": 4, "w1": 4, "w2": 4}  # 3 x 4 asks over three worlds


# ── rivals ────────────────────────────────────────────────────────────────────────────────────────


def test_contrast_is_the_share_of_failed_episodes_less_that_of_passed_ones() -> None:
    # Of 40 episodes 20 failed. The cell was met in 12: 10 failed, 2 passed.
    assert contrast(cell("family:a", 10, 12), report()) == pytest.approx((10 / 20, 10 / 20 - 2 / 20))
    stored = cell("family:a", 10, 12).model_copy(update={"coverage": 0.3, "contrast": 0.25})
    assert contrast(stored, report()) == (0.3, 0.25)
    assert contrast(cell("family:a", 0, 12), report(all_pass=1.0)) == pytest.approx((0.0, -12 / 40))


def test_trace_aims_at_what_stands_out_and_shares_alike() -> None:
    cells = (
        cell("family:update", 12, 14),  # 0.6 covered, 0.6 - 0.1 = 0.5
        cell("family:lookup", 7, 9),  # 0.35, 0.35 - 0.1 = 0.25
        cell("family:create", 6, 10),  # 0.3, 0.3 - 0.2 = 0.1: no contrast
        cell("family:repair", 1, 8),  # 0.05: not covered
    )
    found = [aimed(ask(TraceGrower(), *cells, iteration=n)) for n in range(12)]
    assert all(sorted(f) == ["family:lookup", "family:update"] for f in found)
    assert {tuple(sorted(f.values())) for f in found} == {(3, 4)}  # seven briefs of ten aim
    assert len({f["family:lookup"] for f in found}) == 2  # who gets the odd one goes by lot


def test_trace_explores_when_nothing_stands_out() -> None:
    asks = ask(TraceGrower(), cell("family:update", 10, 20), cell("family:lookup", 10, 20))
    assert len(asks) == 10 and not any(a.aimed for a in asks)


def levels(asks: list[Ask]) -> dict[str, Difficulty]:
    return {a.brief.target.cells[0]: a.brief.target.difficulty for a in asks if a.aimed and a.brief.target}


def test_pass_rates_move_the_difficulty_that_is_asked_for() -> None:
    base = Difficulty()
    easy, middle, _ = scale(base)
    grower = HardenSoftenGrower()
    cells = (cell("family:update", 4, 40), cell("family:lookup", 20, 40), cell("family:repair", 36, 40))
    assert levels(ask(grower, *cells)) == {
        "family:update": harder(base),  # 90 % passed
        "family:lookup": base,  # 50 %
        "family:repair": middle,  # 10 %
    }
    grower = resumed(grower)
    assert levels(ask(grower, *cells, iteration=1)) == {
        "family:update": harder(base),  # there is nothing harder
        "family:lookup": base,
        "family:repair": easy,
    }
    back = (cell("family:update", 30, 40), cell("family:lookup", 20, 40), cell("family:repair", 36, 40))
    assert levels(ask(grower, *back, iteration=2)) == {
        "family:update": base,  # 25 % passed: softer
        "family:lookup": base,
        "family:repair": easy,
    }


def test_hardening_asks_for_all_cells_alike_mastered_ones_too() -> None:
    asks = ask(HardenSoftenGrower(), cell("family:update", 0, 40), cell("family:repair", 40, 40))
    assert sorted(aimed(asks)) == ["family:repair", "family:update"] and aimed(asks).total() == 7
    assert "asked with 2 hops, 2 columns, 4 distractors" in next(
        a.brief.target.reason for a in asks if a.brief.target and a.brief.target.cells[0] == "family:update"
    )


@pytest.mark.parametrize(
    ("grower", "parameters", "message"),
    [
        (TraceGrower, {"coverage": 1.5}, r"coverage=1.5 is outside \[0, 1\]"),
        (HardenSoftenGrower, {"soften": 0.8}, r"soften=0.8 and harden=0.66 are not in this order"),
    ],
)
def test_thresholds_that_make_no_sense_are_refused(grower: type, parameters: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        grower(**parameters)


@pytest.mark.parametrize("grower", [TraceGrower, HardenSoftenGrower, ClosedLoopGrower])
def test_whoever_reads_reports_explores_without_one(grower: type) -> None:
    asks = ask(grower())
    assert grower.reads_report and len(asks) == 10 and not any(a.aimed for a in asks)


@pytest.mark.parametrize("grower", [TraceGrower, HardenSoftenGrower, ClosedLoopGrower])
def test_whoever_reads_reports_heeds_one_that_abstains_where_that_is_asked_for(grower: type) -> None:
    cells, heeding = (cell("family:update", 40, 48),), TARGETING.model_copy(update={"heed_abstention": True})
    assert any(a.aimed for a in ask(grower(), *cells, abstains=True))
    assert not any(a.aimed for a in ask(grower(), *cells, abstains=True, targeting=heeding))
    assert any(a.aimed for a in ask(grower(), *cells, targeting=heeding))


def test_a_cell_of_hops_is_asked_with_its_own_hops_however_hard_the_rest() -> None:
    by_hops = TARGETING.model_copy(update={"facets": ("hops",)})
    asks = ask(HardenSoftenGrower(), cell("hops:1", 4, 40), cell("hops:2", 36, 40), targeting=by_hops)
    assert levels(asks) == {
        "hops:1": harder(Difficulty()).replace(hops=1),
        "hops:2": scale(Difficulty())[1].replace(hops=2),
    }
    assert all(
        f"asked with {int(a.brief.target.cells[0][-1])} hop" in a.brief.target.reason for a in asks if a.aimed
    )


def test_first_hints_do_not_foretell_what_is_explored() -> None:
    """Hints, and the tasks that exploring briefs practise, are drawn apart in one iteration."""
    hinted = Targeting(hints=("resource",), min_opportunities=8)
    weak = [cell("family:update", 20, 40), cell("resource:invoice", 20, 40), cell("resource:ticket", 20, 40)]
    pairs = Counter()
    for n in range(200):
        asks = ask(ClosedLoopGrower(), *weak, iteration=n, targeting=hinted)
        hint, explored = (
            next(a.brief.target for a in asks if a.aimed is aim).cells[1] for aim in (True, False)
        )
        pairs[hint == explored] += 1
    assert 70 <= pairs[True] <= 130  # a half; one generator for both gave equal hints in all or none
