"""Update: set two columns of a record named by its id."""

from planet.tasks.draft import Draft, by_id, equal, may_write, write, write_each
from planet.tasks.situation import Situation, noun, pair_fields


def update(situation: Situation) -> Draft | None:
    """`set the status of invoice INV-0007 to paid and its due date to 2026-03-14`"""
    resource = situation.rng.choice(situation.offered)
    columns = situation.two_columns(resource)
    rows = situation.free(resource)
    if not columns or not rows:
        return None
    row = situation.rng.choice(rows)
    values = situation.new_values(resource, columns, [row])
    if not values:
        return None
    change = {c.name: v for c, v in zip(columns, values, strict=True)}
    table, key = resource.name, row["id"]
    return Draft(
        family="update",
        fields={"a": noun(table), "id": key, **pair_fields(columns, values)},
        assertions=equal(table, key, change),
        allowed=(may_write(table, key, tuple(change)),),
        oracle=(write(table, key, change),),
        alternative=write_each(table, key, change),
        mentions=(by_id(table, key),),
    )
