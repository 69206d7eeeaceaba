"""The service graph as SVG: boxes in layers, an arrow to what a service uses, dashed where a rule crosses."""

from collections.abc import Iterator
from html import escape
from itertools import pairwise
from typing import NamedTuple

from planet.inspect.columns import columns
from planet.inspect.layers import Layers, Place, layered
from planet.inspect.sentences import plain, rule_told
from planet.records.world import Invariant, ServiceGraph
from planet.store import StoredWorld

BOX = (156, 46)  # px
GAP = (26, 64)
WAYPOINT = 14  # px that an edge takes when it passes a layer
MARGIN = 12
MOST, MOST_EDGES = 60, 400
"""Services and edges that are drawn; a library world has about 13 and 25."""
LONGEST_LABEL = 20  # characters of a name in a box; the whole name is its tooltip


class Point(NamedTuple):
    x: float
    y: float


def drawn(stored: StoredWorld) -> str:
    """One `<svg>` element, the same for equal worlds, or a sentence. Its colours are the page's variables."""
    graph = stored.world.graph
    if len(graph.services) > MOST or len(graph.edges) > MOST_EDGES:
        return f"<p>{len(graph.services)} services and {len(graph.edges)} edges are too many to draw.</p>"
    layers = layered((s.name for s in graph.services), ((e.source, e.target) for e in graph.edges))
    centres, size = _measured(layers)
    parts = [
        *_edges(graph, layers, centres),
        *_rules(stored, layers, centres),
        *_boxes(stored, layers, centres),
    ]
    title = f"{len(graph.services)} services and what they use"
    return (
        f'<svg role="img" aria-label="{title}" width="{size.x:.0f}" height="{size.y:.0f}" '
        f'viewBox="0 0 {size.x:.0f} {size.y:.0f}">{_ARROWS}{"".join(parts)}</svg>'
    )


_ARROWS = "".join(
    f'<marker id="{name}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" '
    f'orient="auto-start-reverse"><path class="{name}" d="M0 0L8 4L0 8z"/></marker>'
    for name in ("uses-end", "rule-end")
)


def _measured(layers: Layers) -> tuple[dict[Place, Point], Point]:
    """The centre of every place, and the size of the drawing."""
    widths = [[float(BOX[0] if isinstance(item, str) else WAYPOINT) for item in row] for row in layers.rows]
    centres = {
        place: Point(x + MARGIN, MARGIN + BOX[1] / 2 + place.layer * (BOX[1] + GAP[1]))
        for place, x in columns(layers, widths, GAP[0]).items()
    }
    right = max((c.x + widths[p.layer][p.number] / 2 for p, c in centres.items()), default=0.0)
    height = max(0, len(layers.rows) * (BOX[1] + GAP[1]) - GAP[1])
    return centres, Point(right + MARGIN, height + 2 * MARGIN)


# ── what a service uses ───────────────────────────────────────────────────────────────────────────


def _edges(graph: ServiceGraph, layers: Layers, centres: dict[Place, Point]) -> Iterator[str]:
    reasons: dict[tuple[str, str], list[str]] = {}
    for edge in graph.edges:
        reasons.setdefault((edge.source, edge.target), []).append(edge.reason)
    ports = _ports(layers, centres)
    for pair, route in layers.routes.items():
        told = escape(plain(f"{pair[0]} uses {pair[1]}: {'; '.join(reasons[pair])}"))
        points = [centres[place] for place in route]
        points[0], points[-1] = ports[pair, 0], ports[pair, 1]
        path = f'<path class="uses" d="{_curve(points)}" marker-end="url(#uses-end)"/>'
        yield f"<g><title>{told}</title>{path}</g>"


def _ports(layers: Layers, centres: dict[Place, Point]) -> dict[tuple[tuple[str, str], int], Point]:
    """Where each edge leaves (0) and enters (1) its boxes: side by side, in the order of where they go."""
    sides: dict[tuple[Place, int], list[tuple[float, tuple[str, str], int]]] = {}
    for pair, route in layers.routes.items():
        for end, (box, towards) in enumerate(((route[0], route[1]), (route[-1], route[-2]))):
            side = 1 if towards.layer > box.layer else -1
            sides.setdefault((box, side), []).append((centres[towards].x, pair, end))
    ports = {}
    for (box, side), ends in sides.items():
        for number, (_, pair, end) in enumerate(sorted(ends), start=1):
            shift = BOX[0] * (number / (len(ends) + 1) - 0.5)
            ports[pair, end] = Point(centres[box].x + shift, centres[box].y + side * BOX[1] / 2)
    return ports


def _curve(points: list[Point]) -> str:
    """A path that leaves and enters every point upright."""
    parts = [f"M{points[0].x:.1f} {points[0].y:.1f}"]
    for a, b in pairwise(points):
        middle = (a.y + b.y) / 2
        parts.append(f"C{a.x:.1f} {middle:.1f} {b.x:.1f} {middle:.1f} {b.x:.1f} {b.y:.1f}")
    return "".join(parts)


# ── rules ─────────────────────────────────────────────────────────────────────────────────────────


def _rules(stored: StoredWorld, layers: Layers, centres: dict[Place, Point]) -> Iterator[str]:
    """One dashed arrow from the service of a trigger to that of its effect, whatever rules it stands for."""
    at = _boxes_at(layers)
    owner = {r.name: r.service for r in stored.world.layout.resources}
    crossing: dict[tuple[str, str], list[Invariant]] = {}
    for rule in stored.key.invariants:
        pair = (owner.get(rule.table, ""), owner.get(rule.effect_table, ""))
        if pair[0] in at and pair[1] in at and pair[0] != pair[1]:
            crossing.setdefault(pair, []).append(rule)
    for (source, target), rules in sorted(crossing.items()):
        told = escape(plain("\n".join(f"{r.id}: {rule_told(r)}" for r in rules)).replace("\\n", "\n"))
        arc = _arc(centres[at[source]], centres[at[target]])
        path = f'<path class="rule" d="{arc}" marker-end="url(#rule-end)"/>'
        yield f'<g class="crossing"><title>{told}</title>{path}</g>'


def _arc(a: Point, b: Point) -> str:
    """A bow from the border of one box to the border of another, to the left of its way."""
    dx, dy = b.x - a.x, b.y - a.y
    length = max(1.0, (dx * dx + dy * dy) ** 0.5)
    bend = Point((a.x + b.x) / 2 + dy / length * 34, (a.y + b.y) / 2 - dx / length * 34)
    start, end = _border(a, bend), _border(b, bend)
    return f"M{start.x:.1f} {start.y:.1f}Q{bend.x:.1f} {bend.y:.1f} {end.x:.1f} {end.y:.1f}"


def _border(centre: Point, towards: Point) -> Point:
    """Where the way from a box's centre leaves the box."""
    dx, dy = towards.x - centre.x, towards.y - centre.y
    share = min(
        BOX[0] / 2 / abs(dx) if dx else float("inf"), BOX[1] / 2 / abs(dy) if dy else float("inf"), 1.0
    )
    return Point(centre.x + dx * share, centre.y + dy * share)


# ── services ──────────────────────────────────────────────────────────────────────────────────────


def _boxes_at(layers: Layers) -> dict[str, Place]:
    return {
        item: Place(layer, number)
        for layer, row in enumerate(layers.rows)
        for number, item in enumerate(row)
        if isinstance(item, str)
    }


def _boxes(stored: StoredWorld, layers: Layers, centres: dict[Place, Point]) -> Iterator[str]:
    world = stored.world
    services = {service.name: service for service in world.graph.services}
    for name, place in _boxes_at(layers).items():
        tables = [r.name for r in world.layout.resources if r.service == name]
        offered = "box offered" if set(tables) & set(world.slice) else "box"
        label = plain(name)
        label = label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"
        count = f"{len(tables)} table{'s' * (len(tables) != 1)}"
        told = f"{name} ({services[name].kind}): {services[name].description} Tables: {', '.join(tables)}"
        x, y = centres[place].x, centres[place].y
        yield (
            f"<g><title>{escape(plain(told))}</title>"
            f'<rect class="{offered}" x="{x - BOX[0] / 2:.1f}" y="{y - BOX[1] / 2:.1f}" '
            f'width="{BOX[0]}" height="{BOX[1]}" rx="6"/>'
            f'<text x="{x:.1f}" y="{y - 3:.1f}">{escape(label)}</text>'
            f'<text class="small" x="{x:.1f}" y="{y + 14:.1f}">{count}</text></g>'
        )
