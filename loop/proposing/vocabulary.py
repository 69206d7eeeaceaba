"""What cells can be called in PLANET, and which of them a world can be aimed at."""

import re
from typing import get_args

from loop.worlds.generator import linked_pairs
from planet.briefs import singular
from planet.catalog import Catalog
from planet.records.task import AssertionKind
from planet.records.view import ROLES
from planet.records.world import Pattern
from planet.tasks.families import FAMILIES

OPERATIONS = ("search", "list", "get", "update")
GOALS = ("family", "pattern", "resource", "service", "industry")
"""Facets to aim at, in the order in which one is chosen when nobody says."""
HINTED = ("family", "pattern")
"""Goals beside which a second cell says where the skill is practised."""


def cells_by_facet(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """Facet -> its values in this catalog. Only what a write can be owned by: reading cannot be aimed at."""
    resources = tuple(r.name for r in catalog.resources.values() if r.tools)
    pairs = [pair for first, second in linked_pairs(catalog) for pair in ((first, second), (second, first))]
    return {
        "family": tuple(FAMILIES),
        "pattern": get_args(Pattern),
        "operation": ("update",),
        "hops": ("0", "1", "2", "3"),
        "pair": tuple(f"{source}>{target}" for source, target in pairs),
        "resource": resources,
        "tool": tuple(f"update_{name}" for name in resources),
        "service": tuple(kind.kind for kind in catalog.services),
        "kind": (*get_args(AssertionKind), "invariant"),
        "industry": tuple(i.name for i in catalog.industries),
        "role": ROLES,
    }


def documents(catalog: Catalog) -> dict[str, list[str]]:
    """ "resource:x", "service:x" and "industry:x" -> the words that tell of it; names count three times."""
    told: dict[str, list[str]] = {}
    for kind in catalog.services:
        about = words(" ".join([kind.title, *kind.keywords]))
        told[f"service:{kind.kind}"] = words(kind.kind) * 3 + about + words(kind.description)
        for resource in kind.resources:
            if resource.tools:
                own = words(resource.name) * 3 + words(resource.description)
                told[f"resource:{resource.name}"] = own + about
    for industry in catalog.industries:
        about = words(" ".join([industry.title, *industry.keywords]))
        told[f"industry:{industry.name}"] = words(industry.name) * 3 + about
    return told


def words(text: str) -> list[str]:
    """Lower-case words in the singular; camelCase and snake_case are taken apart."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return [singular(word) for word in re.findall(r"[^\W\d_]+", parts.lower())]
