"""From an entry of the catalog to a resource of a world."""

from planet.catalog.entries import CatalogResource
from planet.records.world import Column, Resource

ID = Column(name="id", type="id", required=True, unique=True)
"""The first column of every table."""


def to_resource(entry: CatalogResource, service_name: str, present: frozenset[str]) -> Resource:
    """The table of a world: `id` first, then the entry's columns, without references outside `present`."""
    kept = tuple(column for column in entry.columns if column.type != "ref" or column.ref in present)
    return Resource(
        name=entry.name,
        service=service_name,
        description=entry.description,
        prefix=entry.prefix,
        label=entry.label,
        status=entry.status,
        columns=(ID, *kept),
        tools=entry.tools,
    )
