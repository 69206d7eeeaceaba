"""The same world with one table of the catalog written out as the author's own, for V03, V04 and V12."""

from planet.author.artifacts import SchemaPlan
from planet.construction.ground import Ground
from planet.expand.plans import resources_of
from planet.records.world import Resource
from planet.validators import validate


def with_own_table(ground: Ground) -> tuple[Ground, Resource] | None:
    """The world, and the table; None when no table serves.

    A table serves that has tools, points to another one, and is pointed to by none: its faults stay its own.
    """
    plan = ground.artifacts["schema"]
    assert isinstance(plan, SchemaPlan)
    tables = resources_of(plan, ground.catalog)
    pointed = {column.ref for table in tables.values() for column in table.columns}
    fit = [t for t in tables.values() if t.tools and t.name not in pointed and any(c.ref for c in t.columns)]
    if not fit:
        return None
    own = fit[-1]
    others = tuple(t for t in plan.tables if t.resource != own.name)
    changed = plan.replace(tables=others, custom=(own,))
    world, key = ground.made_with("schema", changed)
    if not validate(world, key, ground.catalog).admitted:
        return None
    artifacts = {**ground.artifacts, "schema": changed}
    return ground._replace(artifacts=artifacts, world=world, key=key), own


def with_column(table: Resource, name: str, /, **changes: object) -> Resource:
    """The table with one column changed."""
    columns = tuple(c.replace(**changes) if c.name == name else c for c in table.columns)
    return table.replace(columns=columns)  # type: ignore[no-any-return]


def with_table(ground: Ground, table: Resource) -> SchemaPlan:
    """The schema with the own table replaced."""
    plan = ground.artifacts["schema"]
    assert isinstance(plan, SchemaPlan)
    return plan.replace(custom=(table,))  # type: ignore[no-any-return]
