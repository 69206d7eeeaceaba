"""Library worlds of the template author: their size, their slices, their rules, their tasks."""

from collections import Counter
from random import Random

import pytest

from planet.author.artifacts import SchemaPlan
from planet.author.library import draw_slice, seldom, sub_industry
from planet.author.library.company import EXPONENT
from planet.author.library.slices import SERVICES, SIZES, usual_services
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.cells import owned
from planet.census.rarefaction import rarefaction
from planet.errors import BriefError
from planet.expand.derived import Derived
from planet.expand.plans import artifact_faults
from planet.identity import stream
from planet.orders import SELDOM, orders
from planet.records.task import Assertion
from planet.records.world import Brief
from planet.synthesize import synthesize
from planet.tasks.draft import Draft, by_id, equal, may_write, read, write
from planet.tasks.errands import errands_for, merged
from planet.tasks.phrasing import COMPACT, phrase, phrasings
from planet.validators import validate
from tests.planet.overlays import LAB, changed
from tests.planet.overlays import write as write_overlay

CATALOG = load_catalog(profile="library")
BRIEF = Brief(text="a company", profile="library")


@pytest.fixture(scope="module")
def library():
    """Three library worlds with six audited tasks each, the last one around a seldom resource."""
    wanted = list(orders(BRIEF, "template", None, 0, 6, SELDOM, CATALOG))
    return [
        synthesize(o.brief, TemplateAuthor(), CATALOG, o.seed, tasks=o.tasks)
        for o in (*wanted[:2], wanted[-1])
    ]


def test_a_library_world_is_a_whole_company(library):
    for made in library:
        world = made.world
        assert 13 <= len(world.graph.services) <= 16
        assert 15 * 4 + 2 <= len(world.layout.tools) <= 17 * 4 + 2
        assert 30 <= len(world.layout.resources) <= 32
        assert 9 <= len(made.key.invariants) <= 18
        assert 2_300 <= sum(map(len, world.seed.rows.values())) <= 3_500
        assert len(world.offered) in (10, 14, 18, 22, 26)
        assert {kind for kind in ("positions", "history", "link")} == {
            table.name.rpartition("_")[2]
            for table in world.layout.resources
            if table.name.rpartition("_")[2] in ("positions", "history", "link")
        }


def test_it_passes_the_validators_of_its_own_catalog(library):
    assert all(validate(made.world, made.key).admitted for made in library)


def test_its_tasks_are_larger_than_those_of_compact_worlds(library):
    tasks = [task for made in library for task in made.tasks]
    assert len(tasks) == 18
    assert all(2 <= len(task.key.assertions) <= 10 for task in tasks)
    assert all(len(task.key.oracle) <= 18 for task in tasks)
    assert sum(len(set(task.key.facets.services)) for task in tasks) > 2 * len(tasks)
    names = [[a.id for a in task.key.assertions] for task in tasks]
    assert all(ids == [f"a{n}" for n in range(1, len(ids) + 1)] for ids in names)


def test_every_33rd_world_is_built_around_the_next_resource_of_all(library):
    rare = seldom(CATALOG)
    assert 120 <= len(rare) <= 180 and "patent" in rare and "customer" not in rare
    wanted = list(orders(BRIEF, "template", None, 0, 6, len(rare) * SELDOM, CATALOG))
    named = [order.brief.resources for order in wanted if order.brief.resources]
    assert sorted(name for (name,) in named) == rare
    assert named[0][0] in library[-1].world.slice
    asked = Brief(text="x", profile="library", resources=("invoice",))
    assert all(o.brief == asked for o in orders(asked, "template", None, 0, 6, 80, CATALOG))


# ── slices and companies ────────────────────────────────────────────────────────────────────────


def test_slices_offer_16_tools_on_average():
    assert sum(SIZES.values()) == pytest.approx(1)
    assert 4 * sum(size * chance for size, chance in SIZES.items()) + 2 == pytest.approx(
        16.1
    )  # 4 x 3.525 + 2


@pytest.mark.parametrize("industry", CATALOG.industries, ids=lambda industry: industry.name)
def test_slices_of_an_industry_join_its_usual_services(industry):
    usual = usual_services(CATALOG, industry)
    for seed in range(12):
        chosen = draw_slice(CATALOG, industry, (), Random(seed))
        kinds = [CATALOG.resource(name).service for name in chosen]
        assert len(set(chosen)) == len(chosen) in SIZES
        assert set(kinds) == set(usual[: SERVICES[len(chosen)]])
        near = [CATALOG.neighbours[name] & set(chosen) for name in chosen]
        assert sum(map(bool, near)) >= 2


def test_a_slice_around_a_resource_holds_it_and_what_is_linked_to_it():
    for seed in range(20):
        chosen = draw_slice(CATALOG, CATALOG.industries[0], ("patent",), Random(seed))
        assert chosen[0] == "patent" and len(chosen) in SIZES
        assert all(CATALOG.neighbours[name] & set(chosen) for name in chosen)


def test_a_slice_around_a_resource_never_stays_within_one_service():
    alone = 0
    for seed in range(60):
        chosen = draw_slice(CATALOG, CATALOG.industries[0], ("bonus",), Random(seed))
        kinds = [CATALOG.resource(name).service for name in chosen]
        assert chosen[0] == "bonus" and len(chosen) <= max(SIZES) and len(set(kinds)) >= 2
        alone += kinds[-1] not in kinds[:-1] and len(set(kinds)) == 2
    assert alone > 0  # some would have stayed among pay runs, had the last resource not led away


def test_a_resource_that_nothing_is_linked_to_cannot_be_asked_for(tmp_path):
    columns = [c for c in LAB["resources"][0]["columns"] if c["type"] != "ref"]
    lonely = changed(LAB, "resources", 0, columns=columns)
    write_overlay(tmp_path, {"services/lab.yaml": lonely})
    with pytest.raises(BriefError, match="no resource of another service is linked to sample; name others"):
        draw_slice(load_catalog(tmp_path, "library"), CATALOG.industries[0], ("sample",), Random(1))


def test_a_few_descriptions_are_common_and_many_are_rare():
    industry = CATALOG.industry("retail")
    drawn = Counter(sub_industry(industry, Random(seed)) for seed in range(400))
    assert set(drawn) <= set(industry.sub_industries())
    assert drawn.most_common(1)[0][1] >= 8  # uniform draws from 556 would give about 4 at most
    assert sum(count == 1 for count in drawn.values()) > 100


# ── the long tail ───────────────────────────────────────────────────────────────────────────────

ENVIRONMENTS, TASKS, DRAWN = 4_326, 43_260, 3_200


def reach(times: Counter[str]) -> float:
    """Share of the values that a uniform draw of tasks is expected to reach; an environment has ten."""
    return rarefaction([10 * count for count in times.values()], TASKS, DRAWN)


def test_combinations_of_services_and_tools_have_the_long_tail_of_the_design():
    combinations, resources = Counter(), Counter()
    for order in orders(BRIEF, "template", None, 0, 10, ENVIRONMENTS, CATALOG):
        rng = stream(order.seed, "a slice")
        offered = draw_slice(CATALOG, rng.choice(CATALOG.industries), order.brief.resources, rng)
        combinations["+".join(sorted({CATALOG.resource(name).service for name in offered}))] += 1
        resources.update(offered)
    assert 130 <= len(combinations) <= 165  # the design has about 148
    assert reach(combinations) == pytest.approx(0.628, abs=0.05)
    assert reach(resources) == pytest.approx(0.758, abs=0.05)
    assert reach(resources) * len(resources) / 210 == pytest.approx(0.758, abs=0.05)  # of all 842 tools


def test_descriptions_have_the_long_tail_of_the_design():
    count = len(CATALOG.industries[0].sub_industries())
    assert all(len(industry.sub_industries()) == count for industry in CATALOG.industries)
    weights = [(rank + 2) ** -EXPONENT for rank in range(count)]
    chances = [weight / sum(weights) / len(CATALOG.industries) for weight in weights]
    untouched = (1 - DRAWN / TASKS) ** 10  # an environment without a drawn task
    distinct = sum(1 - (1 - p) ** ENVIRONMENTS for p in chances) * len(CATALOG.industries)
    reached = sum(1 - (1 - p * (1 - untouched)) ** ENVIRONMENTS for p in chances) * len(CATALOG.industries)
    assert distinct == pytest.approx(2_287, rel=0.05)
    assert reached / distinct == pytest.approx(0.629, abs=0.05)


# ── plans ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("derived", "message"),
    [
        (Derived(kind="history", of=("moon",)), "'moon_history' needs 1 of the tables to belong to"),
        (Derived(kind="link", of=("customer",)), "'customer_link' needs 2 of the tables to belong to"),
    ],
)
def test_a_derived_table_of_nothing_goes_back_to_the_author(derived, message):
    plan = synthesize(Brief(text="a"), TemplateAuthor(), load_catalog(), 1, tasks=1).trace
    schema = next(a.artifact for a in plan.attempts if a.link == "schema")
    bad = SchemaPlan.model_validate({**schema, "derived": (derived,)})
    (problem,) = artifact_faults(bad, {}, load_catalog())
    assert message in problem


def test_the_rule_at_stake_is_owned_by_the_table_of_its_effect(library):
    for made in library:
        effects = {rule.id: rule.effect_table for rule in made.key.invariants}
        for key in (task.key for task in made.tasks):
            for name in key.at_stake:
                owners = {cell for cell in owned(key, name) if cell.startswith("resource:")}
                assert owners == {f"resource:{effects[name]}"}


# ── errands ─────────────────────────────────────────────────────────────────────────────────────


def draft(table: str, key: str, family: str = "update") -> Draft:
    change = {"status": "open"}
    return Draft(
        family=family,
        fields={},
        assertions=equal(table, key, change),
        allowed=(may_write(table, key, ("status",)),),
        oracle=(write(table, key, change),),
        alternative=(read(f"get_{table}", id=key), write(table, key, change)),
        mentions=(by_id(table, key),),
        hops=1,
    )


SERVICE = {"ticket": "support", "invoice": "billing", "parcel": "shipping"}


def chosen(lead: Draft, *drafts: Draft | None, goal: int = 3) -> tuple[Draft, ...]:
    left = iter(drafts)
    return errands_for(lead, SERVICE, goal, lambda family: next(left, None), Random(1))


def test_errands_go_to_services_that_are_not_touched_yet():
    lead, same, other, third = (
        draft("ticket", "TIC-0001"), draft("ticket", "TIC-0002"), draft("invoice", "INV-0001"),
        draft("parcel", "PCL-0001"),
    )  # fmt: skip
    assert chosen(lead, same, None, other, third) == (other, third)
    assert chosen(lead, other, third, goal=2) == (other,)


def test_errands_share_no_record_and_write_nothing_that_a_condition_compares():
    lead = draft("ticket", "TIC-0001", family="conditional")
    reading = draft("invoice", "INV-0001")._replace(alternative=(read("get_ticket", id="TIC-0001"),))
    writing = draft("invoice", "INV-0002")
    writing = writing._replace(oracle=(*writing.oracle, write("ticket", "TIC-0009", {"status": "open"})))
    assert chosen(lead, reading, writing) == ()


def test_a_task_has_at_most_ten_assertions():
    many = draft("invoice", "INV-0001")
    nine = tuple(Assertion(id=f"a{n}", kind="exists", table="invoice", where={}) for n in range(10))
    assert chosen(draft("ticket", "TIC-0001"), many._replace(assertions=nine)) == ()


def test_parts_are_done_in_order_by_the_oracle_and_backwards_by_the_alternative():
    lead, errand = draft("ticket", "TIC-0001"), draft("invoice", "INV-0001")
    whole = merged(lead, (errand,))
    assert [a.id for a in whole.assertions] == ["a1", "a2"]
    assert [call.tool for call in whole.oracle] == ["update_ticket", "update_invoice"]
    assert [call.tool for call in whole.alternative] == [
        "get_invoice", "update_invoice", "get_ticket", "update_ticket",
    ]  # fmt: skip
    assert (whole.family, whole.hops, len(whole.mentions), len(whole.allowed)) == ("update", 2, 2, 2)


def test_library_worlds_say_a_family_in_all_its_phrasings():
    plain = draft("ticket", "TIC-0001")._replace(
        fields={"a": "ticket", "id": "TIC-0001", "c1": "status", "v1": "open"}
    )
    for profile, count in (("library", len(phrasings()["update"])), ("compact", COMPACT)):
        said = {phrase(plain, Random(n), profile).template for n in range(80)}
        assert said == {f"update-{n}" for n in range(1, count + 1)}
