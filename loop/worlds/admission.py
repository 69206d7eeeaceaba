"""Whether a synthesized world may join a split: the rules that keep the splits apart, each with a name."""

from collections.abc import Collection, Iterable

from loop.worlds.generator import Reserved, pairs_in
from planet.records.world import Brief, World

RULES = {
    "reserved_pair": "holds a pair of services that is reserved for the test",
    "unseen_industry": "is of the industry that is held out for the test",
    "equal_world": "equals a world that exists",
    "avoided_tools": "has a tool set that its brief asked to avoid",
    "avoided_schema": "has a schema that its brief asked to avoid",
    "off_target": "fewer than half of its tasks require the cell that its brief aims at",
}
"""Rule -> what a world that breaks it does."""


def held_out(world: World, reserved: Reserved) -> list[str]:
    """Rules that are broken by what is held out for the test."""
    broken = []
    if pairs_in(world) & reserved.pairs:
        broken.append("reserved_pair")
    if world.company.industry == reserved.industry:
        broken.append("unseen_industry")
    return broken


def refusals(
    world: World, reserved: Reserved, existing: Collection[str], on_target: bool | None
) -> list[str]:
    """Rules that a grown world breaks; none: it may join the pool. `existing`: ids of all worlds."""
    broken = held_out(world, reserved)
    if world.id in existing:
        broken.append("equal_world")
    target = world.brief.target
    if target is not None and world.tool_set in target.avoid:
        broken.append("avoided_tools")
    if target is not None and world.schema_digest in target.avoid_schemas:
        broken.append("avoided_schema")
    if on_target is False:
        broken.append("off_target")
    return broken


def avoiding(brief: Brief, grown: Iterable[World]) -> Brief:
    """An aimed brief that asks to avoid the tool sets and schemas of the worlds grown so far."""
    if brief.target is None:
        return brief
    worlds = list(grown)
    target = brief.target.replace(
        avoid=tuple(sorted({world.tool_set for world in worlds})),
        avoid_schemas=tuple(sorted({world.schema_digest for world in worlds})),
    )
    return brief.replace(target=target)
