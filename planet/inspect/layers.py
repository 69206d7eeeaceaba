"""Where the services of a graph are drawn: layers from users down to what they use.

The layered method of Sugiyama, Tagawa and Toda (1981), made deterministic: cycles are cut in the order of
names, layers are longest paths, an edge over several layers gets a waypoint in each, and the order within a
layer is the barycentre of the neighbours, swept down and up.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

SWEEPS = 4
Waypoint = tuple[str, str, int]
"""Of an edge laid out from the first service down to the second, in a layer between them."""
Item = str | Waypoint


class Place(NamedTuple):
    """A service, or a waypoint of an edge: its layer, and its number within the layer."""

    layer: int  # 0 on top
    number: int  # 0 on the left


class Layers(NamedTuple):
    """The drawing, without a measure."""

    rows: tuple[tuple[Item, ...], ...]  # from top to bottom
    routes: dict[tuple[str, str], tuple[Place, ...]]  # edge -> its places, from source to target


def layered(names: Iterable[str], edges: Iterable[tuple[str, str]]) -> Layers:
    """Layers of the named nodes; edges to unknown nodes, and onto themselves, are left out."""
    nodes = sorted(set(names))
    pairs = sorted({(s, t) for s, t in edges if s in nodes and t in nodes and s != t})
    down = _without_cycles(nodes, pairs)
    depth = _depths(nodes, set(down.values()))
    rows: list[list[Item]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in nodes:
        rows[depth[name]].append(name)
    chains: dict[tuple[str, str], list[Item]] = {}
    for pair, (top, bottom) in down.items():
        chain: list[Item] = [top]
        for layer in range(depth[top] + 1, depth[bottom]):
            chain.append((top, bottom, layer))
            if chain[-1] not in rows[layer]:  # an edge and its reverse share waypoints
                rows[layer].append(chain[-1])
        chains[pair] = [*chain, bottom]
    _sort(rows, chains.values())
    at = {item: Place(layer, number) for layer, row in enumerate(rows) for number, item in enumerate(row)}
    routes = {
        pair: tuple(at[item] for item in (chain if chain[0] == pair[0] else reversed(chain)))
        for pair, chain in chains.items()
    }
    return Layers(tuple(map(tuple, rows)), routes)


def _without_cycles(nodes: list[str], pairs: list[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, str]]:
    """Each edge as it is laid out: as it is, or turned round where it would close a cycle."""
    after: dict[str, set[str]] = {name: set() for name in nodes}
    laid = {}
    for source, target in pairs:
        turned = _reaches(after, target, source)
        top, bottom = (target, source) if turned else (source, target)
        after[top].add(bottom)
        laid[source, target] = (top, bottom)
    return laid


def _reaches(after: dict[str, set[str]], start: str, goal: str) -> bool:
    seen, todo = {start}, [start]
    while todo:
        for name in after[todo.pop()] - seen:
            seen.add(name)
            todo.append(name)
    return goal in seen


def _depths(nodes: list[str], edges: set[tuple[str, str]]) -> dict[str, int]:
    """The longest path to each node from above."""
    depth = dict.fromkeys(nodes, 0)
    for _ in nodes:
        for top, bottom in edges:
            depth[bottom] = max(depth[bottom], depth[top] + 1)
    return depth


def _sort(rows: list[list[Item]], chains: Iterable[list[Item]]) -> None:
    """Bring the neighbours of each layer near to each other, in place."""
    above: dict[Item, list[Item]] = {}
    below: dict[Item, list[Item]] = {}
    for chain in chains:
        for top, bottom in pairwise(chain):
            above.setdefault(bottom, []).append(top)
            below.setdefault(top, []).append(bottom)
    for _ in range(SWEEPS):
        for layer in range(1, len(rows)):
            rows[layer] = _by_centre(rows[layer], rows[layer - 1], above)
        for layer in range(len(rows) - 2, -1, -1):
            rows[layer] = _by_centre(rows[layer], rows[layer + 1], below)


def _by_centre(row: list[Item], beside: list[Item], near: dict[Item, list[Item]]) -> list[Item]:
    """A layer in the order of the mean place of each item's neighbours beside it, ties by name."""
    place = {item: (number + 0.5) / len(beside) for number, item in enumerate(beside)}
    centre = {}
    for number, item in enumerate(row):
        places = [place[other] for other in near.get(item, ())]
        centre[item] = sum(places) / len(places) if places else (number + 0.5) / len(row)
    return sorted(row, key=lambda item: (centre[item], str(item)))
