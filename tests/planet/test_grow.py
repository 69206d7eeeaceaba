"""Growing: ten different audited tasks from any world, the brief's wishes first."""

from collections import Counter
from random import Random

import pytest

from planet.author.template import TemplateAuthor
from planet.cells import on_target
from planet.construct import construct
from planet.errors import BriefError
from planet.records.world import Brief, Column, Difficulty, Target
from planet.synthesize import hits_target
from planet.tasks.families import FAMILIES
from planet.tasks.grow import grow_tasks
from planet.tasks.situation import Situation


@pytest.fixture(scope="module")
def built(catalog):
    made = construct(Brief(text="a company"), TemplateAuthor(), catalog, 3)
    return made.world, made.key


def asked(built, **wishes):
    world, key = built
    return world.replace(brief=Brief(text="a company", **wishes)), key


def families(growth) -> Counter:
    return Counter(task.key.facets.family for task in growth.tasks)


def test_tasks_differ_in_id_and_in_what_they_say(dozen):
    for made in dozen:
        assert len(made.tasks) == 10
        assert len({task.id for task in made.tasks}) == 10
        assert len({task.view.instruction for task in made.tasks}) == 10


def test_equal_seeds_grow_equal_tasks_and_others_others(built):
    one, two, other = (grow_tasks(*built, count=4, seed=seed) for seed in (1, 1, 2))
    assert one == two
    assert not {t.id for t in one.tasks} & {t.id for t in other.tasks}


def test_the_target_is_met_first_and_then_all_families_are_drawn(built):
    target = Target(cells=("family:two_hop",), quota=4, difficulty=Difficulty(hops=1))
    growth = grow_tasks(*asked(built, target=target), count=10, seed=1)
    assert [on_target(task.key, "family:two_hop") for task in growth.tasks[:4]] == [True] * 4
    assert len(families(growth)) >= 4
    assert hits_target(asked(built, target=target)[0].brief, growth.tasks[:8])  # 4 of 8 is half
    assert not hits_target(asked(built, target=target)[0].brief, growth.tasks[4:8])


@pytest.mark.parametrize("facet", ["resource", "tool", "service", "role", "pattern"])
def test_any_cell_of_a_place_or_skill_can_be_aimed_at(built, facet):
    world, key = built
    kinds = {s.name: s.kind for s in world.graph.services}
    rule = next(i for i in key.invariants if {i.table, i.effect_table} <= set(world.slice))
    value = {
        "resource": rule.effect_table,
        "tool": f"update_{rule.effect_table}",
        "service": kinds[world.layout.resource(rule.effect_table).service],
        "role": "support_lead",
        "pattern": rule.pattern,
    }[facet]
    target = Target(cells=(f"{facet}:{value}",), quota=2)
    growth = grow_tasks(*asked(built, target=target), count=2, seed=1)
    assert [on_target(task.key, f"{facet}:{value}") for task in growth.tasks] == [True, True]


def test_weights_of_families_decide_which_are_drawn(built):
    growth = grow_tasks(*asked(built, families={"update": 1.0, "lookup": 0.0}), count=6, seed=1)
    assert families(growth) == {"update": 6}


def test_what_a_world_does_not_afford_is_counted_and_not_forced(built):
    target = Target(cells=("resource:no_such_table",), quota=3)
    growth = grow_tasks(*asked(built, target=target), count=3, seed=1)
    assert growth.tasks == ()
    assert growth.refused == {"no_draft": 36}  # 12 draws for each of 3 tasks


@pytest.mark.parametrize(
    ("column", "every"),
    [
        (Column(name="stars", type="int", low=1, high=12), tuple(range(1, 13))),
        (Column(name="price", type="amount", low=1.0, high=12.0), tuple(map(float, range(1, 13)))),
        (
            Column(name="due_date", type="date"),
            tuple(f"2026-{month:02d}-{day:02d}" for month in range(1, 13) for day in range(1, 29)),
        ),
    ],
)
def test_a_value_is_found_among_those_that_no_record_holds_until_there_is_none(built, column, every):
    situation = Situation(*built, Random(0), Difficulty())
    resource = situation.offered[0]
    assert situation.other_value(resource, column, *every[:5], *every[6:]) == every[5]
    assert situation.other_value(resource, column, *every) is None


def test_audits_are_charged(built):
    assert grow_tasks(*built, count=0, seed=1).audit_steps == 0
    assert grow_tasks(*built, count=2, seed=1).audit_steps > 2 * 20


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"families": {"updaet": 1.0}}, "there is no task family 'updaet'; families are update, create"),
        ({"families": {"update": 0.0}}, "weights of families must be 0 or more, one of them above 0"),
        ({"families": {"update": -1.0, "create": 2.0}}, "weights of families must be 0 or more"),
        ({"families": {"update": float("nan")}}, "weights of families must be 0 or more"),
        ({"target": Target(cells=(), quota=1)}, 'a target needs cells like "family:two_hop"'),
        ({"target": Target(cells=("two_hop",), quota=1)}, 'a target needs cells like "family:two_hop"'),
    ],
)
def test_wishes_that_make_no_sense_are_named(built, wishes, message):
    with pytest.raises(BriefError, match=message):
        grow_tasks(*asked(built, **wishes), count=2, seed=1)


def test_there_are_eight_families():
    assert len(FAMILIES) == 8
