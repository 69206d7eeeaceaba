"""Seed rows: one stream of randomness per table, so that adding a table leaves the others as they were."""

import random
from datetime import date, timedelta
from typing import Any

from planet.catalog import Catalog
from planet.errors import AuthorError
from planet.expand.distinct import distinct
from planet.identity import stream
from planet.records.world import Column, Resource, SeedState

FIRST_DAY = date(2025, 1, 1)
DAYS = 730
"""Seed dates lie in [FIRST_DAY, FIRST_DAY + DAYS)."""


def seed_rows(
    resources: tuple[Resource, ...], counts: dict[str, int], catalog: Catalog, country: str, seed: int
) -> SeedState:
    """Rows for every table, parents before children so that every reference resolves."""
    rows: dict[str, tuple[tuple[Any, ...], ...]] = {}
    for resource in parents_first(resources):
        rng = stream(seed, "rows", resource.name)
        count = counts.get(resource.name, 0)
        first = rng.randrange(1, 9_000 - count) if count < 8_000 else 1
        keys = [f"{resource.prefix}-{first + i:04d}" for i in range(count)]
        columns = [_values(c, resource, keys, rows, catalog, country, rng) for c in resource.columns]
        rows[resource.name] = tuple(zip(*columns, strict=True))
    return SeedState(rows={r.name: rows[r.name] for r in resources})


def parents_first(resources: tuple[Resource, ...]) -> list[Resource]:
    """Resources ordered so that each comes after those it refers to; a cycle is an AuthorError."""
    left, ordered = list(resources), []
    while left:
        names = {r.name for r in left}
        ready = [r for r in left if not any(c.ref in names and c.ref != r.name for c in r.columns)]
        if not ready:
            raise AuthorError(f"the references of {', '.join(sorted(names))} form a cycle; drop one of them")
        ordered += ready
        left = [r for r in left if r not in ready]
    return ordered


def _values(
    column: Column,
    resource: Resource,
    keys: list[str],
    rows: dict[str, tuple[tuple[Any, ...], ...]],
    catalog: Catalog,
    country: str,
    rng: random.Random,
) -> list[Any]:
    count = len(keys)
    if column.type == "id":
        return list(keys)
    if column.type == "ref":
        parents = [row[0] for row in rows.get(column.ref or "", ())]
        return [rng.choice(parents) if parents else None for _ in range(count)]
    if column.type == "text":
        pool = column.pool or "subject"
        texts = [catalog.draw_text(pool, country, rng) for _ in range(count)]
        return distinct(texts) if column.unique or column.name == resource.label else texts
    return [_cell(column, rng) for _ in range(count)]


def _cell(column: Column, rng: random.Random) -> Any:
    if column.type == "enum":
        weights = [1.0 / (1 + i) ** 0.5 for i in range(len(column.values))]  # skewed: first values are common
        return rng.choices(column.values, weights)[0]
    if column.type == "bool":
        return int(rng.random() < 0.5)
    if column.type == "date":
        return (FIRST_DAY + timedelta(days=rng.randrange(DAYS))).isoformat()
    share = rng.random() ** 2  # skewed towards small values
    value = column.low + share * (column.high - column.low)
    return int(value) if column.type == "int" else round(value, 2)
