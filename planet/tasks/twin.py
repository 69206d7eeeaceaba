"""Twins: the same instruction in a world whose document, and key, differ in one rule's effect.

Where memory of other worlds would do, the twin shows it: whoever did not read the document fails there.
"""

from typing import NamedTuple

from planet.expand.rules import check_sql, rule_of, rule_page, settle
from planet.identity import digest
from planet.records.frozen import Scalar
from planet.records.task import Assertion, PlannedCall, Task
from planet.records.world import Invariant, World, WorldKey
from planet.tasks.families.policy import twin_value


class Twin(NamedTuple):
    """A world in which one rule has another effect, and that rule before and after."""

    world: World
    key: WorldKey
    rule: Invariant  # as in the first world
    value: str  # its effect in the twin


def twin_of(world: World, key: WorldKey, rule_id: str) -> Twin:
    """The twin of `world` for one rule; its seed state obeys the changed rule."""
    rule = next(i for i in key.invariants if i.id == rule_id)
    value = twin_value(rule, world.layout.resource(rule.effect_table))
    changed = [rule_of(i, effect_value=value if i.id == rule_id else i.effect_value) for i in key.invariants]
    services = {r.name: r.service for r in world.layout.resources}
    documents = []
    for page in world.documents:
        if page.id == rule.document_id:
            title, body = rule_page(rule_of(rule, effect_value=value), services, 0)
            page = page.replace(title=title, body=body)
        documents.append(page)
    seed = settle(world.seed, tuple(changed), world.layout.resources)
    twin = known_as(world.replace(documents=tuple(documents), seed=seed), world, f"twin {rule_id} {value}")
    invariants = tuple(
        i.replace(effect_value=r.effect_value, sql=check_sql(r))
        for i, r in zip(key.invariants, changed, strict=True)
    )
    return Twin(twin, WorldKey(world_id=twin.id, invariants=invariants), rule, value)


def known_as(variant: World, world: World, what: str) -> World:
    """A variant of `world` under an id made of the world's own and of what was done to it.

    Variants are made by the dozen and never stored; hashing their content would cost more than all the rest.
    """
    variant.__dict__["id"] = digest([world.id, what])
    return variant


def twin_task(task: Task, twin: Twin) -> Task:
    """The task as the twin's key grades it: same view, the changed effect in plan and assertions."""
    key = task.key
    return Task(
        view=task.view.replace(world_id=twin.world.id),
        key=key.replace(
            world_id=twin.world.id,
            oracle=tuple(_call(c, twin) for c in key.oracle),
            assertions=tuple(_assertion(a, twin) for a in key.assertions),
        ),
    )


def _call(call: PlannedCall, twin: Twin) -> PlannedCall:
    if call.tool != f"update_{twin.rule.effect_table}":
        return call
    return call.replace(arguments=_changed(call.arguments, twin))


def _assertion(assertion: Assertion, twin: Twin) -> Assertion:
    if assertion.table != twin.rule.effect_table or assertion.kind != "exists":
        return assertion
    return assertion.replace(where=_changed(assertion.where, twin))


def _changed(values: dict[str, Scalar], twin: Twin) -> dict[str, Scalar]:
    rule = twin.rule
    return {
        c: twin.value if c == rule.effect_column and v == rule.effect_value else v for c, v in values.items()
    }
