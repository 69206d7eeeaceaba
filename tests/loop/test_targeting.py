"""From report to briefs: who gets how many worlds, and why."""

from hypothesis import given
from hypothesis import strategies as st

from analysis.weakness import Cell, WeaknessReport
from loop.config import Targeting
from loop.curricula.growers.closed_loop import ClosedLoopGrower
from loop.curricula.growers.fixed_corpus import NoGrower
from loop.curricula.growers.random_worlds import RandomWorldsGrower
from loop.curricula.protocols import GrowthRequest
from loop.curricula.targeting import (
    aimed_at_random,
    aimed_at_report,
    apportion,
    eligible,
    reason,
    targeted_count,
)
from loop.plugins import Plugin
from loop.worlds.pool import PoolTask
from planet.records.world import Brief


def cell(name: str, failures: float, opportunities: int, learnability: float = 0.1) -> Cell:
    facet, value = name.split(":")
    return Cell(
        facet=facet,
        value=value,
        opportunities=opportunities,
        failures=failures,
        tasks=opportunities,
        worlds=4,
        rate=failures / opportunities,
        posterior_mean=failures / opportunities,
        wilson_low=0.0,
        learnability=learnability,
        modes={},
        ambiguous=0,
        change=None,
        exemplars=(),
    )


def report(*cells: Cell) -> WeaknessReport:
    return WeaknessReport(
        episodes=40,
        tasks=40,
        worlds=4,
        all_pass=0.5,
        raw_reward=0.5,
        unattributed=0,
        confidence=0.95,
        cells=cells,
    )


def pool_task(number: int, family: str = "update", resource: str = "invoice") -> PoolTask:
    cells = frozenset({f"family:{family}", f"resource:{resource}", "hops:0"})
    return PoolTask(f"t{number}", "w", family, cells, "retail", "BR", "compact")


SCENARIOS = tuple(Brief(text=f"scenario {n}", industry="retail", country="BR") for n in range(8))
TARGETING = Targeting(allocation="failure_rate", hints=(), min_opportunities=8)
WEAK = report(
    cell("family:two_hop", 30, 40), cell("family:repair", 15, 40), cell("family:update", 0, 40),
    cell("family:create", 6, 7), cell("resource:invoice", 20, 40), cell("resource:ticket", 0, 40),
)  # fmt: skip


def request(report: WeaknessReport | None = WEAK, targeting: Targeting = TARGETING) -> GrowthRequest:
    return GrowthRequest(0, SCENARIOS, 7, targeting, (pool_task(0),), ("old-tool-set",), report)


def test_seventy_percent_of_eight_briefs_are_six() -> None:
    assert targeted_count(8, 0.7) == 6  # 5.6 rounds to 6
    assert targeted_count(10, 0.7) == 7
    assert targeted_count(0, 0.7) == 0


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
