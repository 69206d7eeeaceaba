"""The catalog: kinds of service, industries, countries and text pools, as YAML data, and how to read it."""

from planet.catalog.catalog import Catalog, draw_text
from planet.catalog.entries import CatalogResource, Country, Industry, Link, ServiceKind
from planet.catalog.load import load_catalog
from planet.catalog.phrases import Phrases
from planet.catalog.resource import to_resource

__all__ = [
    "Catalog",
    "CatalogResource",
    "Country",
    "Industry",
    "Link",
    "Phrases",
    "ServiceKind",
    "draw_text",
    "load_catalog",
    "to_resource",
]
