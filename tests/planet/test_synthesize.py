"""From a brief to a world with ten audited tasks, or to a refusal that says why."""

import pytest

from planet.author.template import TemplateAuthor
from planet.cells import on_target
from planet.errors import BriefError
from planet.records.world import Brief, Difficulty, Target
from planet.synthesize import synthesize
from planet.validators import validate
from tests.fakes import ScriptedAuthor
from tests.planet.scripts import template, with_reactor

BRIEF = Brief(text="a company")


def test_every_synthesized_world_passes_the_validators_and_holds_ten_tasks(catalog, dozen):
    for made in dozen:
        assert validate(made.world, made.key, catalog).admitted
        assert len(made.tasks) == 10
        assert made.on_target is None  # not aimed at anything
        assert made.audit_steps > 10 * 10  # an oracle, another plan, a detour, rows reversed, reads
        assert 8 <= sum(map(len, made.world.seed.rows.values())) <= 5 * 14
        assert len(made.world.offered) in (10, 14)


def test_equal_seeds_give_equal_syntheses(catalog, dozen):
    assert synthesize(BRIEF, TemplateAuthor(), catalog, 3) == dozen[3]


def test_worlds_of_other_seeds_differ(dozen):
    assert len({made.world.id for made in dozen}) == 12


def test_a_library_world_is_larger(catalog):
    made = synthesize(Brief(text="a company", profile="library"), TemplateAuthor(), catalog, 1)
    assert len(made.tasks) == 10
    assert len(made.world.layout.resources) >= 12
    assert len(made.key.invariants) >= 8
    assert sum(map(len, made.world.seed.rows.values())) > 1000


@pytest.mark.parametrize("family", ["two_hop", "disambiguate", "propagate", "repair"])
def test_a_world_made_for_a_family_is_on_target(catalog, family):
    target = Target(cells=(f"family:{family}",), quota=6, difficulty=Difficulty(hops=2))
    admitted = [
        synthesize(Brief(text="x", target=target), TemplateAuthor(), catalog, seed) for seed in range(6)
    ]
    there = [made for made in admitted if made.world]
    assert len(there) >= 4
    assert all(made.on_target for made in there)
    assert all(on_target(task.key, f"family:{family}") for made in there for task in made.tasks[:6])


def test_the_place_that_a_brief_names_is_in_the_world(catalog):
    target = Target(cells=("resource:ticket",), quota=7)
    made = synthesize(Brief(text="x", resources=("ticket",), target=target), TemplateAuthor(), catalog, 0)
    assert "ticket" in made.world.slice
    assert made.on_target


def test_a_world_too_poor_for_six_of_ten_tasks_is_refused_and_says_so(catalog):
    target = Target(cells=("resource:no_such_table",), quota=5)
    made = synthesize(Brief(text="x", target=target), TemplateAuthor(), catalog, 0)
    assert (made.world, made.tasks, made.on_target) == (None, (), None)
    assert made.refused == {"no_draft": 120, "too_few_tasks": 1}  # 12 draws for each of 10 tasks


def test_refusals_of_validators_are_counted_beside_the_world_that_came_of_it(catalog):
    script = {"company": [template("company", currency="XXX"), template("company")]}
    made = synthesize(BRIEF, ScriptedAuthor(script), catalog, 0)
    assert made.world is not None
    assert made.refused["V01"] == 1
    assert made.cost.calls == 2


def test_a_world_with_a_custom_resource_can_be_aimed_at_it(catalog):
    target = Target(cells=("tool:update_reactor",), quota=5)
    made = synthesize(
        Brief(text="x", target=target), ScriptedAuthor({"schema": [with_reactor()]}), catalog, 0
    )
    assert made.on_target
    assert sum("update_reactor" in task.key.facets.tools for task in made.tasks) >= 5


def test_a_brief_that_cannot_be_met_is_an_error(catalog):
    with pytest.raises(BriefError, match="the brief cannot be met: the catalog has no industry 'alchemy'"):
        synthesize(Brief(text="x", industry="alchemy"), TemplateAuthor(), catalog, 0)


def test_an_unfit_world_is_refused_for_its_rules_before_it_has_tasks(catalog, dozen):
    def unfit(world):
        assert world == dozen[3].world
        return ["too_blue", "too_round"]

    made = synthesize(BRIEF, TemplateAuthor(), catalog, 3, unfit=unfit)
    assert (made.world, made.tasks, made.audit_steps) == (None, (), 0)
    assert made.refused == {"too_blue": 1, "too_round": 1}
    assert made.trace == dozen[3].trace and made.trace.valid


def test_a_world_that_fits_is_made_as_if_nobody_had_asked(catalog, dozen):
    assert synthesize(BRIEF, TemplateAuthor(), catalog, 3, unfit=lambda world: []) == dozen[3]
