"""V04: references that lead nowhere, have another type than an id, stand twice, or need each other."""

from random import Random

from planet.construction.ground import Ground
from planet.construction.own_table import with_column
from planet.mutations.breach import cells
from planet.mutations.worlds.change import (
    Made,
    Way,
    any_table,
    spare,
    with_changed_column,
    with_fields,
    with_new_column,
    with_table,
)
from planet.mutations.worlds.proposed import A_PROPOSAL, proposed
from planet.records.world import Column


def unknown_target(ground: Ground, rng: Random) -> Made | None:
    """A reference to a table that the world has not."""
    found = spare(ground, rng, "ref")
    return with_changed_column(ground, *found, ref=f"{found[1].ref}_archive") if found else None


def no_target(ground: Ground, rng: Random) -> Made | None:
    """A reference that names no table."""
    found = spare(ground, rng, "ref")
    return with_changed_column(ground, *found, ref=None) if found else None


def other_type(ground: Ground, rng: Random) -> Made | None:
    """A number or a date that is said to refer to a table."""
    found = spare(ground, rng, "int", "date", "amount", "text")
    return with_changed_column(ground, *found, ref=any_table(ground, rng).name) if found else None


def second(ground: Ground, rng: Random) -> Made | None:
    """A second reference to a table that is referred to: pages do not say which of the two they mean."""
    found = spare(ground, rng, "ref")
    if not found:
        return None
    table, first = found
    column = Column(name="further_one_id", type="ref", ref=first.ref)
    keys = [row[0] for row in ground.world.seed.rows[first.ref or ""]]
    return with_new_column(
        ground, table, column, [rng.choice(keys) for _ in ground.world.seed.rows[table.name]]
    )


def to_itself(ground: Ground, rng: Random) -> Made:
    """A required reference of a table to itself: no first row could be stored."""
    table = any_table(ground, rng)
    keys = [row[0] for row in ground.world.seed.rows[table.name]]
    column = Column(name="precursor_id", type="ref", ref=table.name, required=True)
    return with_new_column(ground, table, column, [rng.choice(keys) for _ in keys])


def cycle(ground: Ground, rng: Random) -> Made | None:
    """Two tables that require each other."""
    world = ground.world
    found = [
        (child, column, world.layout.resource(column.ref))
        for child in world.layout.resources
        for column in child.columns
        if column.ref and column.ref != child.name
        if all(value is not None for _, value in cells(world, child, column.name))
    ]
    if not found:
        return None
    child, column, parent = rng.choice(found)
    keys = [row[0] for row in world.seed.rows[child.name]]
    back = Column(name="newest_one_id", type="ref", ref=child.name, required=True)
    bound = with_table(ground, child.name, with_column(child, column.name, required=True))
    halfway = ground._replace(world=bound[0], key=bound[1])
    return with_new_column(halfway, parent, back, [rng.choice(keys) for _ in world.seed.rows[parent.name]])


def gone_table(ground: Ground, rng: Random) -> Made | None:
    """A table left out that others refer to."""
    world = ground.world
    ruled = {name for rule in ground.key.invariants for name in (rule.table, rule.effect_table)}
    pointed = {c.ref for r in world.layout.resources for c in r.columns if c.ref != r.name}
    gone = [r for r in world.layout.resources if r.name in pointed - ruled - set(world.slice)]
    if not gone:
        return None
    name = rng.choice(gone).name
    tables = tuple(r for r in world.layout.resources if r.name != name)
    tools = tuple(t for t in world.layout.tools if t.resource != name)
    rows = {table: kept for table, kept in world.seed.rows.items() if table != name}
    layout = world.layout.replace(resources=tables, tools=tools)
    return with_fields(ground, layout=layout, seed=world.seed.replace(rows=rows))


REFERENCES: dict[str, Way] = {
    A_PROPOSAL: proposed("V04"),
    "a reference to an unknown table": unknown_target,
    "a reference to nothing": no_target,
    "a reference of another type": other_type,
    "a second reference to a table": second,
    "a required reference to itself": to_itself,
    "a required cycle": cycle,
    "a table left out that others refer to": gone_table,
}
