"""The twin check: same instruction, other document, other key, so that only reading the document helps."""

from planet.expand.rules import rule_page
from planet.tasks.families.policy import twin_value
from planet.tasks.twin import twin_of, twin_task
from planet.validators import validate
from planet.world.session import Session
from tests.fakes import play
from tests.planet.toy_tasks import vip_task
from tests.planet.worlds import TICKET, VIP, toy_world


def passes(session: Session, task, plan) -> bool:
    session.begin(task)
    play(session, plan)
    return session.grade().all_pass


def test_the_twin_differs_in_one_page_one_effect_and_the_rows_that_obey_it():
    world, key = toy_world()
    twin = twin_of(world, key, "RULE-01")
    # severities are minor, major, critical: after critical comes minor
    assert (VIP.effect_value, twin.value, twin_value(VIP, TICKET)) == ("critical", "minor", "minor")
    assert twin.world.documents[0].body == (
        "when the tier of a customer becomes vip , set the severity of its ticket to minor in help desk ."
    )
    assert twin.world.documents[1:] == world.documents[1:]
    assert [i.effect_value for i in twin.key.invariants] == ["minor", "open"]
    changed = [
        (table, old[0])
        for table in world.seed.rows
        for old, new in zip(world.seed.rows[table], twin.world.seed.rows[table], strict=True)
        if old != new
    ]
    assert changed == [("ticket", "TIC-0003")]  # the ticket of the only vip
    assert (twin.world.layout, twin.world.slice, twin.world.graph) == (world.layout, world.slice, world.graph)


def test_the_twin_is_a_sound_world_of_its_own():
    world, key = toy_world()
    for rule in ("RULE-01", "RULE-02"):
        twin = twin_of(world, key, rule)
        assert twin.world.id != world.id
        assert validate(twin.world, twin.key).admitted


def test_the_twins_task_has_the_same_view_but_another_plan():
    world, key = toy_world()
    twin, task = twin_of(world, key, "RULE-01"), vip_task()
    other = twin_task(task, twin)
    assert other.view == task.view.replace(world_id=twin.world.id)
    assert other.key.oracle[:-1] == task.key.oracle[:-1]
    assert task.key.oracle[-1].arguments == {"id": "TIC-0001", "severity": "critical"}
    assert other.key.oracle[-1].arguments == {"id": "TIC-0001", "severity": "minor"}


def test_whoever_does_not_read_the_page_fails_in_one_of_the_two_worlds(every_task):
    checked = 0
    for made, task in every_task:
        for rule in task.key.at_stake:
            twin = twin_of(made.world, made.key, rule)
            other = twin_task(task, twin)
            here, there = Session(made.world, made.key), Session(twin.world, twin.key)
            assert passes(here, task, task.key.oracle)
            assert passes(there, other, other.key.oracle)
            assert not passes(there, other, task.key.oracle)
            assert not passes(here, task, other.key.oracle)
            checked += 1
    assert checked >= 12


def test_the_page_of_the_twin_states_the_changed_rule(dozen):
    for made in dozen:
        services = {r.name: r.service for r in made.world.layout.resources}
        for rule in made.key.invariants:
            twin = twin_of(made.world, made.key, rule.id)
            page = next(d for d in twin.world.documents if d.id == rule.document_id)
            changed = next(i for i in twin.key.invariants if i.id == rule.id)
            assert page.body == rule_page(changed, services, 0)[1]
            assert twin.value.replace("_", " ") in page.body
