"""V12: tables whose tools break when they are used, and a key that is another world's."""

from random import Random

from planet.construction.ground import Ground
from planet.mutations.worlds.change import Made, Way, any_table, with_changed_column, with_new_column
from planet.mutations.worlds.proposed import A_PROPOSAL, proposed
from planet.records.world import Column


def loose_default(ground: Ground, rng: Random) -> Made | None:
    """A reference whose default leads nowhere."""
    found = [(t, c) for t in ground.world.layout.resources if t.tools for c in t.columns if c.ref]
    if not found:
        return None
    table, column = rng.choice(found)
    parent = ground.world.layout.resource(column.ref or "")
    return with_changed_column(ground, table, column, default=f"{parent.prefix}-0000")


def text_used_up(ground: Ground, rng: Random) -> Made:
    """A unique text with a default: the first new record takes it."""
    table = any_table(ground, rng)
    column = Column(name="stamp_of_it", type="text", required=True, unique=True, default="New Stamp")
    values = [f"Stamp {number}" for number, _ in enumerate(ground.world.seed.rows[table.name])]
    return with_new_column(ground, table, column, values)


def number_used_up(ground: Ground, rng: Random) -> Made:
    """A unique number with a default."""
    table = any_table(ground, rng)
    column = Column(name="place_of_it", type="int", unique=True, default=90_000, high=100_000.0)
    return with_new_column(ground, table, column, range(len(ground.world.seed.rows[table.name])))


def link_used_up(ground: Ground, rng: Random) -> Made | None:
    """A unique reference with a default."""
    table = any_table(ground, rng)
    near = {table.name, *(c.ref for c in table.columns)}  # a second reference to one table is V04's
    parents = [r for r in ground.world.layout.resources if r.name not in near]
    if not parents:
        return None
    parent = rng.choice(parents)
    keys = [row[0] for row in ground.world.seed.rows[parent.name]]
    own = ground.world.seed.rows[table.name]
    column = Column(name="twin_of_it_id", type="ref", ref=parent.name, unique=True, default=keys[0])
    return with_new_column(ground, table, column, [*keys[1:], *[None] * len(own)][: len(own)])


def default_taken(ground: Ground, rng: Random) -> Made:
    """A unique text whose default a row already has."""
    table = any_table(ground, rng)
    values = [f"Stamp {number}" for number, _ in enumerate(ground.world.seed.rows[table.name])]
    column = Column(name="stamp_of_it", type="text", unique=True, default=rng.choice(values))
    return with_new_column(ground, table, column, values)


def foreign_key(ground: Ground, rng: Random) -> Made:
    """The key of another world."""
    wrong = rng.choice([ground.world.id[::-1] + "0", "0123456789abcdef", ""])
    return ground.world, ground.key.replace(world_id=wrong)


EXECUTION: dict[str, Way] = {
    A_PROPOSAL: proposed("V12"),
    "a default that refers to nothing": loose_default,
    "a text that one record uses up": text_used_up,
    "a number that one record uses up": number_used_up,
    "a reference that one record uses up": link_used_up,
    "a default that a row already has": default_taken,
    "the key of another world": foreign_key,
}
