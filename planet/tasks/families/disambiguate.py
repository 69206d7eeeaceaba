"""Disambiguate: two records share a name, another column tells them apart."""

from planet.records.task import Assertion, Edit, Mention
from planet.records.world import Column, Resource
from planet.tasks.draft import Draft, equal, may_write, read, search, write
from planet.tasks.situation import Situation, column_fields, noun, quoted, said


def disambiguate(situation: Situation) -> Draft | None:
    """`set the tier to gold and the score to 5 for the customer called "Alba Ruiz" whose city is "Porto"`"""
    resource = situation.rng.choice(situation.offered)
    columns = situation.columns_to_set(resource)
    rows = situation.rows(resource)
    if not columns or len(rows) < 2:
        return None
    free = situation.free(resource)
    if not free:
        return None
    one = situation.rng.choice(free)
    two = situation.rng.choice([r for r in rows if r is not one and r["id"] != one["id"]])
    telling = _telling(resource, {c.name for c in columns}, one, two)
    if not telling:
        return None
    column = situation.rng.choice(telling)
    label, table, key = one[resource.label], resource.name, one["id"]
    values = situation.new_values(resource, columns, [one, two])
    if not values:
        return None
    change = {c.name: v for c, v in zip(columns, values, strict=True)}
    told = one[column.name]
    other = Assertion(
        id="a3", kind="differs", table=table, where={"id": two["id"]}, column=columns[0].name, value=values[0]
    )
    find = {resource.label: label, column.name: told}
    looks = tuple(read(f"get_{table}", id=k) for k in sorted((key, two["id"])))
    return Draft(
        family="disambiguate",
        fields={
            "a": noun(table),
            "label": quoted(label),
            "d": noun(column.name),
            "x": quoted(told) if column.type == "text" else said(told),
            **column_fields(columns, values),
        },
        delta=(Edit(op="set", table=table, key=two["id"], values={resource.label: label}),),
        assertions=(*equal(table, key, change), other),
        allowed=(may_write(table, key, tuple(change)),),
        oracle=(search(table, **find), write(table, key, change)),
        alternative=(search(table, **{resource.label: label}), *looks, write(table, key, change)),
        mentions=(Mention(table=table, where=find),),
        hops=1,
    )


def _telling(resource: Resource, taken: set[str], one: dict, two: dict) -> list[Column]:
    """Columns on which the two rows differ and that the task does not set."""
    return [
        c
        for c in resource.columns
        if c.type in ("text", "enum")
        and c.name != resource.label
        and not c.unique
        and c.name not in taken
        and one[c.name] is not None
        and one[c.name] != two[c.name]
    ]
