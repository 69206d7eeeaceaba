"""V07's repair, on rows: a reference that leads nowhere, and the edit that mends it.

An author proposes how many rows there are, and they are made without a loose end, so no artifact offends V07.
The finding is met where rows are given otherwise, and is learned as a diff.
"""

from typing import Any

from planet.author.llm.prompt import message, objection
from planet.construction.diff import SHAPE, read, written
from planet.construction.ground import Ground
from planet.construction.sample import Sample, answered
from planet.construction.tables_shown import shown_table
from planet.identity import stream
from planet.records.task import Edit
from planet.records.world import Column, Resource, SeedState, World
from planet.validators import validate

SYSTEM = "You mend the rows of a small simulated company. Change what the checks found, and nothing else."


def row_repair(ground: Ground, seed: int) -> Sample | None:
    """The sample; None when no table with rows refers to another."""
    rng = stream(seed, "construction", "V07")
    found = [
        (table, index, column)
        for table in ground.world.layout.resources
        for index, column in enumerate(table.columns)
        if column.ref and ground.world.seed.rows[table.name]
    ]
    if not found:
        return None
    table, index, column = rng.choice(found)
    rows = [row for row in ground.world.seed.rows[table.name] if row[index] is not None]
    parent = ground.world.layout.resource(column.ref or "")
    row = rng.choice(rows) if rows else None
    loose = slip(row[index], parent, ground.world) if row else None
    if row is None or loose is None:
        return None
    broken = with_value(ground.world, table, row[0], index, loose)
    report = _report(broken, ground)
    if not report:
        return None
    right = Edit(op="set", table=table.name, key=row[0], values={column.name: row[index]})
    question = _question(broken, table, parent, row[0], column, report)
    asked = [message("system", SYSTEM), message("user", question)]
    return Sample(
        kind="repair",
        world_id=ground.world.id,
        link="seed",
        validator="V07",
        messages=answered(asked, written((right,))),
    )


def _question(
    broken: World, table: Resource, parent: Resource, key: str, column: Column, report: tuple[str, ...]
) -> str:
    """The row and its neighbours, and the ids to which it may refer."""
    shown = [
        shown_table(table, broken.seed.rows[table.name], {key}),
        f"Rows of {parent.name} have the ids {', '.join(row[0] for row in broken.seed.rows[parent.name])}.",
        f"{column.name} of {table.name} refers to {parent.name}.",
    ]
    return "\n\n".join([*shown, objection(report).splitlines()[0], *report, SHAPE])


def check_row_repair(sample: Sample, ground: Ground) -> str | None:
    """Break the row as the sample shows it, apply the edit: why the world does not hold then, or None."""
    (edit,) = read(sample.answer)
    ((name, _),) = edit.values.items()
    table = ground.world.layout.resource(edit.table)
    index = [c.name for c in table.columns].index(name)
    parent = ground.world.layout.resource(table.columns[index].ref or "")
    loose = slip(str(edit.values[name]), parent, ground.world)
    if loose is None:
        return "its id cannot be told from the others"
    broken = with_value(ground.world, table, edit.key, index, loose)
    report = _report(broken, ground)
    if not report or any(line not in sample.messages[-2]["content"] for line in report):
        return "V07 does not find what the sample says"
    mended = with_value(broken, table, edit.key, index, edit.values[name])
    return None if mended.id == ground.world.id else "the edit does not make the world whole"


def slip(key: str, parent: Resource, world: World) -> str | None:
    """`key` with one digit wrong, such that no other id is so near; None: there is none."""
    held = [row[0] for row in world.seed.rows[parent.name]]
    for place in range(len(parent.prefix) + 1, len(key)):
        for digit in "0123456789":
            slip = f"{key[:place]}{digit}{key[place + 1 :]}"
            if [other for other in held if _differing(other, slip) <= 1] == [key] and slip != key:
                return slip
    return None


def _differing(first: str, second: str) -> int:
    """Places at which two ids differ; ids of other lengths differ everywhere."""
    if len(first) != len(second):
        return len(first)
    return sum(a != b for a, b in zip(first, second, strict=True))


def with_value(world: World, table: Resource, key: str, index: int, value: Any) -> World:
    """The world with one cell changed: that of column `index` in the rows called `key`."""
    rows = tuple(
        (*row[:index], value, *row[index + 1 :]) if row[0] == key else row
        for row in world.seed.rows[table.name]
    )
    seed = SeedState(rows={**world.seed.rows, table.name: rows})
    return world.replace(seed=seed)  # type: ignore[no-any-return]


def _report(broken: World, ground: Ground) -> tuple[str, ...]:
    """What V07 finds; empty when it finds nothing."""
    report = validate(broken, ground.key.replace(world_id=broken.id), ground.catalog)
    return tuple(f"V07: {v.message}" for v in report.violations if v.validator == "V07")
