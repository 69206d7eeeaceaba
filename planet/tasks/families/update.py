"""Update: set one or two columns of a record named by its id."""

from planet.tasks.draft import Draft, by_id, equal, may_write, read, write, write_each
from planet.tasks.situation import Situation, column_fields, noun


def update(situation: Situation) -> Draft | None:
    """`set the status of invoice INV-0007 to paid and its due date to 2026-03-14`"""
    resource = situation.rng.choice(situation.offered)
    columns = situation.columns_to_set(resource)
    rows = situation.free(resource)
    if not columns or not rows:
        return None
    row = situation.rng.choice(rows)
    values = situation.new_values(resource, columns, [row])
    if not values:
        return None
    change = {c.name: v for c, v in zip(columns, values, strict=True)}
    table, key = resource.name, row["id"]
    change_it = write(table, key, change)
    return Draft(
        family="update",
        fields={"a": noun(table), "id": key, **column_fields(columns, values)},
        assertions=equal(table, key, change),
        allowed=(may_write(table, key, tuple(change)),),
        oracle=(change_it,),
        alternative=(
            write_each(table, key, change) if len(change) > 1 else (read(f"get_{table}", id=key), change_it)
        ),
        mentions=(by_id(table, key),),
    )
