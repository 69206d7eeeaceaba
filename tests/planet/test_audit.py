"""Each of the thirteen audit rules fires on one minimal task that breaks it, and then it alone does."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from planet.records.task import Assertion, Edit, Mention, Task
from planet.records.world import World, WorldKey
from planet.tasks.audit import Auditor, AuditReport
from planet.tasks.audit_rules import RULES
from planet.tasks.draft import equal, may_write, read, write
from planet.world.tools import Write, failure
from tests.planet.toy_tasks import GOLD, edit, exists, ticket_task, toy_task, vip_task
from tests.planet.worlds import DOCUMENTS, PAUSED, VIP, changed, toy_world


class Case(NamedTuple):
    """A task, the world it is audited in, and what is done to the auditor beforehand."""

    task: Task
    world: tuple[World, WorldKey] | None = None
    turns: int = 8
    prepare: Callable[[Auditor], None] | None = None


def told(**document: Any) -> tuple[World, WorldKey]:
    return changed(documents=(*DOCUMENTS[:2], DOCUMENTS[2].replace(**document)))


def writing_list(auditor: Auditor) -> None:
    """Make the list of customers do half of the task."""

    def run(connection: Any, arguments: dict, log: list) -> Any:
        connection.execute("UPDATE customer SET tier = 'gold' WHERE id = 'CUS-0001'")
        log.append(Write("customer", "CUS-0001", ("tier",), False))
        return plain(connection, arguments, log)

    tools = auditor.stage.session.image.tools
    plain = tools["list_customer"]
    tools["list_customer"] = run


def pedantic_update(auditor: Auditor) -> None:
    """Make the update of customers refuse whole numbers that are not written as 700.0."""

    def run(connection: Any, arguments: dict, log: list) -> Any:
        if isinstance(arguments.get("credit"), int):
            return failure("write 700.0")
        return plain(connection, arguments, log)

    tools = auditor.stage.session.image.tools
    plain = tools["update_customer"]
    tools["update_customer"] = run


# of the first row in storage order it says something else than of the last
ORDERED = PAUSED.replace(
    id="RULE-03",
    sql='SELECT "id" FROM "customer" WHERE "tier" = \'gold\' '
    'AND "id" = (SELECT "id" FROM "customer" WHERE "tier" <> \'\' LIMIT 1)',
)
IN_ORDER = changed(invariants=(VIP, PAUSED, ORDERED))
LEAKY = told(body="customer CUS-0001 is checked each week .")
WRITER, PEDANT = told(title="ticket memo"), told(title="ticket news")  # their tools are tampered with
MOVED = write("ticket", "TIC-0001", {"customer_id": "CUS-0002"})
PROMOTED = write("customer", "CUS-0001", {"tier": "vip"})
LAST = {"tier": "gold", "credit": 5.0}

VIOLATIONS: dict[str, dict[str, Case]] = {
    "A01": {
        "a value that the table refuses": Case(toy_task(delta=(edit("customer", "CUS-0002", tier="tin"),))),
        "a row that does not exist": Case(toy_task(delta=(edit("customer", "CUS-0009", tier="gold"),))),
        "a table that does not exist": Case(toy_task(delta=(edit("invoice", "INV-0001", tier="gold"),))),
        "a row without its owner": Case(
            toy_task(delta=(Edit(op="delete", table="customer", key="CUS-0002"),))
        ),
        "a rule broken that is not at stake": Case(
            toy_task(delta=(edit("ticket", "TIC-0003", severity="minor"),))
        ),
        "a rule at stake that the world has not got": Case(toy_task(at_stake=("RULE-09",))),
        "an assertion on an unknown column": Case(
            toy_task(assertions=equal("customer", "CUS-0001", {"shoe": 4}))
        ),
    },
    "A02": {
        "a mention of two records": Case(
            toy_task(mentions=(Mention(table="customer", where={"status": "active"}),))
        ),
        "a mention of no record": Case(
            toy_task(mentions=(Mention(table="customer", where={"name": "Nobody"}),))
        ),
        "a mention in no table": Case(
            toy_task(mentions=(Mention(table="invoice", where={"id": "INV-0001"}),))
        ),
    },
    "A03": {
        "an id that is yet to be given": Case(
            ticket_task((exists("ticket", id="TIC-0004", severity="major"),))
        )
    },
    "A04": {
        "an instruction that says today": Case(
            toy_task(None, "set the tier of customer CUS-0001 to gold and its credit to 700 today")
        )
    },
    "A05": {
        "a value that is already there": Case(
            toy_task(
                assertions=equal("customer", "CUS-0001", {"tier": "basic", "credit": 700.0}),
                oracle=(write("customer", "CUS-0001", {"tier": "basic", "credit": 700.0}),),
                alternative=(write("customer", "CUS-0001", {"credit": 700.0}),),
            )
        ),
        "a page that names the record": Case(toy_task(LEAKY[0]), LEAKY),
    },
    "A06": {
        "nothing to be done": Case(
            toy_task(
                assertions=(
                    Assertion(
                        id="a1",
                        kind="differs",
                        table="customer",
                        where={"id": "CUS-0001"},
                        column="tier",
                        value="vip",
                    ),
                )
            )
        )
    },
    "A07": {"a list that writes": Case(toy_task(WRITER[0]), WRITER, prepare=writing_list)},
    "A08": {
        "a wrong value": Case(toy_task(oracle=(write("customer", "CUS-0001", {**GOLD, "credit": 701.0}),))),
        "a write that is not allowed": Case(
            toy_task(allowed=(may_write("customer", "CUS-0001", ("tier",)),))
        ),
        "a tool that does not exist": Case(toy_task(oracle=(write("invoice", "CUS-0001", GOLD),))),
    },
    "A09": {
        "half of the task": Case(toy_task(alternative=(write("customer", "CUS-0001", {"tier": "gold"}),))),
        "the oracle again": Case(toy_task(alternative=(write("customer", "CUS-0001", GOLD),))),
    },
    "A10": {
        "a write said twice": Case(
            toy_task(
                oracle=(
                    write("customer", "CUS-0001", GOLD),
                    write("customer", "CUS-0001", {"tier": "gold"}),
                )
            )
        )
    },
    "A11": {
        "no turn left to look around": Case(toy_task(), turns=1),
        "a tool that tells 700 from 700.0": Case(toy_task(PEDANT[0]), PEDANT, prepare=pedantic_update),
    },
    "A12": {
        "a check that looks at the first row": Case(
            toy_task(
                IN_ORDER[0],
                assertions=equal("customer", "CUS-0003", LAST),
                allowed=(may_write("customer", "CUS-0003", tuple(LAST)),),
                oracle=(write("customer", "CUS-0003", LAST),),
                alternative=(read("list_customer"), write("customer", "CUS-0003", LAST)),
            ),
            IN_ORDER,
        )
    },
    "A13": {
        "a plan that no page is needed for": Case(
            vip_task(
                assertions=(
                    *equal("customer", "CUS-0001", {"tier": "vip"}),
                    *equal("ticket", "TIC-0001", {"customer_id": "CUS-0002"}, first=2),
                ),
                allowed=(
                    may_write("customer", "CUS-0001", ("tier",)),
                    may_write("ticket", "TIC-0001", ("customer_id",)),
                ),
                oracle=(MOVED, PROMOTED),
                alternative=(PROMOTED, MOVED),
            )
        )
    },
}
CASES = [
    pytest.param(name, case, id=f"{name}: {what}")
    for name, cases in VIOLATIONS.items()
    for what, case in cases.items()
]


def audited(case: Case) -> AuditReport:
    auditor = Auditor(*(case.world or toy_world()), turns=case.turns)
    if case.prepare:
        case.prepare(auditor)
    report = auditor.audit(case.task)
    auditor.close()
    return report


@pytest.mark.parametrize(("name", "case"), CASES)
def test_the_task_that_breaks_one_rule_fires_that_one_alone(name, case):
    report = audited(case)
    assert [finding.rule for finding in report.findings] == [name], report.findings
    assert not report.admitted


@pytest.mark.parametrize(("name", "case"), CASES)
def test_a_rule_is_not_checked_exactly_when_one_that_it_needs_did_not_pass(name, case):
    status = audited(case).status
    for rule in RULES:
        assert (status[rule.name] == "not_checked") == any(status[need] != "passed" for need in rule.needs)


def test_every_rule_has_a_violating_task():
    assert sorted(VIOLATIONS) == [rule.name for rule in RULES]


@pytest.mark.parametrize("task", [toy_task(), vip_task()], ids=["update", "propagate"])
def test_a_sound_task_passes_every_rule(task):
    report = audited(Case(task))
    assert report.findings == ()
    assert report.admitted


def test_what_an_audit_executed_is_counted():
    # everything read: 2 lists + 6 gets + 3 pages × 2, and the customer of the task; oracle 1; alternative 2;
    # left out 0; a read more 2; rows reversed 1
    assert audited(Case(toy_task())).steps == 14 + 1 + 1 + 2 + 0 + 2 + 1


def test_a_world_is_read_as_a_whole_once():
    auditor = Auditor(*toy_world(), turns=8)
    first, second = auditor.audit(toy_task()), auditor.audit(toy_task())
    auditor.close()
    assert first.steps - second.steps == 14
    assert second.status["A07"] == "passed"


def test_a_tool_that_wrote_while_everything_was_read_is_read_with_again():
    auditor = Auditor(*WRITER, turns=8)
    writing_list(auditor)
    reports = [auditor.audit(toy_task(WRITER[0])) for _ in range(2)]
    auditor.close()
    assert [report.status["A07"] for report in reports] == ["fired", "fired"]


def test_messages_name_what_was_seen():
    said = {
        "A01": "the delta breaks RULE-01, which is not at stake",
        "A02": "customer with {'status': 'active'} names 2 records, not one",
        "A03": "assertion a1 names TIC-0004, which does not exist before the episode",
        "A04": "'today' depends on a wall clock",
        "A05": "document DOC-03 names a record of the task",
        "A07": "reading everything earns 0.50",
        "A08": "the oracle earns 0.50; every call succeeded; collateral ()",
        "A10": "the task passes without the call 1 (update_customer)",
        "A11": "the oracle takes 1 of 1 turns, which leaves none to look around",
        "A13": ("this world's plan also passes in the twin of RULE-01, so the document need not be read"),
    }
    for name, message in said.items():
        messages = [f.message for case in VIOLATIONS[name].values() for f in audited(case).findings]
        assert message in messages
