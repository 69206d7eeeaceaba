"""V07: references to rows that are not there."""

from random import Random

from planet.construction.ground import Ground
from planet.construction.rows import slip, with_value
from planet.mutations.breach import cells
from planet.mutations.worlds.change import Made, Way, with_rows
from planet.records.world import Column, Resource

Linked = tuple[Resource, Column, str, str]
"""Table and column of a reference, the id of its row, and the id it holds."""


def _linked(ground: Ground, rng: Random) -> Linked | None:
    """A reference of some row."""
    found = [
        (table, column, key, str(held))
        for table in ground.world.layout.resources
        for column in table.columns
        if column.ref
        for key, held in cells(ground.world, table, column.name)
        if held is not None
    ]
    return rng.choice(found) if found else None


def _pointed(ground: Ground, linked: Linked, value: str) -> Made:
    table, column, key, _ = linked
    world = with_value(ground.world, table, key, table.place(column.name), value)
    return world, ground.key.replace(world_id=world.id)


def wrong_digit(ground: Ground, rng: Random) -> Made | None:
    """An id with one digit wrong."""
    linked = _linked(ground, rng)
    if not linked:
        return None
    wrong = slip(linked[3], ground.world.layout.resource(linked[1].ref or ""), ground.world)
    return _pointed(ground, linked, wrong) if wrong else None


def other_table(ground: Ground, rng: Random) -> Made | None:
    """An id that another table has."""
    linked = _linked(ground, rng)
    if not linked:
        return None
    others = [
        row[0] for name, rows in ground.world.seed.rows.items() if name != linked[1].ref for row in rows
    ]
    return _pointed(ground, linked, rng.choice(others))


def small_letters(ground: Ground, rng: Random) -> Made | None:
    """An id in small letters."""
    linked = _linked(ground, rng)
    return _pointed(ground, linked, linked[3].lower()) if linked else None


def nothing(ground: Ground, rng: Random) -> Made | None:
    """A text that is no id."""
    linked = _linked(ground, rng)
    return _pointed(ground, linked, rng.choice(["", "none", f" {linked[3]}"])) if linked else None


def gone_row(ground: Ground, rng: Random) -> Made | None:
    """A row left out that others refer to."""
    linked = _linked(ground, rng)
    if not linked:
        return None
    name = linked[1].ref or ""
    rows = [row for row in ground.world.seed.rows[name] if row[0] != linked[3]]
    return with_rows(ground, name, rows) if len(rows) >= 3 else None


def two_keys(ground: Ground, rng: Random) -> Made | None:
    """A record with another id in its own table than where it is named."""
    linked = _linked(ground, rng)
    if not linked:
        return None
    parent = ground.world.layout.resource(linked[1].ref or "")
    rows = ground.world.seed.rows[parent.name]
    fresh = f"{parent.prefix}-{1 + max(int(row[0].rpartition('-')[2]) for row in rows):04d}"
    changed = [(fresh, *row[1:]) if row[0] == linked[3] else row for row in rows]
    return with_rows(ground, parent.name, changed)


LINKS: dict[str, Way] = {
    "an id with one digit wrong": wrong_digit,
    "an id of another table": other_table,
    "an id in small letters": small_letters,
    "a text that is no id": nothing,
    "a row left out that others refer to": gone_row,
    "a record with two ids": two_keys,
}
