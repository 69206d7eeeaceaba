"""The two families that put a rule at stake: obey it when its trigger is set; mend a record that breaks it.

The instruction never states the rule; it stands in a policy page that differs between worlds.
"""

from planet.records.frozen import Scalar
from planet.records.task import AllowedWrite, Assertion, Edit, PlannedCall
from planet.records.world import Invariant, Resource
from planet.tasks.draft import Draft, by_id, equal, may_write, read, search, write
from planet.tasks.situation import Row, Situation, column_fields, noun, said


def propagate(situation: Situation) -> Draft | None:
    """`set the tier of customer CUS-0003 to vip and its region to north , and follow the policy`"""
    case = _case(situation)
    if not case:
        return None
    rule, parent, row, child = case
    change = _trigger(situation, rule, parent, row)
    if change is None:
        return None
    key = row["id"]
    trigger = write(rule.table, key, change)
    finds, effect = _effect(rule, key, child)
    pages = _pages(rule, situation)
    columns = tuple(parent.column(name) for name in change)
    return Draft(
        family="propagate",
        fields={
            "p": noun(rule.table),
            "pid": key,
            **column_fields(columns, tuple(change.values())),
            **_citation(rule, situation),
        },
        delta=_link(situation, rule, key, child),
        assertions=equal(rule.table, key, change),
        at_stake=(rule.id,),
        allowed=(may_write(rule.table, key, tuple(change)), _allowed_effect(rule, child)),
        oracle=(*pages, trigger, *finds, effect),
        alternative=(*pages, *finds, effect, read(f"get_{rule.table}", id=key), trigger),
        mentions=(by_id(rule.table, key),),
        pattern=rule.pattern,
        links=((rule.effect_table, rule.table),),
        hops=len(pages) + len(finds),
    )


def repair(situation: Situation) -> Draft | None:
    """`customer CUS-0003 breaks the policy on its tier . mend this without changing the customer`"""
    case = _case(situation)
    if not case:
        return None
    rule, _, row, child = case
    key = row["id"]
    finds, effect = _effect(rule, key, child)
    pages = _pages(rule, situation)
    broken = Edit(op="set", table=rule.table, key=key, values={rule.column: rule.value})
    kept = equal(rule.table, key, {rule.column: rule.value})
    where = {rule.effect_link: key, rule.effect_column: rule.effect_value}
    mended = Assertion(id="a2", kind="exists", table=rule.effect_table, where=where)
    return Draft(
        family="repair",
        fields={
            "p": noun(rule.table),
            "pid": key,
            "c1": noun(rule.column),
            "v1": said(rule.value),
            **_citation(rule, situation),
        },
        delta=(*_link(situation, rule, key, child), broken),
        assertions=(*kept, mended),
        at_stake=(rule.id,),
        allowed=(_allowed_effect(rule, child),),
        oracle=(*pages, *finds, effect),
        alternative=(
            read(f"get_{rule.table}", id=key),
            *pages,
            *(finds or (read(f"list_{rule.effect_table}"),)),
            effect,
        ),
        mentions=(by_id(rule.table, key),),
        pattern=rule.pattern,
        links=((rule.effect_table, rule.table),),
        hops=len(pages) + len(finds),
    )


def twin_value(rule: Invariant, child: Resource) -> str:
    """The effect that the same rule has in the twin world: the next value of the column."""
    values = child.column(rule.effect_column).values
    return values[(values.index(rule.effect_value) + 1) % len(values)]


def _case(situation: Situation) -> tuple[Invariant, Resource, Row, str | None] | None:
    """(rule, its table, a childless row that does not trigger it, id of a row to link as its only child)."""
    if not situation.rules:
        return None
    rule = situation.rng.choice(situation.rules)
    parent = situation.world.layout.resource(rule.table)
    child = situation.world.layout.resource(rule.effect_table)
    linked = {r[rule.effect_link] for r in situation.rows(child)}
    childless = [r for r in situation.untriggered(parent) if r["id"] not in linked]
    if not childless:
        return None
    row = situation.rng.choice(childless)
    if rule.pattern == "record_required":
        return rule, parent, row, None
    loose = situation.untied(child, rule.effect_link, parent)
    return (rule, parent, row, situation.rng.choice(loose)["id"]) if loose else None


def _link(situation: Situation, rule: Invariant, key: str, child: str | None) -> tuple[Edit, ...]:
    """Give the row its only child, with an effect that neither this world's rule nor its twin asks for."""
    if child is None:
        return ()
    resource = situation.world.layout.resource(rule.effect_table)
    column = resource.column(rule.effect_column)
    wrong = situation.other_value(resource, column, rule.effect_value, twin_value(rule, resource))
    if wrong is None:
        return ()  # every other value triggers a rule of its own; the audit refuses a draft without its child
    return (
        Edit(
            op="set",
            table=rule.effect_table,
            key=child,
            values={rule.effect_link: key, rule.effect_column: wrong},
        ),
    )


def _trigger(situation: Situation, rule: Invariant, parent: Resource, row: Row) -> dict[str, Scalar] | None:
    """The change that sets the rule's trigger, and another column where two are asked for."""
    change: dict[str, Scalar] = {rule.column: rule.value}
    if situation.difficulty.columns == 1:
        return change
    columns = [c for c in situation.settable(parent) if c.name != rule.column]
    if not columns:
        return None
    second = situation.rng.choice(columns)
    value = situation.other_value(parent, second, row[second.name])
    return None if value is None else {**change, second.name: value}


def _pages(rule: Invariant, situation: Situation) -> tuple[PlannedCall, ...]:
    """The reads that find the page of the rule; one that the instruction names need not be searched for."""
    page = read("get_document", id=rule.document_id)
    if situation.difficulty.cited:
        return (page,)
    return read("search_documents", query=f"{rule.table} {rule.column}"), page


def _citation(rule: Invariant, situation: Situation) -> dict[str, str]:
    return {"doc": rule.document_id} if situation.difficulty.cited else {}


def _effect(rule: Invariant, key: str, child: str | None) -> tuple[tuple[PlannedCall, ...], PlannedCall]:
    """(reads that find the row, the write that the rule asks for)."""
    if child is None:
        return (), write(
            rule.effect_table, None, {rule.effect_link: key, rule.effect_column: rule.effect_value}
        )
    find = search(rule.effect_table, **{rule.effect_link: key})
    return (find,), write(rule.effect_table, child, {rule.effect_column: rule.effect_value})


def _allowed_effect(rule: Invariant, child: str | None) -> AllowedWrite:
    return may_write(rule.effect_table, child, () if child is None else (rule.effect_column,))
