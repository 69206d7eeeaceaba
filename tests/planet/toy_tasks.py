"""Hand-written tasks of the toy world, and ways to change one thing in them."""

from typing import Any

from planet.identity import digest
from planet.records.task import Assertion, Edit, Facets, Mention, PlannedCall, Task, TaskKey
from planet.records.view import TaskView
from planet.records.world import World
from planet.tasks.draft import equal, may_write, read, write, write_each
from tests.planet.worlds import toy_world

GOLD = {"tier": "gold", "credit": 700.0}
FACETS = Facets(
    family="update",
    operations=("update",),
    hops=0,
    pattern=None,
    pairs=(),
    resources=("customer",),
    services=("crm",),
    tools=("update_customer",),
    kinds=("equals",),
    industry="manufacturing",
    role="coordinator",
    template="update-1",
)


def toy_task(world: World | None = None, instruction: str = "", **key: Any) -> Task:
    """`set the tier of customer CUS-0001 to gold and its credit to 700`; `key` replaces fields of its key."""
    world = world or toy_world()[0]
    instruction = instruction or "set the tier of customer CUS-0001 to gold and its credit to 700"
    fields: dict[str, Any] = {
        "delta": (),
        "assertions": equal("customer", "CUS-0001", GOLD),
        "at_stake": (),
        "allowed": (may_write("customer", "CUS-0001", tuple(GOLD)),),
        "oracle": (write("customer", "CUS-0001", GOLD),),
        "alternative": write_each("customer", "CUS-0001", GOLD),
        "mentions": (Mention(table="customer", where={"id": "CUS-0001"}),),
        "facets": FACETS,
    }
    fields |= key
    task_id = digest([world.id, instruction, fields])
    view = TaskView(
        task_id=task_id, world_id=world.id, instruction=instruction, role="coordinator", tools=world.offered
    )
    return Task(view=view, key=TaskKey(task_id=task_id, world_id=world.id, **fields))


def vip_task(world: World | None = None, **key: Any) -> Task:
    """`set the tier of customer CUS-0001 to vip , and follow the policy`: its ticket must become critical."""
    trigger = write("customer", "CUS-0001", {"tier": "vip"})
    effect = write("ticket", "TIC-0001", {"severity": "critical"})
    pages = (read("search_documents", query="customer tier"), read("get_document", id="DOC-01"))
    fields: dict[str, Any] = {
        "assertions": equal("customer", "CUS-0001", {"tier": "vip"}),
        "at_stake": ("RULE-01",),
        "allowed": (
            may_write("customer", "CUS-0001", ("tier",)),
            may_write("ticket", "TIC-0001", ("severity",)),
        ),
        "oracle": (*pages, trigger, effect),
        "alternative": (*pages, effect, trigger),
    }
    return toy_task(
        world, "set the tier of customer CUS-0001 to vip , and follow the policy", **(fields | key)
    )


def ticket_task(assertions: tuple[Assertion, ...], **key: Any) -> Task:
    """`create a ticket for customer CUS-0002 with severity major`."""
    record = {"customer_id": "CUS-0002", "severity": "major", "urgent": False}
    create = PlannedCall(tool="update_ticket", arguments=record, required=True)
    fields: dict[str, Any] = {
        "assertions": assertions,
        "allowed": (may_write("ticket", None),),
        "oracle": (create,),
        "alternative": (read("list_ticket"), create),
        "mentions": (Mention(table="customer", where={"id": "CUS-0002"}),),
    }
    return toy_task(None, "create a ticket for customer CUS-0002 with severity major", **(fields | key))


def exists(table: str, number: int = 1, **where: Any) -> Assertion:
    """The assertion that a row with these values is there."""
    return Assertion(id=f"a{number}", kind="exists", table=table, where=where)


def edit(table: str, key: str, **values: Any) -> Edit:
    """One change of a delta."""
    return Edit(op="set", table=table, key=key, values=values)
