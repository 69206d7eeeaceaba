"""How far to the right everything in a layer is drawn, so that edges run straight where there is room.

Every item is pulled to the mean of its neighbours. Items keep their order and their distance by the pooling
of adjacent violators (Ayer and others, 1955): those that would overlap move as one.
"""

from itertools import accumulate, pairwise

from planet.inspect.layers import Layers, Place

ROUNDS = 24


def columns(layers: Layers, widths: list[list[float]], gap: float) -> dict[Place, float]:
    """The centre of every place; the leftmost item begins at 0. `widths`: of the items of each layer."""
    near: dict[Place, list[Place]] = {}
    for route in layers.routes.values():
        for a, b in pairwise(route):
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
    offsets = [_offsets(row, gap) for row in widths]
    at = {
        Place(layer, number): x - row[-1] / 2
        for layer, row in enumerate(offsets)
        for number, x in enumerate(row)
    }
    for _ in range(ROUNDS):
        for layer, row in enumerate(offsets):
            places = [Place(layer, number) for number in range(len(row))]
            wanted = [sum(at[n] for n in near.get(p, [p])) / len(near.get(p, [p])) for p in places]
            pooled = _pooled([x - offset for x, offset in zip(wanted, row, strict=True)])
            at.update(zip(places, (x + offset for x, offset in zip(pooled, row, strict=True)), strict=True))
    left = min((x - widths[p.layer][p.number] / 2 for p, x in at.items()), default=0.0)
    return {place: x - left for place, x in at.items()}


def _offsets(widths: list[float], gap: float) -> list[float]:
    """The centres of a row that is packed from 0 on."""
    steps = ((a + b) / 2 + gap for a, b in pairwise(widths))
    return list(accumulate(steps, initial=0.0))


def _pooled(wanted: list[float]) -> list[float]:
    """The values nearest to `wanted`, by least squares, that nowhere decrease."""
    pools: list[tuple[float, int]] = []
    for value in wanted:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, m), (b, n) = pools[-2:]
            pools[-2:] = [((a * m + b * n) / (m + n), m + n)]
    return [value for value, count in pools for _ in range(count)]
