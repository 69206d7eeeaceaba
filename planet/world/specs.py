"""What an agent is told of the tools: their names, their descriptions, JSON Schemas of their arguments."""

from collections.abc import Iterable
from typing import Any

from planet.records.view import ToolSpec
from planet.records.world import Column, Resource, Schema

OPERATORS = {"=": "= ?", "<": "< ?", ">": "> ?", "contains": "LIKE ? ESCAPE '!'"}
"""Operator of a search filter -> what stands for it in SQL."""

_JSON_TYPE = {"int": "integer", "amount": "number", "bool": "boolean"}


def layout_of(resources: Iterable[Resource]) -> Schema:
    """Resources with the tools over them."""
    listed = tuple(resources)
    return Schema(resources=listed, tools=tool_specs(listed))


def tool_specs(resources: tuple[Resource, ...]) -> tuple[ToolSpec, ...]:
    """The four tools of every resource that has tools, then the two shared document tools."""
    specs = [spec for r in resources if r.tools for spec in _resource_specs(r)]
    query = {
        "type": "object",
        "properties": {"query": {"type": "string"}, "page": _PAGE_SCHEMA},
        "required": ["query"],
    }
    specs.append(_spec("search_documents", "search_documents", None, "Find policy pages by words.", query))
    specs.append(_spec("get_document", "get_document", None, "Read one policy page.", _ID_ONLY))
    return tuple(specs)


_PAGE_SCHEMA = {"type": "integer", "minimum": 1}
_ID_ONLY = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


def _spec(name: str, operation: Any, owner: Resource | None, description: str, parameters: dict) -> ToolSpec:
    return ToolSpec(
        name=name,
        operation=operation,
        resource=owner.name if owner else None,
        service=owner.service if owner else None,
        description=description,
        parameters={**parameters, "additionalProperties": False},
    )


def _resource_specs(resource: Resource) -> list[ToolSpec]:
    name, noun = resource.name, resource.name.replace("_", " ")
    fields = {c.name: column_schema(c) for c in resource.columns}
    condition = {
        "type": "object",
        "properties": {
            "column": {"type": "string", "enum": list(fields)},
            "op": {"type": "string", "enum": list(OPERATORS)},
            "value": {},
        },
        "required": ["column", "op", "value"],
    }
    search = {"filters": {"type": "array", "items": condition}, "page": _PAGE_SCHEMA}
    return [
        _spec(
            f"search_{name}",
            "search",
            resource,
            f"Find {noun} records by filters.",
            _object(search, ["filters"]),
        ),
        _spec(f"list_{name}", "list", resource, f"List {noun} records.", _object({"page": _PAGE_SCHEMA}, [])),
        _spec(f"get_{name}", "get", resource, f"Read all columns of one {noun}.", _ID_ONLY),
        _spec(
            f"update_{name}",
            "update",
            resource,
            f"Change a {noun}; without id, create one.",
            _object(fields, []),
        ),
    ]


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required}


def column_schema(column: Column) -> dict[str, Any]:
    """The JSON Schema of one column's values."""
    schema: dict[str, Any] = {"type": _JSON_TYPE.get(column.type, "string")}
    if column.values:
        schema["enum"] = list(column.values)
    if column.type == "date":
        schema["format"] = "date"
    return schema
