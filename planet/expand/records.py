"""Seed rows of library worlds: records that a business could have, drawn column by column in arrays.

Amounts are prices of the country, sizes and references are skewed (a few customers have most orders, some
have none), and dates follow from what became of the record. Dates come last (`dated`), because the rules of
the world may still change a status.
"""

from collections import Counter
from typing import TYPE_CHECKING, Any

from planet.catalog import Catalog
from planet.expand.currencies import WHOLE, step_of
from planet.expand.distinct import distinct
from planet.expand.lifecycle import as_dates, days_of, role_of
from planet.expand.rows import parents_first
from planet.expand.texts import Texts
from planet.identity import seed_of
from planet.records.world import Column, Company, Resource, SeedState

if TYPE_CHECKING:
    from numpy import ndarray
    from numpy.random import Generator

BUSY = 0.85
"""Share of the parents among which children are dealt out; the others are new and have none."""
_TAIL = 1.7
"""Exponent by which children prefer the first of their parents: 1 would treat all alike."""


def record_rows(
    resources: tuple[Resource, ...], counts: dict[str, int], catalog: Catalog, company: Company, seed: int
) -> SeedState:
    """Rows for every table, parents before children; dates are empty until `dated` fills them in."""
    texts = Texts(catalog, company.country)
    keys: dict[str, list[str]] = {}
    rows: dict[str, tuple[tuple[Any, ...], ...]] = {}
    for resource in parents_first(resources):
        rng = _generator(seed, "records", resource.name)
        count = counts.get(resource.name, 0)
        first = int(rng.integers(1, 9_000 - count)) if count < 8_000 else 1
        keys[resource.name] = [f"{resource.prefix}-{first + i:04d}" for i in range(count)]
        columns = {c.name: _values(c, resource, keys, texts, company.currency, rng) for c in resource.columns}
        _add_up(columns, company.currency)
        rows[resource.name] = tuple(zip(*columns.values(), strict=True))
    return SeedState(rows={r.name: rows[r.name] for r in resources})


def dated(state: SeedState, resources: tuple[Resource, ...], seed: int) -> SeedState:
    """The state with every date filled in, in keeping with the status of its record."""
    rows = dict(state.rows)
    for resource in resources:
        places = [i for i, c in enumerate(resource.columns) if c.type == "date"]
        if not places or not rows[resource.name]:
            continue
        columns = list(zip(*rows[resource.name], strict=True))
        named = dict(zip((c.name for c in resource.columns), columns, strict=True))
        statuses = named.get(resource.status, columns[0])  # an author may have named no column; V03 tells
        days = days_of(list(map(str, statuses)), _generator(seed, "dates", resource.name))
        for place in places:
            columns[place] = tuple(as_dates(days[role_of(resource.columns[place].name)]))
        rows[resource.name] = tuple(zip(*columns, strict=True))
    return SeedState(rows=rows)


def _generator(*names: str | int) -> "Generator":
    import numpy as np

    return np.random.Generator(np.random.PCG64(seed_of(*names)))


def _values(
    column: Column,
    resource: Resource,
    keys: dict[str, list[str]],
    texts: Texts,
    currency: str,
    rng: "Generator",
) -> list[Any]:
    own = keys[resource.name]
    if column.type == "id":
        return own
    if column.type == "date":
        return [None] * len(own)
    if column.type == "text":
        drawn = texts.draw(column.pool or "subject", len(own), rng)
        if column.unique:
            return distinct(drawn)
        return _numbered(drawn) if column.name == resource.label else drawn
    share = rng.random(len(own))
    if column.type == "ref":
        return _references(keys.get(column.ref or "", []), share, rng)
    if column.type == "enum":
        return _enums(column, share)
    if column.type == "bool":
        return [int(s) for s in (share < 0.5).tolist()]
    if column.type == "int":
        return (int(column.low) + (share**2 * (column.high - column.low + 1)).astype(int)).tolist()  # type: ignore[no-any-return]
    return _amounts(column.low + share**2 * (column.high - column.low), column, currency)


def _references(parents: list[str], share: "ndarray", rng: "Generator") -> list[Any]:
    """Ids of parents: most of the first ones of a random order, none of the last ones."""
    if not parents:
        return [None] * len(share)
    order = rng.permutation(len(parents))[: max(1, int(len(parents) * BUSY))].tolist()
    return [parents[order[place]] for place in (share**_TAIL * len(order)).astype(int).tolist()]


def _enums(column: Column, share: "ndarray") -> list[str]:
    """Values, the first ones more common."""
    import numpy as np

    weights = 1.0 / np.sqrt(1.0 + np.arange(len(column.values)))
    places = np.searchsorted(np.cumsum(weights) / weights.sum(), share, side="right")
    return [column.values[min(place, len(column.values) - 1)] for place in places.tolist()]


def _amounts(values: "ndarray", column: Column, currency: str) -> list[float]:
    if column.unit != "currency":
        return [round(value, 2) for value in values.tolist()]
    step = step_of(column.high, currency)
    digits = 0 if currency in WHOLE or step >= 1 else 2
    counted = [round(round(value / step) * step, digits) for value in values.tolist()]
    return [min(max(float(value), column.low), column.high) for value in counted]


def _add_up(columns: dict[str, list[Any]], currency: str) -> None:
    """The total of a position is its pieces times their price."""
    if {"pieces", "unit_price", "line_total"} <= columns.keys():
        digits = 0 if currency in WHOLE else 2
        pairs = zip(columns["pieces"], columns["unit_price"], strict=True)
        columns["line_total"] = [float(round(pieces * price, digits)) for pieces, price in pairs]


def _numbered(texts: list[str]) -> list[str]:
    """The texts with their repetitions numbered.

    Unlike `distinct` this may meet a number that a text has by itself, as a ship can: library worlds
    keep the bytes that they have always had. No task speaks of such a record by its label (A02).
    """
    if len(set(texts)) == len(texts):
        return texts
    seen: Counter[str] = Counter()
    out = []
    for text in texts:
        seen[text] += 1
        out.append(text if seen[text] == 1 else f"{text} {seen[text]}")
    return out
