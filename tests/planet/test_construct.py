"""Construction: five links, twelve validators, three tries, and a trace of everything."""

import re
from itertools import combinations

import pytest

from planet.author import template as template_author
from planet.author.artifacts import LINKS, AuthorCost, CatalogTable, Context, RulePlan, SeedPlan
from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.construct import TRIES, construct
from planet.errors import BriefError
from planet.expand.derived import Derived
from planet.records.world import Brief, Column, Company, Target, World
from planet.store import read_world, write_world
from planet.synthesize import synthesize
from planet.world.session import Session
from tests.fakes import ScriptedAuthor, mute, oracle
from tests.planet.scripts import ID, reactor, template, with_reactor, with_rule

BRIEF = Brief(text="a company")


def built(catalog, script, seed=0):
    author = ScriptedAuthor(script)
    return construct(BRIEF, author, catalog, seed), author


# ── a sound author ────────────────────────────────────────────────────────────────────────────────


def test_the_template_needs_one_proposal_per_link_and_costs_nothing(catalog):
    made = construct(BRIEF, TemplateAuthor(), catalog, 1)
    assert made.world is not None
    assert [a.link for a in made.trace.attempts] == list(LINKS)
    assert all(a.problem is None and a.report == () for a in made.trace.attempts)
    assert made.trace.refused == {}
    assert made.trace.cost == AuthorCost()
    assert [r.admitted for r in made.trace.reports] == [True]


def test_equal_seeds_give_equal_worlds_and_other_seeds_other_worlds(catalog):
    one, two, other = (construct(BRIEF, TemplateAuthor(), catalog, seed) for seed in (5, 5, 6))
    assert one == two
    assert one.world.id != other.world.id


def test_the_brief_is_no_part_of_a_worlds_identity(catalog):
    one, two = (
        construct(Brief(text=text, industry="energy"), TemplateAuthor(), catalog, 5) for text in ("a", "b")
    )
    assert one.world.id == two.world.id
    assert one.world.brief != two.world.brief


def avoiding(seed: int, catalog, profile="compact", **avoided: tuple[str, ...]) -> World:
    target = Target(cells=("family:update",), quota=1, **avoided)
    world = construct(Brief(text="a", profile=profile, target=target), TemplateAuthor(), catalog, seed).world
    assert world is not None
    return world


@pytest.mark.parametrize("profile", ["compact", "library"])
def test_the_template_draws_again_what_the_brief_asks_to_avoid(profile):
    catalog = load_catalog(profile=profile)
    plain = avoiding(5, catalog, profile)
    other = avoiding(5, catalog, profile, avoid=(plain.tool_set,))
    assert other.tool_set != plain.tool_set and other.company == plain.company
    third = avoiding(5, catalog, profile, avoid_schemas=(plain.schema_digest,))
    assert third.schema_digest != plain.schema_digest
    assert avoiding(5, catalog, profile, avoid=("another",), avoid_schemas=("one",)).id == plain.id


def test_the_template_proposes_what_is_to_be_avoided_when_it_draws_nothing_else(catalog, monkeypatch):
    plain = avoiding(5, catalog)
    monkeypatch.setattr(template_author, "DRAWS", 1)
    assert avoiding(5, catalog, avoid=(plain.tool_set,)).id == plain.id


def test_wishes_of_the_brief_are_met(catalog):
    wishes = Brief(
        text="x", industry="energy", country="JP", services=("crm", "support"), resources=("ticket",)
    )
    for seed in range(5):
        world = construct(wishes, TemplateAuthor(), catalog, seed).world
        assert (world.company.industry, world.company.country, world.company.currency) == (
            "energy",
            "JP",
            "JPY",
        )
        assert {"crm", "support"} <= {s.kind for s in world.graph.services}
        assert "ticket" in world.slice


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"industry": "enrgy"}, "the catalog has no industry 'enrgy'.*energy"),
        ({"country": "XX"}, "the catalog has no country code 'XX'"),
        ({"services": ("crmm",)}, "the catalog has no kind of service 'crmm'.*crm"),
        ({"resources": ("tickt",)}, "the catalog has no resource 'tickt'.*ticket"),
    ],
)
def test_a_brief_that_names_what_there_is_not_is_refused(catalog, wish, message):
    with pytest.raises(BriefError, match=message):
        construct(Brief(text="x", **wish), TemplateAuthor(), catalog, 0)


def test_every_service_of_a_compact_world_is_reached_from_every_other(catalog):
    kinds = [service.kind for service in catalog.services]
    apart = []
    for pair in combinations(kinds, 2):
        try:
            graph = proposed_graph(Brief(text="x", services=pair), catalog, seed=0)
        except BriefError:  # a service without tools
            continue
        reached = {graph.services[0].name}
        for _ in graph.edges:
            reached |= {
                end for e in graph.edges if {e.source, e.target} & reached for end in (e.source, e.target)
            }
        if reached != {service.name for service in graph.services}:
            apart.append(pair)
    assert apart == []


def proposed_graph(brief, catalog, seed):
    context = Context(brief=brief, catalog=catalog, seed=seed, attempt=0, artifacts={})
    company, _ = TemplateAuthor().propose("company", context)
    return TemplateAuthor().propose("graph", context.replace(artifacts={"company": company}))[0]


# ── a resource of the author's own ────────────────────────────────────────────────────────────────


def test_a_custom_resource_makes_an_admitted_world_whose_tools_work(catalog, tmp_path):
    found = 0
    for seed in range(4):
        made = synthesize(BRIEF, ScriptedAuthor({"schema": [with_reactor()]}), catalog, seed)
        assert made.world is not None, made.refused
        assert "update_reactor" in {tool.name for tool in made.world.offered}
        write_world(tmp_path, made.world, made.key, made.tasks)
        assert read_world(tmp_path, made.world.id).tasks == made.tasks
        session = Session(made.world, made.key)
        for task in made.tasks:
            session.begin(task)
            oracle(session, task)
            assert session.grade().all_pass
            found += "reactor" in task.key.facets.resources
        first = session.call  # a new episode, by hand
        session.begin(made.tasks[0])
        key = made.world.seed.rows["reactor"][0][0]
        assert first("update_reactor", {"id": key, "isotope": "tritium", "flux": 3}).ok
        condition = {"column": "isotope", "op": "=", "value": "tritium"}
        assert (
            key in [row["id"] for row in first("search_reactor", {"filters": [condition]}).payload["rows"]]
            or len(made.world.seed.rows["reactor"]) > 5
        )
        assert first("get_reactor", {"id": key}).payload["flux"] == 3.0
        assert first("update_reactor", {"isotope": "protium"}).payload["id"].startswith("RXQ-")
    assert found >= 8  # tasks that are about the reactor


# ── an author that fails ──────────────────────────────────────────────────────────────────────────


def test_an_author_that_never_gives_an_artifact_ends_without_a_world_and_with_a_trace(catalog):
    made, author = built(catalog, {"schema": [mute()]})
    assert (made.world, made.key) == (None, None)
    assert [(a.link, a.attempt) for a in made.trace.attempts] == [
        ("company", 0), ("graph", 0), ("schema", 0), ("schema", 1), ("schema", 2),
    ]  # fmt: skip
    assert [a.problem for a in made.trace.attempts[2:]] == ["the model gave no JSON"] * 3
    assert all(a.artifact is None for a in made.trace.attempts[2:])
    assert made.trace.refused == {"author": 3}
    cost = made.trace.cost
    assert (cost.calls, cost.tokens, cost.dollars) == (3, 300, pytest.approx(0.03))
    assert [context.report for _, context in author.seen[3:]] == [("the model gave no JSON",)] * 2


def test_a_synthesis_of_such_an_author_is_a_refusal_and_no_error(catalog):
    made = synthesize(BRIEF, ScriptedAuthor({"company": [mute()]}), catalog, 0)
    assert (made.world, made.key, made.tasks, made.on_target) == (None, None, (), None)
    assert made.refused == {"author": 3}
    assert made.cost.calls == 3


def test_an_author_that_a_validator_refuses_every_time_stops_after_three_tries(catalog):
    made, _ = built(catalog, {"company": [template("company", currency="XXX")]})
    assert made.world is None
    assert sum(a.link == "company" for a in made.trace.attempts) == TRIES == 3
    assert made.trace.refused == {"V01": 3}
    # each try is followed by the links that were conditioned on it
    assert [a.link for a in made.trace.attempts] == list(LINKS) * 3


def test_an_author_is_told_what_the_validators_found_and_may_repair_it(catalog):
    made, author = built(catalog, {"company": [template("company", currency="XXX"), template("company")]})
    assert made.world is not None
    assert made.trace.refused == {"V01": 1}
    told = [context.report for link, context in author.seen if link == "company"]
    assert told[0] == ()
    assert len(told[1]) == 1
    assert told[1][0].startswith("V01: ")
    assert "XXX" in told[1][0]
    assert [r.admitted for r in made.trace.reports] == [False, True]


def test_only_the_link_at_fault_and_those_after_it_are_proposed_again(catalog):
    made, author = built(catalog, {"seed": [lambda c: SeedPlan(rows={}), template("seed")]})
    assert made.world is not None
    assert [link for link, _ in author.seen] == [*LINKS, "seed", "rules"]
    assert made.trace.refused["V06"] == 1


def with_history(status="plasma_phase", kind="history", of=("reactor",)):
    """The schema with a reactor of that status, and a table derived from it."""

    def line(context):
        plan = with_reactor(status=status)(context)
        return plan.replace(derived=(Derived(kind=kind, of=of),))

    return line


def test_a_history_of_a_table_of_ones_own_is_as_good_as_of_the_catalogs(catalog):
    def rows(context):
        plan = template("seed")(context)
        return plan.replace(rows={**plan.rows, "reactor_history": 6})

    made, _ = built(catalog, {"schema": [with_history()], "seed": [rows]})
    assert [a.problem for a in made.trace.attempts if a.link == "schema"] == [None]
    assert made.world.layout.resource("reactor_history").column("status").values[0] == "dormant"


def test_a_column_that_stands_twice_in_a_library_world_goes_back_too():
    twice = with_reactor(columns=(*reactor("a", "b").columns, reactor("a", "b").columns[6]))
    author = ScriptedAuthor({"schema": [twice]})
    made = construct(BRIEF.replace(profile="library"), author, load_catalog(profile="library"), 0)
    assert (made.world, made.trace.refused) == (None, {"author": 3})


def unique_at(place):
    """A script with a reactor whose column at this place may hold no value twice."""
    columns = list(reactor("a", "customer").columns)
    columns[place] = columns[place].replace(unique=True)
    return {"schema": [with_reactor(columns=tuple(columns))]}


TYPO = CatalogTable(resource="tickt", service="crm")
UNUSABLE = {
    "another link's artifact": (
        {"graph": [template("company")]}, "graph was proposed as Company; propose ServiceGraph"
    ),
    "an unknown country": (
        {"company": [template("company", country="QQ")]}, "the catalog has no country code 'QQ'"
    ),
    "an unknown table": (
        {"schema": [template("schema", tables=(TYPO,), slice=("tickt",))]},
        "the catalog has no resource 'tickt'",
    ),
    "no table": ({"schema": [template("schema", tables=())]}, "a world has 1 to 60 tables, not 0"),
    "a table twice": (
        {"schema": [template("schema", custom=(reactor("crm", "x"), reactor("crm", "x")))]},
        "table 'reactor' stands twice; rename or drop one",
    ),
    "a table without columns": (
        {"schema": [template("schema", custom=(reactor("crm", "x", columns=(ID,)),))]},
        "table 'reactor' needs an id column, then 1 to 59 more",
    ),
    "two id columns": (
        {"schema": [with_reactor(columns=(ID, *reactor("a", "b").columns[1:3], ID.replace(name="serial")))]},
        "table 'reactor' has the id columns 'id' and 'serial'; make the second a text",
    ),
    "a column twice": (
        {"schema": [with_reactor(columns=(*reactor("a", "b").columns, reactor("a", "b").columns[6]))]},
        "table 'reactor' has column 'quench_date' twice; rename or drop one",
    ),
    "a second reference to a table": (
        {"schema": [with_reactor(columns=(
            *reactor("a", "customer").columns, Column(name="payer_id", type="ref", ref="customer"),
        ))]},
        "column reactor.payer_id is a second reference to 'customer'; drop one of them",
    ),
    "a unique number": (unique_at(4), "column reactor.flux: unique is for text columns, not for amount"),
    "a unique enum": (unique_at(3), "column reactor.isotope: unique is for text columns, not for enum"),
    "a unique date": (unique_at(6), "column reactor.quench_date: unique is for text columns, not for date"),
    "a unique reference": (unique_at(7), "column reactor.owner_ref: unique is for text columns, not for ref"),
    "a history of what is no status": (
        {"schema": [with_history(status="temper")]},
        "'reactor_history' repeats reactor.temper, which is no enum of it",
    ),
    "a history of a status that is a text": (
        {"schema": [with_history(status="nickname")]},
        "'reactor_history' repeats reactor.nickname, which is no enum of it",
    ),
    "a link of a table with itself": (
        {"schema": [with_history(kind="link", of=("reactor", "reactor"))]},
        "'reactor_reactor_link' joins 'reactor' with itself; name two tables",
    ),
    "references in a circle": (
        {"schema": [template("schema", custom=(
            reactor("crm", "core"), reactor("crm", "reactor", name="core", prefix="COR"),
        ))]},
        "the references of core, reactor form a cycle; drop one of them",
    ),
    "a slice of what there is not": (
        {"schema": [template("schema", slice=("moon",))]},
        "the slice names 'moon', which is no table of the world",
    ),
    "an enum without values": (
        {"schema": [with_reactor(columns=(ID, reactor("a", "b").columns[2].replace(values=())))]},
        "column reactor.plasma_phase: an enum needs values",
    ),
    "an unknown pool": (
        {"schema": [with_reactor(columns=(ID, reactor("a", "b").columns[1].replace(pool="poems")))]},
        "column reactor.nickname: no text pool 'poems'; use one of ",
    ),
    "bounds without end": (
        {"schema": [with_reactor(columns=(ID, reactor("a", "b").columns[4].replace(high=float("inf"))))]},
        "column reactor.flux: bounds 0 to inf are no range",
    ),
    "a billion rows": (
        {"seed": [lambda c: SeedPlan(rows={"customer": 10**9})]},
        "table 'customer' is given 1000000000 rows; give 0 to 5000",
    ),
    "fewer than no rows": (
        {"seed": [lambda c: SeedPlan(rows={"customer": -1})]},
        "table 'customer' is given -1 rows; give 0 to 5000",
    ),
    "a rule on an unknown table": (
        {"rules": [with_rule(effect_table="moon")]}, "rule 1: there is no table 'moon'; tables are "
    ),
    "a rule on an unknown column": ({"rules": [with_rule(column="moon")]}, "rule 1: table "),
    "a rule through an unknown link": ({"rules": [with_rule(effect_link="moon")]}, "has no column 'moon'"),
    "a trigger that is no value": ({"rules": [with_rule(value="moon")]}, "with 'moon' among them"),
    "an effect that is no value": (
        {"rules": [with_rule(effect_value="moon")]}, "is no enum with 'moon' among its values"
    ),
    "a million distractors": (
        {"rules": [template("rules", distractors=10**6)]}, "1000000 distractor pages; ask for 0 to 50"
    ),
    "a hundred rules": (
        {"rules": [lambda c: RulePlan(rules=template("rules")(c).rules * 50)]},
        "100 rules; state at most 60",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", UNUSABLE)
def test_an_artifact_of_which_no_world_can_be_made_goes_back_with_the_reason(catalog, what):
    script, message = UNUSABLE[what]
    made, author = built(catalog, script)
    assert made.world is None
    (link,) = script
    tries = [a for a in made.trace.attempts if a.link == link]
    assert len(tries) == 3
    assert all(message in a.problem and a.artifact is not None for a in tries)
    assert made.trace.refused == {"author": 3}
    assert message in author.seen[-1][1].report[0]


@pytest.mark.parametrize("answer", [None, {}, "x", (None, AuthorCost()), ({}, AuthorCost()), (mute(), None)])
def test_an_author_that_returns_anything_else_is_refused_with_what_it_should_return(catalog, answer):
    class Other(TemplateAuthor):
        def propose(self, link, context):
            return answer

    made = construct(BRIEF, Other(), catalog, 0)
    assert made.world is None and made.trace.refused == {"author": 3} and not made.trace.valid
    assert all(re.search("(return|propose) Company", a.problem) for a in made.trace.attempts)


ODD_NAMES = ["", "documents", 'x"; DROP TABLE customer; --', "sqlite_master", "a b", "ünïcode", "x" * 5000]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_an_odd_name_of_a_table_is_refused_and_breaks_nothing(catalog, name):
    made, _ = built(catalog, {"schema": [with_reactor(name=name)]})
    assert made.world is None
    assert made.trace.refused["V03"] == 3


@pytest.mark.parametrize("name", ODD_NAMES)
def test_an_odd_name_of_a_column_is_refused_or_works(catalog, name):
    def line(context):
        plan = with_reactor()(context)
        table = plan.custom[0]
        columns = tuple(c.replace(name=name) if c.name == "flux" else c for c in table.columns)
        return plan.replace(custom=(table.replace(columns=columns),))

    made = synthesize(BRIEF, ScriptedAuthor({"schema": [line]}), catalog, 0)
    assert made.world is not None or made.refused["V03"] == 3


def test_a_company_of_untrusted_words_is_refused(catalog):
    script = Company(
        name="<script>\x00", industry="energy", description="", country="JP", currency="JPY", locale="ja_JP",
        time_zone="Asia/Tokyo",
    )  # fmt: skip
    made, _ = built(catalog, {"company": [script]})
    assert made.world is None
    assert made.trace.refused == {"V01": 3}


def test_a_named_resource_without_a_partner_in_the_profile_takes_one_outside_it(catalog):
    for seed in range(8):
        made = construct(Brief(text="people", resources=("absence",)), TemplateAuthor(), catalog, seed)
        assert made.world is not None
        assert "absence" in made.world.slice
