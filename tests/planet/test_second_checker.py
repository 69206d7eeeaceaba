"""The second checker: what it reads, what it calls wrong, and that the grader agrees with it."""

import ast
from pathlib import Path

import pytest

from planet.records.task import AllowedWrite, Task
from planet.world.session import Session
from tests.planet.second_checker.__main__ import main, table
from tests.planet.second_checker.judge import Judge, faults
from tests.planet.second_checker.pages import StatedRule, breakers, stated_rules
from tests.planet.second_checker.reading import Ask, Reader, Unclear
from tests.planet.second_checker.state import edited, read_back, seed_state
from tests.planet.second_checker.study import FAMILIES, share, sum_of, tried_task, tried_world, world_orders
from tests.planet.second_checker.wants import want_of
from tests.planet.toy_tasks import edit, toy_task
from tests.planet.worlds import toy_world

FOLDER = Path(__file__).parent / "second_checker"
FORBIDDEN = ("planet.world.grading", "planet.tasks", "planet.expand", "planet.validators")
HIDDEN = {"assertions", "at_stake", "allowed", "oracle", "alternative", "mentions", "sql", "invariants"}
A, B, C = "CUS-0001", "CUS-0002", "CUS-0003"
VIP = StatedRule("DOC-01", "customer", "tier", "vip", "ticket", "customer_id", "severity", "critical", True)
PAUSED = StatedRule(
    "DOC-02", "customer", "status", "paused", "ticket", "customer_id", "status", "open", False
)


def toy_asking(instruction: str, **key) -> Task:
    return toy_task(None, instruction, **key)


def verdict(task: Task, *calls: tuple[str, dict]) -> list[str]:
    """What the judge finds wrong after these calls in the toy world."""
    world, key = toy_world()
    session, judge = Session(world, key), Judge(world)
    session.begin(task)
    for table_name, values in calls:
        assert session.call(f"update_{table_name}", values).ok
    case = judge.case(task)
    found = faults(case, read_back(session.connection, case.start, world.slice))
    session.close()
    return found


# ── apart from the grader ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_it_neither_imports_the_grader_nor_looks_at_what_the_key_says(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    imported += [alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names]
    assert [name for name in imported if name.startswith(FORBIDDEN)] == []
    assert {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)} & HIDDEN == set()


# ── what it reads ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("instruction", "ask"),
    [
        (
            "set the tier of customer CUS-0001 to gold and its credit to 700",
            Ask("update", "customer", A, (("tier", "gold"), ("credit", 700.0))),
        ),
        (
            "create a ticket for customer CUS-0002 with severity major and hours 3",
            Ask("create", "ticket", None, (("severity", "major"), ("hours", 3)), ("customer", B)),
        ),
        (
            "look at ticket TIC-0001 : its customer needs tier gold and join date 2026-03-14",
            Ask(
                "two_hop",
                "ticket",
                "TIC-0001",
                (("tier", "gold"), ("join_date", "2026-03-14")),
                path=("customer_id",),
            ),
        ),
        (
            "copy the tier and the credit from customer CUS-0002 to customer CUS-0001",
            Ask("lookup", "customer", A, (("tier", None), ("credit", None)), ("customer", B)),
        ),
        (
            'find the ticket called "pump leaks" , its status is open : set its severity to major',
            Ask(
                "disambiguate",
                "ticket",
                None,
                (("severity", "major"),),
                label="pump leaks",
                test=("status", "=", "open"),
            ),
        ),
        (
            "for the ticket of customer CUS-0001 with hours above 5 set the severity to major",
            Ask(
                "conditional",
                "ticket",
                None,
                (("severity", "major"),),
                ("customer", A),
                test=("hours", ">", 5),
            ),
        ),
        (
            "customer CUS-0001 needs tier vip and credit 5 . do what the policy DOC-01 says",
            Ask("propagate", "customer", A, (("tier", "vip"), ("credit", 5.0)), page="DOC-01"),
        ),
        (
            "repair what the policy says for customer CUS-0001 : its tier is vip and must stay",
            Ask("repair", "customer", A, (("tier", "vip"),)),
        ),
    ],
)
def test_it_reads_each_kind_of_request(instruction, ask):
    assert Reader(toy_world()[0]).read(instruction) == (ask,)


def test_it_reads_several_requests_of_one_instruction_in_order():
    first = "customer CUS-0001 needs tier gold . and ticket TIC-0002 needs hours 4"
    text = f"{first} , then customer CUS-0002 needs tier vip"
    assert [(ask.key, ask.sets) for ask in Reader(toy_world()[0]).read(text)] == [
        (A, (("tier", "gold"),)),
        ("TIC-0002", (("hours", 4),)),
        (B, (("tier", "vip"),)),
    ]


@pytest.mark.parametrize(
    "instruction",
    [
        "make customer CUS-0001 happy",
        "customer CUS-0001 needs tier platinum",  # no value of the column
        "customer CUS-0009 needs tier gold",  # no such record
        "repair what the policy says for customer CUS-0001 : its tier is basic and must stay",  # no page
        "for the ticket of customer CUS-0001 with hours above 5 set the severity to major",  # none is above
    ],
)
def test_an_instruction_that_means_nothing_in_its_world_is_unclear(instruction):
    with pytest.raises(Unclear):
        Judge(toy_world()[0]).case(toy_asking(instruction))


def test_it_reads_the_rules_of_the_pages_and_who_breaks_them():
    world = toy_world()[0]
    assert stated_rules(world) == (VIP, PAUSED)
    seed = seed_state(world)
    assert breakers(VIP, seed) == breakers(PAUSED, seed) == set()
    # a gold customer becomes vip while its ticket is major; one is paused while its only ticket waits
    after = edited(seed, [edit("customer", B, tier="vip"), edit("customer", C, status="paused")])
    assert (breakers(VIP, after), breakers(PAUSED, after)) == ({B}, {C})


def test_it_reads_the_rules_of_made_worlds_as_their_keys_have_them(dozen):
    for made in dozen:
        stated = {(r.page, r.table, r.value, r.target, r.link, r.then) for r in stated_rules(made.world)}
        assert stated == {
            (i.document_id, i.table, i.value, i.effect_table, i.effect_link, i.effect_value)
            for i in made.key.invariants
        }


def test_it_reads_every_family_in_the_text_alone(dozen):
    for made in dozen:
        reader = Reader(made.world)
        for task in made.tasks:
            assert [ask.family for ask in reader.read(task.view.instruction)] == [task.key.facets.family]


# ── what it calls wrong ───────────────────────────────────────────────────────────────────────────

GOLD = ("customer", {"id": A, "tier": "gold", "credit": 700})
CENT_MORE = ("customer", {"id": A, "tier": "gold", "credit": 700.01})
MORE = ("ticket", {"title": "more", "urgent": True, "customer_id": A})


def test_the_right_end_has_no_fault_however_it_came_about():
    assert verdict(toy_task(), GOLD) == []
    assert verdict(toy_task(), ("customer", {"id": A, "tier": "vip"}), GOLD) == []
    stranger = ("customer", {"id": B, "credit": 1}), ("customer", {"id": B, "credit": 1200.5})
    assert verdict(toy_task(), *stranger, GOLD) == []


@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        ([], f"customer {A}.tier is basic, not gold"),
        ([CENT_MORE], f"customer {A}.credit is 700.01, not 700.0"),
        ([GOLD, ("customer", {"id": B, "credit": 1})], f"customer {B}.credit was changed"),
        ([GOLD, MORE], "1 more ticket than asked for"),
        ([GOLD, ("customer", {"id": B, "status": "paused"})], f"customer {B} no longer keeps DOC-02"),
    ],
)
def test_each_fault_of_an_end_state_is_named(calls, fault):
    assert fault in verdict(toy_task(), *calls)


def test_what_the_pages_ask_for_is_part_of_the_right_end():
    task = toy_asking("set the tier of customer CUS-0001 to vip , then follow the policy")
    trigger = ("customer", {"id": A, "tier": "vip"})
    assert verdict(task, trigger) == [
        "ticket TIC-0001.severity is minor, not critical",
        f"customer {A} no longer keeps DOC-01",
        f"customer {A} does not keep DOC-01",
    ]
    assert verdict(task, trigger, ("ticket", {"id": "TIC-0001", "severity": "critical"})) == []


def test_a_rule_that_wants_a_record_can_be_met_by_a_new_one_with_any_open_columns():
    delta = (edit("customer", C, status="paused"), edit("ticket", "TIC-0003", customer_id=A))
    text = "customer CUS-0003 with status paused , without changing the customer"
    task = toy_asking(f"do what the policy says for {text}", delta=delta)
    ticket = {"title": "own words", "urgent": True, "customer_id": C, "status": "open"}
    ticket |= {"severity": "critical"}  # the other page: this customer is vip
    assert verdict(task, ("ticket", ticket)) == []
    assert verdict(task, ("ticket", ticket | {"status": "solved"})) != []
    assert verdict(task, ("ticket", ticket), ("ticket", ticket)) == ["1 more ticket than asked for"]
    world = toy_world()[0]
    judge = Judge(world)
    goal = want_of(judge.case(task).wants[0].ask, edited(judge.seed, delta), judge.rules, world).goals[0]
    assert (goal.key, goal.values, goal.far) == (None, {"customer_id": C, "status": "open"}, True)


# ── the grader agrees ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def study():
    """Sixty tasks: four compact worlds and two library worlds."""
    return sum_of([tried_world(order) for order, _ in zip(world_orders(0), range(6), strict=False)])


def test_both_judges_agree_on_every_end_state_of_sixty_tasks(study):
    assert sum(study.tasks.values()) == 60
    assert study.remarks == ()
    for right, least in ((True, 500), (False, 1_200)):
        agreed, tried = share(study, right)
        assert agreed == tried >= least


def test_the_sixty_tasks_hold_right_and_wrong_ends_of_every_family(study):
    for family in FAMILIES:
        assert share(study, False, family=family)[1] > 20
    assert {f for f in FAMILIES if share(study, True, family=f)[1]} >= {"propagate", "repair", "two_hop"}
    assert len({way for _, _, way in study.tried}) >= 28


def altered(made, number: int, **key) -> tuple[Judge, Session, Task]:
    task = made.tasks[number]
    hidden = {name: change(getattr(task.key, name)) for name, change in key.items()}
    return (
        Judge(made.world),
        Session(made.world, made.key, turns=None),
        task.replace(key=task.key.replace(**hidden)),
    )


def test_a_grader_that_allows_too_much_is_found_out(dozen):
    def lenient(allowed):
        keys = [row[0] for row in dozen[0].world.seed.rows[allowed[0].table]]
        columns = tuple(c.name for c in dozen[0].world.layout.resource(allowed[0].table).columns)
        return (*allowed, *(AllowedWrite(table=allowed[0].table, key=key, columns=columns) for key in keys))

    tally = tried_task(*altered(dozen[0], 0, allowed=lenient))
    assert {(r.kind, r.way) for r in tally.remarks} >= {("passed though wrong", "a stranger too")}
    assert share(tally, True)[0] == share(tally, True)[1]


def test_a_grader_that_wants_what_nobody_asked_for_is_found_out(dozen):
    def strict(allowed):
        return ()

    tally = tried_task(*altered(dozen[0], 0, allowed=strict))
    assert {r.kind for r in tally.remarks} == {"refused though right"}
    assert share(tally, True)[0] == 0


# ── the command ───────────────────────────────────────────────────────────────────────────────────


def test_the_table_gives_counts_and_shares_by_family_and_way(study):
    lines = table(study)
    assert lines[0].startswith("60 tasks: compact ")
    assert any(line.startswith("repair") and line.count("100.00 %") == 2 for line in lines)
    assert lines[-1] == "0 to be looked at"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--tasks", "0"], "argument --tasks: '0' is no whole number of 1 or more"),
        (["--jobs", "-1"], "argument --jobs: '-1' is no whole number of 1 or more"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(argv, message, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    told = capsys.readouterr().err
    assert stopped.value.code == 2 and message in told and told.count("\n") == 1
