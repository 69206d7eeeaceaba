"""What a model is told about sizes is what worlds have: measured anew on the template's."""

import re
from pathlib import Path

import pytest

from planet.author.artifacts import LINKS, Context, Link, RulePlan, SchemaPlan, SeedPlan
from planet.author.llm.estimate import cost_of_a_world
from planet.author.llm.facts import facts_for
from planet.author.llm.settings import Settings
from planet.author.sizes import SIZES
from planet.catalog import load_catalog
from planet.language_model.settings import CHARACTERS_PER_TOKEN
from planet.records.world import Brief, Profile, ServiceGraph
from tests.planet.llm_replies import chain

WORLDS = 40
PROFILES: tuple[Profile, ...] = ("compact", "library")
PAGE = Path(__file__).parents[2] / "docs" / "authors.md"


def measured(profile: Profile) -> dict[str, list[int]]:
    """Each size over the template's worlds, sorted; `rows` over all tables of all worlds."""
    catalog, found = load_catalog(profile=profile), dict[str, list[int]]()
    for seed in range(WORLDS):
        made = chain(catalog, Brief(text="A company.", profile=profile), seed)
        graph, plan, rows, rules = made["graph"], made["schema"], made["seed"], made["rules"]
        assert isinstance(graph, ServiceGraph) and isinstance(plan, SchemaPlan)
        assert isinstance(rows, SeedPlan) and isinstance(rules, RulePlan)
        sizes = {
            "services": [len(graph.services)],
            "tables": [len(plan.tables)],
            "derived": [len(plan.derived)],
            "slice": [len(plan.slice)],
            "rows": list(rows.rows.values()),
            "total": [sum(rows.rows.values())],
            "rules": [len(rules.rules)],
            "distractors": [rules.distractors],
        }
        for name, values in sizes.items():
            found.setdefault(name, []).extend(values)
    return {name: sorted(values) for name, values in found.items()}


@pytest.mark.parametrize("profile", PROFILES)
def test_the_sizes_that_a_model_is_told_are_those_of_the_templates_worlds(profile: Profile) -> None:
    told, found = SIZES[profile], measured(profile)
    for name in ("services", "tables", "derived", "slice", "rows"):
        values = found[name]
        middle = (values[len(values) // 20], values[-1 - len(values) // 20])  # of the middle nine tenths
        for said, seen in zip(getattr(told, name), middle, strict=True):
            assert abs(said - seen) <= max(1, 0.15 * seen), f"{name}: told {said}, measured {seen}"
    assert abs(told.rules - sum(found["rules"]) / WORLDS) <= 1
    assert {told.distractors} == {*found["distractors"]}
    if told.total is not None:
        assert told.total == pytest.approx(sum(found["total"]) / WORLDS, rel=0.05)


def asked(profile: Profile, link: Link) -> str:
    catalog, brief = load_catalog(profile=profile), Brief(text="A company.", profile=profile)
    made = chain(catalog, brief)
    before = {other: made[other] for other in LINKS[: LINKS.index(link)]}
    return facts_for(link, Context(brief=brief, catalog=catalog, seed=0, attempt=0, artifacts=before))


def test_a_model_is_told_every_size_of_a_library_world() -> None:
    assert "Choose 13 to 14 services." in asked("library", "graph")
    schema = asked("library", "schema")
    assert "Choose 15 to 20 tables in all, and 2 to 6 of them for the slice." in schema
    assert "Name 11 to 16 tables in `derived` besides" in schema
    assert "Give each of these tables 25 to 230 rows, about 2,900 in all: " in asked("library", "seed")
    assert "State 15 rules and 6 distractors." in asked("library", "rules")


def test_a_model_is_told_of_no_derived_tables_in_a_compact_world() -> None:
    assert "`derived`" not in asked("compact", "schema")
    assert "Give each of these tables 8 to 14 rows: " in asked("compact", "seed")


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mode", ["bare", "recipe"])
def test_the_length_of_the_prompts_is_what_the_page_says(profile: Profile, mode: str) -> None:
    line = re.search(rf"^\| {profile}, `{mode}` \| ([\d,]+) \| ([\d,]+) \|$", PAGE.read_text("utf-8"), re.M)
    assert line is not None, f"docs/authors.md does not tell the prompts of {profile}, {mode}"
    cost = cost_of_a_world(Settings(model="m", mode=mode), load_catalog(profile=profile), profile)
    told = [int(number.replace(",", "")) for number in line.groups()]
    assert told == pytest.approx([cost.tokens_in, cost.tokens_out], rel=0.1)
    assert CHARACTERS_PER_TOKEN == 4  # as the page says
