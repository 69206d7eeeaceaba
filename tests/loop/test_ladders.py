"""Ladders: skills near zero are approached over easier neighbours, and climbed as these are learned."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from analysis.weakness import WeaknessReport
from loop.config import Targeting
from loop.curricula.growers.closed_loop import ClosedLoopGrower
from loop.curricula.ladders.climbing import Ladders
from loop.curricula.ladders.levels import harder, scale, told
from loop.curricula.ladders.neighbours import neighbour, profile, similarity
from loop.curricula.protocols import GrowthRequest
from loop.worlds.pool import Environment, PoolTask, listed
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.records.world import Brief, Difficulty, Target
from planet.synthesize import Synthesis, synthesize
from tests.loop.reports import OPERATIONS, cell, group, pool_task, report

TASKS = tuple(pool_task(n, family) for n, family in enumerate(OPERATIONS))
SCENARIOS = tuple(Brief(text=f"scenario {n}") for n in range(10))
TARGETING = Targeting(
    share=1.0,
    hints=(),
    allocation="failure_rate",
    ladder={"below": 0.1, "learned": 0.5, "episodes": 16},
)
BASE = Difficulty()
EASY = Difficulty(hops=1, distractors=0, columns=1, cited=True)


def rates(**failing: int) -> WeaknessReport:
    """A report of families that failed in so many of 40 episodes."""
    return report(*(cell(f"family:{family}", failures, 40) for family, failures in failing.items()))


def heard(*reports: WeaknessReport, ladders: Ladders | None = None) -> Ladders:
    ladders = ladders or Ladders()
    for each in reports:
        ladders.hear(each, TARGETING, TASKS)
    return ladders


def standing(ladders: Ladders, family: str) -> tuple[int, int, str, Difficulty]:
    ladder = ladders.standing[f"family:{family}"]
    return ladder.at, len(ladder.rungs), ladder.rung.cell, ladder.rung.difficulty


# ── neighbours ────────────────────────────────────────────────────────────────────────────────────


def near(family: str, weak: Sequence[str], tasks: Sequence[PoolTask] = TASKS) -> str | None:
    found = rates(**{name: 39 if name in (family, *weak) else 20 for name in OPERATIONS})
    asked = found.cell(f"family:{family}")
    assert asked is not None
    best = neighbour(asked, found, tasks, least=0.1, opportunities=8)
    return None if best is None else best.value


def test_profiles_are_compared_by_what_plans_share() -> None:
    # {update, search} and {update, get}: minima sum to 1, maxima to 3.
    assert similarity(profile("family:conditional", TASKS), profile("family:lookup", TASKS)) == pytest.approx(
        1 / 3
    )
    assert similarity({}, {}) == 0.0
    assert profile("family:nowhere", TASKS) == {}


def test_an_easier_neighbour_shares_steps_and_works_already() -> None:
    assert near("repair", weak=()) == "propagate"
    assert near("propagate", weak=()) == "repair"
    assert near("two_hop", weak=()) == "lookup"
    assert near("disambiguate", weak=()) == "conditional"
    assert near("two_hop", weak=("lookup",)) in ("create", "update")  # {get, update} against {update}: 1/2
    assert near("lookup", weak=("update", "create", "two_hop", "conditional", "disambiguate")) in (
        "propagate",
        "repair",
    )
    assert near("repair", weak=tuple(OPERATIONS)) is None


@pytest.fixture(scope="module")
def real_tasks() -> tuple[PoolTask, ...]:
    """Tasks as the generator makes them, every family in six worlds."""
    catalog = load_catalog()
    made = [synthesize(Brief(text="a"), TemplateAuthor(), catalog, seed, tasks=16) for seed in range(8)]
    environments = [Environment(m.world, m.key, m.tasks, "train") for m in made if m.world and m.key]
    return tuple(listed(task, environment) for environment in environments for task in environment.tasks)


def test_neighbours_in_real_tasks_are_those_of_a_person(real_tasks: tuple[PoolTask, ...]) -> None:
    assert near("repair", (), real_tasks) == "propagate"
    assert near("propagate", ("repair",), real_tasks) in ("conditional", "disambiguate")
    assert near("two_hop", (), real_tasks) == "lookup"
    assert near("disambiguate", (), real_tasks) == "conditional"


def test_fewer_hops_are_the_neighbour_of_hops_and_other_facets_have_none() -> None:
    found = report(cell("hops:2", 40, 40), cell("hops:1", 20, 40), cell("resource:invoice", 40, 40))
    two, resource = found.cells[0], found.cells[2]
    best = neighbour(two, found, TASKS, least=0.1, opportunities=8)
    assert best is not None and best.name == "hops:1"
    assert neighbour(resource, found, TASKS, least=0.1, opportunities=8) is None


# ── the scale ─────────────────────────────────────────────────────────────────────────────────────


def test_the_scale_rises_to_what_is_asked_and_leaves_out_what_makes_no_difference() -> None:
    assert scale(BASE) == (EASY, BASE.replace(distractors=0), BASE)
    assert scale(BASE, reads_pages=False) == (BASE.replace(columns=1), BASE)
    assert scale(EASY) == (EASY,)
    assert harder(BASE) == Difficulty(hops=2, distractors=4)
    assert told(EASY) == "1 hop, 1 column, 0 distractors, page named"
    assert told(harder(BASE)) == "2 hops, 2 columns, 4 distractors"


def made_at(difficulty: Difficulty, family: str) -> list[Synthesis]:
    target = Target(cells=(f"family:{family}",), quota=5, difficulty=difficulty)
    catalog = load_catalog()
    brief = Brief(text="a", target=target)
    return [synthesize(brief, TemplateAuthor(), catalog, seed, tasks=5) for seed in range(6)]


@pytest.mark.parametrize("family", ["propagate", "two_hop"])
def test_each_level_asks_for_more_than_the_one_below_it(family: str) -> None:
    """What a level costs an agent: values to write, calls to make, pages to choose among."""
    loads = []
    for level in (*scale(BASE), harder(BASE)):
        worlds = [made for made in made_at(level, family) if made.world is not None]
        tasks = [task for made in worlds for task in made.tasks]
        values = sum(len(call.arguments) for task in tasks for call in task.key.oracle if call.required)
        calls = sum(len(task.key.oracle) for task in tasks)
        pages = sum(len(made.world.documents) for made in worlds if made.world is not None)
        loads.append((values + calls) / len(tasks) + pages / len(worlds))
    assert loads == sorted(loads) and len(set(loads)) == len(loads)


# ── climbing ──────────────────────────────────────────────────────────────────────────────────────


def test_no_ladder_is_put_up_unless_a_threshold_is_set() -> None:
    ladders = Ladders()
    ladders.hear(rates(repair=40, update=10), Targeting(), TASKS)
    assert ladders.standing == {}


def test_a_cell_near_zero_stands_on_its_neighbour_first() -> None:
    # repair passed 2 of 40 (5 %), propagate 12 of 40 (30 %, so it works and is not learned yet).
    ladders = heard(rates(repair=38, propagate=28, update=4))
    assert standing(ladders, "repair") == (0, 4, "family:propagate", BASE)
    assert list(ladders.standing) == ["family:repair"]


def test_a_neighbour_that_is_learned_already_is_passed_over() -> None:
    ladders = heard(rates(repair=38, propagate=16))
    assert standing(ladders, "repair") == (1, 4, "family:repair", EASY)


def test_without_a_neighbour_the_cell_itself_is_made_easier_as_far_as_it_makes_a_difference() -> None:
    assert standing(heard(rates(repair=38)), "repair") == (0, 3, "family:repair", EASY)
    # Nothing is read in pages for two hops, so that naming the page would ask for the same.
    assert standing(heard(rates(two_hop=38)), "two_hop") == (0, 2, "family:two_hop", BASE.replace(columns=1))


def test_a_rung_is_climbed_when_its_own_tasks_pass_and_counts_begin_anew() -> None:
    ladders = heard(rates(repair=38))
    easy = "1 of 3 to family:repair"
    ladders.observe([group("family:repair", passes=6, rung=easy), group("family:repair", passes=8)])
    heard(rates(repair=38), ladders=ladders)
    assert ladders.standing["family:repair"].at == 0  # 8 episodes of the rung, 16 are wanted
    ladders.observe([group("family:repair", passes=2, rung=easy)])
    heard(rates(repair=38), ladders=ladders)
    ladder = ladders.standing["family:repair"]
    assert (ladder.at, ladder.passes, ladder.episodes) == (1, 0, 0)  # 8 of 16 passed
    assert ladder.name == "2 of 3 to family:repair"


def test_tasks_of_an_earlier_ladder_s_rung_do_not_count() -> None:
    ladders = heard(rates(repair=38, propagate=34))
    first = "1 of 4 to family:repair"
    assert standing(ladders, "repair")[2] == "family:propagate"
    ladders.observe([group("family:lookup", passes=16, rollouts=16, rung=first)])  # the neighbour of then
    assert ladders.standing["family:repair"].episodes == 0
    ladders.observe([group("family:propagate", passes=8, rollouts=16, rung=first)])
    assert ladders.standing["family:repair"].episodes == 16


def test_rungs_to_hops_are_asked_with_the_hops_that_they_say() -> None:
    ladders, by_hops = Ladders(), TARGETING.model_copy(update={"facets": ("hops",)})
    ladders.hear(report(cell("hops:2", 39, 40), cell("hops:1", 34, 40)), by_hops, TASKS)
    rungs = ladders.standing["hops:2"].rungs
    assert [(rung.cell, rung.difficulty.hops) for rung in rungs] == [
        ("hops:1", 1),
        *[("hops:2", 2)] * (len(rungs) - 1),
    ]
    assert len({rung.difficulty for rung in rungs}) == len(rungs) >= 3


def test_a_rung_out_of_reach_is_left_downwards() -> None:
    ladders = heard(rates(repair=38, propagate=16))
    ladders.observe([group("family:repair", passes=0, rollouts=16, rung="2 of 4 to family:repair")])
    heard(rates(repair=38, propagate=28), ladders=ladders)
    assert standing(ladders, "repair")[:3] == (0, 4, "family:propagate")


def test_a_neighbour_is_learned_when_the_report_says_so() -> None:
    ladders = heard(rates(repair=38, propagate=28), rates(repair=38, propagate=20))
    assert standing(ladders, "repair")[0] == 1


def test_a_ladder_is_taken_away_when_the_cell_itself_is_learned() -> None:
    ladders = heard(rates(repair=38), rates(repair=30))
    assert list(ladders.standing) == ["family:repair"]
    assert heard(rates(repair=20), ladders=ladders).standing == {}


def test_a_ladder_ends_at_what_the_configuration_asks_for() -> None:
    ladders = heard(rates(two_hop=38))
    for _ in range(4):
        ladder = ladders.standing["family:two_hop"]
        ladders.observe([group("family:two_hop", passes=16, rollouts=16, rung=ladder.name)])
        heard(rates(two_hop=38), ladders=ladders)
    assert standing(ladders, "two_hop") == (1, 2, "family:two_hop", BASE)


def test_ladders_go_on_where_they_were_stored() -> None:
    first = heard(rates(repair=38, two_hop=39, propagate=28))
    first.observe([group(passes=3, rung="1 of 4 to family:repair")])
    second = Ladders()
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert second == first


# ── briefs ────────────────────────────────────────────────────────────────────────────────────────


def asked(told: WeaknessReport, targeting: Targeting = TARGETING) -> list[Target]:
    request = GrowthRequest(0, SCENARIOS, 7, targeting, TASKS, (), told)
    briefs = [ask.brief for ask in ClosedLoopGrower().briefs(request)]
    return [brief.target for brief in briefs if brief.target is not None]


def test_briefs_ask_for_the_rung_and_say_so() -> None:
    targets = asked(rates(repair=38, propagate=28, update=4))
    step = next(target for target in targets if target.rung)
    assert (step.cells, step.rung, step.difficulty) == (
        ("family:propagate",),
        "1 of 4 to family:repair",
        BASE,
    )
    assert step.reason == (
        "tasks of family repair failed in 38 of 40 episodes over 4 worlds (posterior failure rate 0.95); "
        "rung 1 of 4 to family:repair: family:propagate with 1 hop, 2 columns, 2 distractors"
    )
    assert {target.cells for target in targets if not target.rung} == {
        ("family:propagate",),
        ("family:update",),
    }


def test_a_cell_on_a_ladder_is_given_no_less_than_the_mean_however_little_is_learnable_in_it() -> None:
    found = report(cell("family:repair", 39, 40, 0.01), cell("family:update", 20, 40, 0.19))
    learnable = TARGETING.model_copy(update={"allocation": Targeting().allocation})
    # Worth 0.01 and 0.19, lifted to their mean 0.1: 10 x 0.1 / 0.29 = 3.4 against 10 x 0.01 / 0.2 = 0.5.
    assert sum(target.rung != "" for target in asked(found, learnable)) == 3
    plain = learnable.model_copy(update={"ladder": Targeting().ladder})
    assert sum(target.cells == ("family:repair",) for target in asked(found, plain)) == 1


def test_a_task_knows_the_rung_that_it_was_made_for() -> None:
    target = Target(cells=("family:repair",), quota=3, difficulty=EASY, rung="1 of 3 to family:repair")
    made = synthesize(Brief(text="a", target=target), TemplateAuthor(), load_catalog(), 3, tasks=5)
    assert made.world is not None
    assert made.key is not None
    environment = Environment(made.world, made.key, made.tasks, "grown")
    assert [listed(task, environment).rung for task in made.tasks] == [target.rung] * 3 + [""] * 2
    # The same tasks in another order: the cell alone does not make a task one of the rung.
    later = replace(environment, tasks=made.tasks[::-1])
    repairs = [task for task in made.tasks[:2] if task.key.facets.family == "repair"]
    assert len(repairs) == 2 and {listed(task, later).rung for task in repairs} == {""}
