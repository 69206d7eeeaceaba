"""Whether a world may join a split: rules by name, whose meaning `planet.refusal_words` tells.

All of them are judged by the world alone, before it has tasks: what is refused costs no audit.
"""

from collections.abc import Collection, Iterable

from loop.worlds.generator import Reserved, pairs_in
from planet.records.world import Brief, World


def held_out(world: World, reserved: Reserved) -> list[str]:
    """Rules that are broken by what is held out for the test."""
    broken = []
    if pairs_in(world) & reserved.pairs:
        broken.append("reserved_pair")
    if world.company.industry == reserved.industry:
        broken.append("unseen_industry")
    return broken


def refusals(world: World, reserved: Reserved, existing: Collection[str]) -> list[str]:
    """Rules that a grown world breaks whatever its tasks are. `existing`: ids of all worlds."""
    broken = held_out(world, reserved)
    if world.id in existing:
        broken.append("equal_world")
    target = world.brief.target
    if target is not None and world.tool_set in target.avoid:
        broken.append("avoided_tools")
    if target is not None and world.schema_digest in target.avoid_schemas:
        broken.append("avoided_schema")
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
