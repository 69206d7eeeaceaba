"""The eight families: what they ask, that their plans work, and that nothing else is rewarded."""

import re

import pytest

from planet.author.template import TemplateAuthor
from planet.identity import stream
from planet.records.world import Brief, Difficulty, Target
from planet.synthesize import Synthesis, synthesize
from planet.tasks.families import FAMILIES
from planet.tasks.grow import assemble
from planet.tasks.phrasing import COMPACT, phrasings
from planet.tasks.situation import Situation
from planet.world.session import Session
from tests.fakes import play

LOOKS = {  # reads that an agent cannot do without, by family; a rule adds its page, a search the row
    "update": {0},
    "create": {0},
    "two_hop": {1, 2},
    "lookup": {1},
    "disambiguate": {1},
    "conditional": {1},
    "propagate": {2, 3},
    "repair": {2, 3},
}


@pytest.fixture(scope="module")
def sessions(dozen):
    return {made.world.id: Session(made.world, made.key, turns=None) for made in dozen}


def outcome(sessions, task, plan):
    session = sessions[task.key.world_id]
    session.begin(task)
    play(session, plan)
    grade = session.grade()
    return grade.reward, grade.all_pass, grade.collateral


def test_every_family_occurs_among_twelve_worlds(every_task):
    assert {task.key.facets.family for _, task in every_task} == set(FAMILIES)


def test_oracle_and_alternative_earn_1_on_every_task(sessions, every_task):
    for _, task in every_task:
        assert outcome(sessions, task, task.key.oracle) == (1.0, True, ())
        assert outcome(sessions, task, task.key.alternative) == (1.0, True, ())
        assert task.key.alternative != task.key.oracle


def test_doing_nothing_and_reading_everything_earn_0_on_every_task(sessions, every_task):
    for made, task in every_task:
        session = sessions[made.world.id]
        session.begin(task)
        assert (session.grade().reward, session.grade().score) == (0.0, session.grade().floor)
        for tool in task.view.tools:
            if tool.operation == "list":
                for page in (1, 2, 3):
                    session.call(tool.name, {"page": page})
                for row in made.world.seed.rows[tool.resource]:
                    session.call(f"get_{tool.resource}", {"id": row[0]})
        for document in made.world.documents:
            session.call("search_documents", {"query": document.title})
            session.call("get_document", {"id": document.id})
        grade = session.grade()
        assert (grade.raw_reward, grade.score, grade.all_pass) == (0.0, grade.floor, False)


def test_leaving_out_any_required_write_fails_every_task(sessions, every_task):
    for _, task in every_task:
        oracle = task.key.oracle
        for index, call in enumerate(oracle):
            if call.required:
                reward, passed, _ = outcome(sessions, task, oracle[:index] + oracle[index + 1 :])
                assert reward < 1.0
                assert not passed


def test_every_task_fits_the_compact_world(every_task):
    for made, task in every_task:
        assert 2 <= len(task.key.assertions) + len(task.key.at_stake) <= 4
        assert len(task.key.oracle) + 1 <= 8
        assert len(task.view.tools) in (10, 14)
        assert task.view.tools == made.world.offered


def test_facets_say_what_the_oracle_does(every_task):
    for _, task in every_task:
        facets, reads = task.key.facets, [c for c in task.key.oracle if not c.required]
        assert facets.hops == len(reads)
        assert facets.hops in LOOKS[facets.family]
        assert set(facets.tools) == {c.tool for c in task.key.oracle}
        assert (facets.pattern is not None) == bool(task.key.at_stake)
        assert (facets.pattern is not None) == (facets.family in ("propagate", "repair"))


def test_instructions_are_lower_case_words_with_bare_ids_and_quoted_names(every_task):
    word = re.compile(r'[a-z]+|[A-Z]{2,4}-\d{4,}|\d{4}-\d{2}-\d{2}|-?\d+(\.\d+)?|[,.:]|"[^"]+"')
    for _, task in every_task:
        parts = re.findall(r'"[^"]+"|\S+', task.view.instruction)
        assert all(word.fullmatch(part) for part in parts), task.view.instruction
        assert len(parts) <= 40


def test_a_rule_is_never_told_by_the_instruction(every_task):
    for made, task in every_task:
        for rule in made.key.invariants:
            if rule.id in task.key.at_stake:
                effect = f"{rule.effect_column.replace('_', ' ')} to {rule.effect_value.replace('_', ' ')}"
                assert effect not in task.view.instruction or rule.table == rule.effect_table
                assert "policy" in task.view.instruction


def test_every_family_has_several_phrasings_and_all_of_them_can_be_said(dozen):
    assert phrasings().keys() == FAMILIES.keys()
    assert all(len(lines) >= 6 for lines in phrasings().values())
    said = {task.key.facets.template for made in dozen for task in made.tasks}
    for made in dozen:
        for number in range(40):
            rng = stream("phrasings", made.world.id, number)
            family = list(FAMILIES)[number % 8]
            draft = FAMILIES[family](Situation(made.world, made.key, rng, Difficulty()))
            if draft:
                said.add(assemble(draft, made.world, rng).key.facets.template)
    assert said == {f"{f}-{n + 1}" for f in phrasings() for n in range(COMPACT)}


def test_two_hops_are_followed_where_asked_for_and_possible(dozen):
    hops = set()
    for made in dozen:
        for number in range(30):
            rng = stream("hops", number)
            draft = FAMILIES["two_hop"](Situation(made.world, made.key, rng, Difficulty(hops=2)))
            if draft:
                hops.add(draft.hops)
    assert 2 in hops


def test_equal_streams_draft_equal_tasks(dozen):
    world, key = dozen[0].world, dozen[0].key
    for family, draw in FAMILIES.items():
        one, two = (draw(Situation(world, key, stream("draft", family), Difficulty())) for _ in range(2))
        assert one == two


EASY = Difficulty(distractors=0, columns=1, cited=True)


@pytest.fixture(scope="module")
def easy(catalog) -> dict[str, Synthesis]:
    """One world per family whose first five tasks are the easiest of that family."""
    made = {}
    for number, family in enumerate(FAMILIES):
        target = Target(cells=(f"family:{family}",), quota=5, difficulty=EASY)
        made[family] = synthesize(Brief(text="a", target=target), TemplateAuthor(), catalog, 40 + number)
    return made


def test_easy_tasks_of_every_family_pass_their_audit_and_set_one_column(easy):
    for family, made in easy.items():
        assert [task.key.facets.family for task in made.tasks[:5]] == [family] * 5
        for task in made.tasks[:5]:
            writes = [call for call in task.key.oracle if call.required]
            trigger = writes[0]  # a policy's effect is a second write, to another record
            link = 1 if family == "create" or "id" not in trigger.arguments else 0
            named = set(trigger.arguments) - {"id"}
            assert len(named) == 1 + link, (family, trigger)
            assert len(writes) == (2 if family == "propagate" else 1)


def test_a_cited_page_is_named_by_the_instruction_and_not_searched_for(easy):
    for family in ("propagate", "repair"):
        for task in easy[family].tasks[:5]:
            tools = [call.tool for call in task.key.oracle]
            page = next(call.arguments["id"] for call in task.key.oracle if call.tool == "get_document")
            assert page in task.view.instruction.split() and "search_documents" not in tools


def test_a_part_of_a_phrasing_is_left_out_with_its_field_and_only_then(easy, every_task):
    said = [task.view.instruction for made in easy.values() for task in made.tasks]
    said += [task.view.instruction for _, task in every_task]
    assert not any(mark in text for text in said for mark in "[]{}")
    assert any(" and its " in text for text in said)
