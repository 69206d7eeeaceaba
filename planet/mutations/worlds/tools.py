"""V05: tools that are missing, too many, or not those of their table; a slice that cannot be offered."""

from collections.abc import Callable
from random import Random
from typing import Any

from planet.construction.ground import Ground
from planet.mutations.worlds.change import Made, Way, with_fields
from planet.mutations.worlds.proposed import A_PROPOSAL, proposed
from planet.records.view import ToolSpec

Tools = tuple[ToolSpec, ...]


def _tools(ground: Ground, tools: Tools) -> Made:
    return with_fields(ground, layout=ground.world.layout.replace(tools=tools))


def _one(change: Callable[[ToolSpec, Random], dict[str, Any]]) -> Way:
    """One tool of a table changed."""

    def way(ground: Ground, rng: Random) -> Made:
        tools = ground.world.layout.tools
        tool = rng.choice([t for t in tools if t.resource])
        changes = change(tool, rng)
        return _tools(ground, tuple(t.replace(**changes) if t is tool else t for t in tools))

    return way


def missing(ground: Ground, rng: Random) -> Made:
    """A table with three tools."""
    tools = ground.world.layout.tools
    gone = rng.choice([t for t in tools if t.resource])
    return _tools(ground, tuple(t for t in tools if t is not gone))


def missing_page_tool(ground: Ground, rng: Random) -> Made:
    """No search for documents, or no way to read one."""
    tools = ground.world.layout.tools
    gone = rng.choice([t for t in tools if not t.resource])
    return _tools(ground, tuple(t for t in tools if t is not gone))


def twice(ground: Ground, rng: Random) -> Made:
    """A tool listed twice."""
    tools = ground.world.layout.tools
    return _tools(ground, (*tools, rng.choice(tools)))


def stranger(ground: Ground, rng: Random) -> Made:
    """A tool that belongs to no table."""
    tools = ground.world.layout.tools
    tool = rng.choice([t for t in tools if t.resource])
    return _tools(ground, (*tools, tool.replace(name=f"drop_{tool.resource}")))


def narrower(tool: ToolSpec, rng: Random) -> dict[str, Any]:
    """Arguments that do not fit the table: one of them left out."""
    properties = dict(tool.parameters["properties"])
    properties.pop(rng.choice(sorted(properties)))
    return {"parameters": {**tool.parameters, "properties": properties}}


def wider(tool: ToolSpec, rng: Random) -> dict[str, Any]:
    """An argument that no column stands behind."""
    properties = {**tool.parameters["properties"], "shoe_size": {"type": "integer"}}
    return {"parameters": {**tool.parameters, "properties": properties}}


def other_operation(tool: ToolSpec, rng: Random) -> dict[str, Any]:
    """A tool that says it does something else."""
    others = sorted({"search", "list", "get", "update"} - {tool.operation})
    return {"operation": rng.choice(others)}


def bare_table(ground: Ground, rng: Random) -> Made | None:
    """Tools of a table that has none."""
    layout = ground.world.layout
    found = [r for r in layout.resources if r.tools and r.name not in ground.world.slice]
    if not found:
        return None
    bare = rng.choice(found)
    tables = tuple(r.replace(tools=False) if r is bare else r for r in layout.resources)
    return with_fields(ground, layout=layout.replace(resources=tables))


def unknown_slice(ground: Ground, rng: Random) -> Made:
    """A slice with a table that the world has not."""
    chosen = ground.world.slice
    return with_fields(ground, slice=(*chosen[1:], f"{chosen[0]}_archive"))


TOOLS: dict[str, Way] = {
    A_PROPOSAL: proposed("V05"),
    "a missing tool": missing,
    "a missing document tool": missing_page_tool,
    "a tool twice": twice,
    "a tool of no table": stranger,
    "an argument left out": _one(narrower),
    "an argument of no column": _one(wider),
    "a tool of another service": _one(lambda tool, rng: {"service": f"{tool.service}_office"}),
    "a tool of another operation": _one(other_operation),
    "a control character in a description": _one(lambda tool, rng: {"description": "Lists\x07 them."}),
    "tools of a table without": bare_table,
    "a slice with an unknown table": unknown_slice,
}
