"""The study of what the checks see: each way is a corruption that its check finds, and a miss is told."""

import csv
import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from planet.author.llm.author import LLMAuthor
from planet.catalog import load_catalog
from planet.construct import construct
from planet.construction.ground import numbered_ground
from planet.expand.rules import check_sql, rule_of
from planet.identity import stream
from planet.mutations.__main__ import main
from planet.mutations.breach import breach
from planet.mutations.collapse import ScriptedModel, collapsed, collapses, repaired, told
from planet.mutations.matrix import Line, by_way, matrix, verdict
from planet.mutations.study import CHECKS, study
from planet.mutations.tasks import TASK_WAYS
from planet.mutations.trial import Outcome, Trial, try_world
from planet.mutations.worlds import WORLD_WAYS
from planet.tasks.audit_rules import RULES
from planet.tasks.draft import read, write
from planet.validators import VALIDATORS, validate
from planet.validators.rules import rules_cross_services
from planet.validators.subject import Subject
from tests.planet.llm_server import serving
from tests.planet.test_audit import Case, audited
from tests.planet.toy_tasks import exists, ticket_task, toy_task
from tests.planet.worlds import (
    CUSTOMER,
    DOCUMENTS,
    PAUSED,
    TICKET,
    VIP,
    changed,
    layout,
    toy_world,
    with_column,
)

REPEATS = int(os.environ.get("COLLAPSE_REPEATS", "2"))
"""Collapses over HTTP; COLLAPSE_REPEATS=100 for the full count."""


@pytest.fixture(scope="module")
def grounds():
    """Three sound worlds."""
    catalog = load_catalog(None, "compact")
    return [numbered_ground(catalog, 3, number, "compact") for number in range(3)]


def outcome(check="V07", way="an id in small letters", fired=("V07",), number=0):
    return Outcome(
        check=check, way=way, number=number, world_id=f"w{number}", industry="retail", task_id=None,
        fired=fired, message="told" if check in fired else "",
    )  # fmt: skip


# ── the ways ──────────────────────────────────────────────────────────────────────────────────────


def test_every_check_has_several_ways_to_be_offended():
    assert list(WORLD_WAYS) == [v.name for v in VALIDATORS]
    assert sorted(TASK_WAYS) == [rule.name for rule in RULES]
    assert min(len(ways) for ways in (WORLD_WAYS | TASK_WAYS).values()) >= 3


def test_the_page_on_worlds_lists_every_way():
    page = (Path(__file__).parents[2] / "docs" / "worlds.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| ([VA]\d\d) \| (.+ · .+) \|$", page, re.MULTILINE))
    assert listed == {check: " · ".join(ways) for check, ways in (WORLD_WAYS | TASK_WAYS).items()}


@pytest.mark.parametrize("check", WORLD_WAYS)
def test_a_way_changes_the_world_or_its_key_and_its_validator_sees_it(grounds, check):
    afforded = Counter()
    for name, way in WORLD_WAYS[check].items():
        for ground in grounds:
            made = way(ground, stream("way", name, ground.world.id))
            if made is not None:
                afforded[name] += 1
                assert made != (ground.world, ground.key), name
                assert check in validate(*made, ground.catalog).fired, name
    assert len(afforded) >= 3


def test_equal_draws_corrupt_equally(grounds):
    ground = grounds[0]
    for ways in WORLD_WAYS.values():
        for name, way in ways.items():
            first, second = (way(ground, stream("again", name)) for _ in range(2))
            assert first == second, name


def test_a_breach_breaks_the_rule_of_either_pattern_in_the_rows(grounds):
    for ground in grounds:
        for rule in ground.key.invariants:
            edits = breach(ground.world, rule, stream("breach", rule.id))
            assert edits is not None
            assert edits[0].values == {rule.column: rule.value}
            assert all(edit.values[rule.effect_column] != rule.effect_value for edit in edits[1:])
            assert rule.pattern == "record_required" or len(edits) > 1


# ── one world, and the study ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("part", ["validators", "rules"])
def test_a_world_gives_at_most_one_case_a_check_and_each_is_seen(part):
    outcomes = [o for number in range(2) for o in try_world(Trial(part, 5, number, "compact", CHECKS[part]))]
    assert max(Counter((o.check, o.number) for o in outcomes).values()) == 1
    assert [(o.check, o.way, o.fired) for o in outcomes if not o.seen] == []
    assert all(o.message for o in outcomes)
    assert {o.task_id is None for o in outcomes} == {part == "validators"}


def test_the_earliest_worlds_count_until_each_check_has_its_cases_whatever_the_order_of_rounds(monkeypatch):
    """V04 is afforded by every third world only: with 2 cases a check, worlds 0, 1 serve the others."""

    def one(trial):
        return [
            outcome(check, fired=(check,), number=trial.number)
            for check in trial.checks
            if check != "V04" or trial.number % 3 == 0
        ]

    monkeypatch.setattr("planet.mutations.study.try_world", one)
    found = study("validators", 2, 0, "compact", 1, lambda outcomes, what, worlds: outcomes)
    assert len(found) == 12 * 2
    assert [o.number for o in found if o.check == "V04"] == [0, 3]
    assert [o.number for o in found if o.check == "V05"] == [0, 1]


def test_a_check_that_no_world_affords_ends_the_study_in_a_remedy(monkeypatch):
    monkeypatch.setattr("planet.mutations.study.try_world", lambda trial: [])
    with pytest.raises(Exception, match=r"too few worlds can be corrupted for V01, .*; take another --seed"):
        study("validators", 1, 0, "compact", 1, lambda outcomes, what, worlds: outcomes)


# ── counting ──────────────────────────────────────────────────────────────────────────────────────

THREE = [outcome(), outcome(fired=("V07", "V10"), number=1), outcome("V10", "x", ("V06",), 2)]


def test_a_line_counts_cases_seen_alone_and_what_fired():
    first, second = matrix(THREE, ("V06", "V07", "V10"))
    assert first == Line("V07", cases=2, seen=2, alone=1, fired=(0, 2, 1))
    assert second == Line("V10", cases=1, seen=0, alone=0, fired=(1, 0, 0))


def test_a_check_that_was_not_checked_has_not_seen():
    assert not outcome(fired=()).seen
    assert not outcome(fired=("V06",)).alone


def test_the_verdict_and_the_ways_add_up():
    assert verdict(THREE) == ("2 of 3 corruptions were seen by the check meant to see them; 1 by it alone")
    assert by_way(THREE) == {
        "V07": {"an id in small letters": {"cases": 2, "seen": 2, "alone": 1}},
        "V10": {"x": {"cases": 1, "seen": 0, "alone": 0}},
    }


# ── the command ───────────────────────────────────────────────────────────────────────────────────


def test_the_command_writes_matrix_cases_and_tables_and_ends_with_the_verdict(tmp_path, capsys):
    args = ["--out", str(tmp_path), "--per-check", "1", "--audit", "--collapse", "1", "--seed", "2"]
    assert main(args) == 0
    names = ["collapse.csv", "mutations.json", "mutations.md"]
    names += [f"{part}.{kind}.csv" for part in ("rules", "validators") for kind in ("cases", "confusion")]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == told(collapses(1, 2, "compact"))
    assert said[-1].startswith("25 of 25 corruptions were seen by the check meant to see them; ")  # 12 + 13
    table = list(csv.DictReader((tmp_path / "rules.confusion.csv").open()))
    assert [row["intended"] for row in table] == [rule.name for rule in RULES]
    assert all(row["cases"] == row["seen"] == row[row["intended"]] == "1" for row in table)
    cases = list(csv.DictReader((tmp_path / "validators.cases.csv").open()))
    assert [case["check"] for case in cases] == [v.name for v in VALIDATORS]
    summary = json.loads((tmp_path / "mutations.json").read_text())
    assert summary["rules"]["cases"] == summary["rules"]["seen"] == 13
    assert "| V07 | 1 | 1 |" in (tmp_path / "mutations.md").read_text()


def test_a_corruption_that_its_check_misses_is_named_and_ends_in_exit_code_1(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(WORLD_WAYS, "V07", {"nothing at all": lambda ground, rng: (ground.world, ground.key)})
    assert main(["--out", str(tmp_path), "--per-check", "1"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "missed by V07: nothing at all in world 0; fired: nothing"
    assert said[-1].startswith("11 of 12 corruptions were seen")


@pytest.mark.slow
def test_the_number_of_processes_changes_no_byte(tmp_path):
    for jobs in ("1", "2"):
        args = ["--out", str(tmp_path / jobs), "--per-check", "2", "--audit", "--jobs", jobs]
        assert main(args) == 0
    for path in (tmp_path / "1").iterdir():
        assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "the following arguments are required: --out"),
        (["--out", "x", "--per-check", "0"], "'0' is no whole number of 1 or more"),
        (["--out", "x", "--profile", "huge"], "invalid choice: 'huge'"),
        (["--out", __file__], "is no folder; name another with --out"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(capsys, args, message):
    try:
        code = main(args)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    told_so = capsys.readouterr().err
    assert message in told_so and told_so.count("\n") == 1


# ── the collapse ──────────────────────────────────────────────────────────────────────────────────


def test_a_rule_collapsed_into_one_service_is_caught_and_repaired_from_the_report_alone():
    found = collapses(3, 0, "compact")
    assert [(c.caught, c.repaired, c.proposals) for c in found] == [(True, True, 2)] * 3
    assert told(found) == (
        "3 of 3 rules collapsed into one service were caught, and 3 repaired from the report alone, "
        "3 of them at once"
    )


def test_the_repair_is_a_function_of_the_last_answer_and_of_the_report_on_it():
    said = json.dumps({"rules": [{"table": "a", "pattern": "field_follows"}, {"table": "b"}]})
    report = (
        "The checks found:\n- V08: RULE-02: b and c both belong to service 'x'; a rule must cross two "
        "services; references that do are d.e_id to e; for example, when the state of a e is open, "
        "the kind of the d by e_id is big\nRepair this."
    )
    wanted = {
        "table": "e", "column": "state", "value": "open",
        "effect_table": "d", "effect_link": "e_id", "effect_column": "kind", "effect_value": "big",
    }  # fmt: skip
    assert json.loads(repaired(said, report)) == {
        "rules": [{"table": "a", "pattern": "field_follows"}, wanted]
    }
    assert repaired(said, "The checks found nothing.") == said


def test_a_model_that_is_told_less_does_not_repair(monkeypatch):
    """The report is what mends the rule: without its example, three proposals fail alike."""
    monkeypatch.setattr("planet.validators.rules._example", lambda invariant, subject: "")
    (made,) = collapses(1, 0, "compact")
    assert (made.caught, made.repaired, made.proposals) == (True, False, 3)


@pytest.mark.slow  # which is the import of the client
def test_the_collapse_is_caught_and_repaired_over_http(monkeypatch):
    monkeypatch.setenv("SCRIPTED_ENDPOINT", "not a key")
    catalog, done, number = load_catalog(None, "compact"), 0, 0
    while done < REPEATS:
        ground = numbered_ground(catalog, 0, number, "compact")
        wrong = collapsed(ground, stream("wire", number)) if ground else None
        number += 1
        if wrong is None:
            continue
        model = ScriptedModel(ground, wrong)
        with serving(lambda request, model=model: model(request, None, None).text) as server:
            author = LLMAuthor(
                "openai/scripted", api_base=server.address, api_key_env="SCRIPTED_ENDPOINT", answers=None
            )
            made = construct(ground.brief, author, catalog, ground.seed)
        assert made.trace.reports[0].status["V08"] == "fired"
        assert made.world is not None, made.trace.reports[-1].violations
        done += 1


def crossed(*invariants):
    """What V08 says of the toy world with one more table beside the customers, and these rules."""
    order = TICKET.replace(name="order", prefix="ORD", service="sales")
    case = changed(invariants=invariants, layout=layout(CUSTOMER, TICKET, order))
    return [v.message for v in rules_cross_services(Subject(*case, load_catalog()))]


def test_the_report_of_a_collapse_gives_a_rule_that_agrees_with_the_others():
    inside = VIP.replace(effect_table="order")
    report = (
        "RULE-01: customer and order both belong to service 'sales'; a rule must cross two services; "
        "references that do are ticket.customer_id to customer"
    )
    example = (
        "for example, when the status of a customer is active, the {} of the ticket by customer_id is {}"
    )
    assert crossed(inside) == [f"{report}; {example.format('status', 'open')}"]
    # the effect of RULE-02 is ticket.status, that of RULE-01 as it was ticket.severity: then no enum is left
    assert crossed(inside, PAUSED) == [f"{report}; {example.format('severity', 'minor')}"]
    assert crossed(inside, PAUSED, VIP.replace(id="RULE-03")) == [report]


# ── what the study found, and what was mended ─────────────────────────────────────────────────────


def as_if(rule, **fields):
    """The toy world with the check of another rule under the name of this one."""
    sql = check_sql(rule_of(rule, **fields))
    rules = tuple(r.replace(sql=sql) if r is rule else r for r in (VIP, PAUSED))
    return validate(*changed(invariants=rules))


@pytest.mark.parametrize(
    ("rule", "fields", "said"),
    [
        (VIP, {"pattern": "record_required"}, "RULE-01 flags customer CUS-0001 without any ticket, which is "
         "not what field_follows means"),
        (PAUSED, {"pattern": "field_follows"}, "RULE-02 does not catch customer CUS-0001 without any ticket, "
         "which is not what record_required means"),
    ],
)  # fmt: skip
def test_a_check_of_one_pattern_does_not_pass_for_the_other(rule, fields, said):
    report = as_if(rule, **fields)
    assert report.fired == ("V10",)
    assert [v.message for v in report.violations] == [said]


def test_the_effect_of_another_record_does_not_satisfy_a_check():
    """No customer is paused, so the seed does not show it; no other ticket is open, unless it is made so."""
    sql = PAUSED.sql.replace('c."customer_id" = p."id"', 'c."customer_id" = c."customer_id"')
    rows = toy_world()[0].seed.rows
    closed = tuple((*row[:2], "solved", *row[3:]) for row in rows["ticket"])
    seed = toy_world()[0].seed.replace(rows={**rows, "ticket": closed})
    (violation,) = validate(*changed(invariants=(VIP, PAUSED.replace(sql=sql)), seed=seed)).violations
    assert violation.message.startswith("RULE-02 is vacuous: customer.status = paused without its effect")


def test_a_check_that_binds_another_value_is_seen_where_no_row_shows_it():
    """No paused customer, and none becomes one: only the probe that sets the other value tells."""
    sql = PAUSED.sql.replace("= 'paused'", "IN ('paused', 'active')")
    rows = {"ticket": tuple((*row[:2], "open", *row[3:]) for row in toy_world()[0].seed.rows["ticket"])}
    seed = toy_world()[0].seed
    case = changed(invariants=(VIP, PAUSED.replace(sql=sql)), seed=seed.replace(rows={**seed.rows, **rows}))
    (violation,) = validate(*case).violations
    assert violation.message == (
        "RULE-02 flags customer CUS-0001 whose status is 'active', which is not what record_required means"
    )


@pytest.mark.parametrize(("word", "part"), [("vip", "value"), ("critical", "effect value")])
def test_a_page_does_not_name_a_word_by_another_that_contains_it(word, part):
    body = DOCUMENTS[0].body.replace(word, f"un{word}")
    (violation,) = validate(*changed(documents=(DOCUMENTS[0].replace(body=body), *DOCUMENTS[1:]))).violations
    assert violation.message == f"RULE-01: document 'DOC-01' does not name the {part}, {word!r}"


def test_a_page_names_a_word_as_often_as_its_rule_needs_it():
    """Trigger and effect share a word, and the page says it of the trigger alone."""
    body = "when the status of a customer becomes paused , help desk must hold a ticket with urgency open ."
    case = changed(documents=(DOCUMENTS[0], DOCUMENTS[1].replace(body=body), DOCUMENTS[2]))
    (violation,) = validate(*case).violations
    assert violation.message == "RULE-02: document 'DOC-02' does not name the effect column, 'status'"


def test_a_default_that_one_record_uses_up_is_seen_beside_another_unique_column():
    table = with_column(with_column(TICKET, "title", unique=True), "hours", unique=True, default=7)
    assert validate(*changed(layout=layout(CUSTOMER, table))).fired == ("V12",)


@pytest.mark.parametrize("text", ["today.", "today, please", "TODAY", "by tomorrow's end", "(now)"])
def test_a_clock_is_heard_whatever_stands_beside_its_word(text):
    report = audited(Case(toy_task(None, f"set the tier of customer CUS-0001 to gold {text}")))
    assert [finding.rule for finding in report.findings] == ["A04"]


def test_a_rule_that_the_task_keeps_in_the_twin_too_is_not_at_stake():
    """The new ticket happens to have the rule's effect; no customer becomes vip, so nothing asks for it."""
    where = {"customer_id": "CUS-0002", "severity": "critical"}
    create = write("ticket", None, {**where, "urgent": False})
    task = ticket_task(
        (exists("ticket", **where),),
        at_stake=("RULE-01",),
        oracle=(create,),
        alternative=(read("list_ticket"), create),
    )
    report = audited(Case(task))
    assert [finding.rule for finding in report.findings] == ["A13"]
    assert report.findings[0].message == (
        "this world's plan keeps RULE-01 in its twin too, so the rule is not at stake"
    )
