"""Authors measured on the same briefs: success, validators, cost, and a test between two of them."""

import json

import pytest

from planet.author.artifacts import AuthorCost
from planet.author.template import TemplateAuthor
from planet.author_eval.__main__ import main
from planet.author_eval.briefs import read_briefs
from planet.author_eval.comparison import Comparison, compare, wilson
from planet.author_eval.measure import Evaluation, Outcome, evaluate, outcome_of, traces_of
from planet.author_eval.text import told, told_apart
from planet.catalog import load_catalog
from planet.construct import construct
from planet.errors import AuthorUnavailable, BriefError
from planet.records.world import Brief
from planet.traces import read_traces
from tests.fakes import ScriptedAuthor, mute
from tests.planet.llm_replies import replying, sound
from tests.planet.llm_scripts import scripted
from tests.planet.scripts import template

BRIEFS = tuple(Brief(text=text) for text in ("a bakery", "a bank", "a harbour"))


def evaluated(author, catalog, briefs=BRIEFS, jobs=1):
    return evaluate(author, None, briefs, traces_of(author, briefs, catalog, seed=0, jobs=jobs))


def outcomes(admitted, count):
    cost = AuthorCost(calls=6, tokens_in=900, tokens_out=100, dollars=0.5)
    return tuple(
        Outcome(
            number=n, admitted=n < admitted, passed=12 if n < admitted else 6, proposals=6,
            ends=() if n < admitted else (("V08", "rules"),), fired={"V08": 1},
            problem=None if n < admitted else "V08: collapsed", cost=cost,
        )
        for n in range(count)
    )  # fmt: skip


def evaluation(admitted, count):
    return Evaluation(author="x", mode="bare", briefs=count, outcomes=outcomes(admitted, count))


# ── what becomes of a brief ───────────────────────────────────────────────────────────────────────


def test_an_admitted_world_passed_all_twelve_after_five_proposals(catalog):
    outcome = outcome_of(3, construct(BRIEFS[0], TemplateAuthor(), catalog, 0).trace)
    assert (outcome.number, outcome.admitted, outcome.passed, outcome.proposals) == (3, True, 12, 5)
    assert (outcome.ends, outcome.fired, outcome.problem) == ((), {}, None)


def test_a_world_that_is_refused_to_the_end_names_validator_link_and_finding(catalog):
    author = ScriptedAuthor({"company": [template("company", currency="XXX")]})
    outcome = outcome_of(0, construct(BRIEFS[0], author, catalog, 0).trace)
    assert (outcome.admitted, outcome.passed) == (False, 11)  # all but V01
    assert outcome.ends == (("V01", "company"),)
    assert outcome.fired == {"V01": 3}
    assert outcome.problem.startswith("V01: currency 'XXX' does not fit")


def test_an_author_without_a_usable_proposal_ends_at_its_link_with_no_validator_passed(catalog):
    outcome = outcome_of(0, construct(BRIEFS[0], ScriptedAuthor({"schema": [mute()]}), catalog, 0).trace)
    assert (outcome.passed, outcome.ends, outcome.fired) == (0, (("author", "schema"),), {"author": 3})
    assert outcome.problem == "the model gave no JSON"


def test_a_brief_that_the_author_finds_no_world_for_is_a_failure_and_the_others_go_on(catalog):
    briefs = (Brief(text="x", resources=("customer", "moon")), *BRIEFS[:1])
    found = evaluated(TemplateAuthor(), catalog, briefs)
    assert [o.admitted for o in found.outcomes] == [False, True]
    assert found.outcomes[0].problem == "the brief cannot be met"


def test_the_number_of_threads_changes_nothing(catalog):
    author = TemplateAuthor()
    assert evaluated(author, catalog, jobs=3) == evaluated(author, catalog)


def test_a_budget_that_ends_leaves_what_was_measured_and_says_so(catalog):
    author = scripted(replying(sound(catalog, Brief(text="A company."))), budget={"calls": 7})
    found = evaluated(author, catalog)
    assert [o.admitted for o in found.outcomes] == [True]  # 5 calls; the second world needs 5 more
    assert found.stopped.startswith("the budget of author scripted is used up: 7 of 7 calls")


def test_an_endpoint_that_fails_is_no_failure_of_the_author(catalog):
    def line(request):
        raise AuthorUnavailable("the endpoint is down")

    found = evaluated(scripted(line), catalog)
    assert (found.outcomes, found.stopped) == ((), "the endpoint is down")
    assert told(found) == ["author scripted: 0 of 3 briefs tried", "  stopped early: the endpoint is down"]


# ── numbers ───────────────────────────────────────────────────────────────────────────────────────


def test_the_numbers_follow_from_the_outcomes():
    found = evaluation(2, 5)
    assert found.admitted == 2
    assert found.passed == pytest.approx(8.4)  # (2 x 12 + 3 x 6) / 5
    assert found.ends == {("V08", "rules"): 3}
    assert found.fired == {"V08": 5}
    lines = "\n".join(told(found))
    assert "author x, mode bare: 5 of 5 briefs tried" in lines
    assert "2 of 5, 40.0% (95 % interval 11.8% to 76.9%)" in lines
    # 5 x 6 calls, 5 x 1,000 tokens and 2.5 dollars over 2 worlds
    assert "per admitted world 15.0 calls, 2,500 tokens, 1.2500 dollars" in lines
    assert "V08 at rules: 3 (not so: every trigger and its effect lie in different services)" in lines
    assert "brief 3, rules: V08: collapsed" in lines


def test_nothing_admitted_has_no_cost_per_world():
    assert "no world was admitted" in "\n".join(told(evaluation(0, 2)))


def test_two_authors_are_compared_brief_by_brief():
    # all of 10 briefs that tell them apart fall to one side: 2 x (1/2)^10
    found = compare(evaluation(30, 40), evaluation(20, 40))
    assert (found.briefs, found.admitted, found.alone) == (40, (30, 20), (10, 0))
    assert found.p == pytest.approx(2 / 1024)
    assert compare(evaluation(1, 3), evaluation(2, 3)).p == pytest.approx(1.0)  # a single one
    assert compare(evaluation(2, 3), evaluation(2, 3)).p == 1.0  # none
    assert compare(evaluation(1, 3), evaluation(0, 0)) is None
    line = told_apart(Comparison(briefs=4, admitted=(3, 0), alone=(3, 0), p=0.25), ("a (bare)", "b"))
    assert line == (
        "a (bare) 75.0% against b 0.0% of 4 briefs, 3 and 0 of them alone: "
        "McNemar's exact test, two-sided, p = 0.25"
    )


def test_briefs_that_only_one_author_has_tried_are_left_out_of_the_comparison():
    # the second stopped after 2 of 3 briefs: the first has 2 of these 2 admitted, not 2 of 3
    assert compare(evaluation(2, 3), evaluation(1, 2)) == Comparison(
        briefs=2, admitted=(2, 1), alone=(1, 0), p=1.0
    )


def test_wilsons_interval_has_its_known_values_and_limits():
    # 10 of 20: centre 1/2, half width 1.96 x sqrt(1/80 + 1.96²/1600) / (1 + 1.96²/20) = 0.2007
    assert wilson(10, 20) == pytest.approx((0.2993, 0.7007), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10)[0] == pytest.approx(0.0, abs=1e-12)
    assert wilson(10, 10)[1] == pytest.approx(1.0)


# ── files and command ─────────────────────────────────────────────────────────────────────────────


def test_briefs_are_read_in_words_and_as_json(tmp_path, catalog):
    path = tmp_path / "briefs.txt"
    path.write_text('a Brazilian hospital\n\n# not this one\n{"text": "x", "industry": "energy"}\n')
    first, second = read_briefs(path, catalog, "library")
    assert (first.country, first.industry, first.profile) == ("BR", "healthcare", "library")
    assert (second.industry, second.profile) == ("energy", "compact")


def test_each_brief_takes_its_part_of_the_catalog(tmp_path):
    path = tmp_path / "briefs.txt"
    path.write_text('{"text": "x", "industry": "aviation", "profile": "library"}\n{"text": "y"}\n')
    whole = load_catalog(profile="library")
    large, small = read_briefs(path, whole, "compact")
    made = evaluated(TemplateAuthor(), whole, (large, small))
    assert [outcome.admitted for outcome in made.outcomes] == [True, True]
    path.write_text('{"text": "x", "industry": "aviation"}')
    with pytest.raises(BriefError, match=r"line 1: .* ask for one with --profile library"):
        read_briefs(path, whole, "compact")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no brief; write one a line"),
        ('a bank\n{"text": "x", "industri": "energy"}', "line 2: industri: Extra inputs are not permitted"),
        (
            '{"text": "x", "industry": "enrgy"}',
            "line 1: the brief cannot be met: the catalog has no industry",
        ),
        ('{"text": ', "line 1: the JSON: Invalid JSON"),
        ("x" * 30_000, "line 1: the line has 30,000 characters; at most 20,000 are read"),
    ],
)
def test_a_brief_that_cannot_be_read_is_named_by_its_line(tmp_path, catalog, content, message):
    path = tmp_path / "briefs.txt"
    path.write_text(content)
    with pytest.raises(BriefError, match=message):
        read_briefs(path, catalog, "compact")


def test_the_command_prints_and_writes_numbers_and_traces(tmp_path, capsys):
    (tmp_path / "briefs.txt").write_text("a bakery\na bank with loans\n")
    args = ["--briefs", str(tmp_path / "briefs.txt"), "--out", str(tmp_path / "out"), "--seed", "3"]
    assert main(["--model", "template", "--against", "template", *args]) == 0
    shown = capsys.readouterr().out
    assert shown.count("admitted           2 of 2, 100.0%") == 2
    assert ", 0 and 0 of them alone: McNemar's exact test, two-sided, p = 1" in shown
    content = json.loads((tmp_path / "out" / "author_eval.json").read_text())
    assert [e["outcomes"][1]["passed"] for e in content["evaluations"]] == [12, 12]
    assert content["comparison"]["p"] == 1.0
    assert len(list(read_traces(tmp_path / "out"))) == 4
    assert [p.name for p in tmp_path.rglob("*.part")] == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--model", "template", "--briefs", "nowhere.txt"], "nowhere.txt: cannot be read"),
        (["--model", "x", "--briefs", "nowhere.txt", "--mode", "chatty"], "invalid choice: 'chatty'"),
        (["--briefs", "nowhere.txt"], "the following arguments are required: --model"),
    ],
)
def test_wrong_use_is_one_line(capsys, args, message):
    try:
        code = main(args)
    except SystemExit as ended:
        code = ended.code
    shown = capsys.readouterr().err
    assert code == 2
    assert message in shown
    assert shown.count("\n") == 1
