"""V02: a graph with what is no service, hangs apart, or does not say why."""

from random import Random

from planet.construction.ground import Ground
from planet.mutations.worlds.change import Made, Way, any_table, with_fields, with_table
from planet.mutations.worlds.proposed import A_PROPOSAL, proposed
from planet.records.world import OwnKind


def unnamed_kind(ground: Ground, rng: Random) -> Made:
    """A kind of its own whose name cannot stand in words."""
    own = OwnKind(kind=rng.choice(["../x", "Two Words", "x" * 100]), description="Paths.")
    return with_fields(ground, graph=ground.world.graph.replace(kinds=(own,)))


def known_kind(ground: Ground, rng: Random) -> Made:
    """A kind declared as its own that the catalog has."""
    kind = rng.choice(ground.world.graph.services).kind
    own = OwnKind(kind=kind, description="What it does.")
    return with_fields(ground, graph=ground.world.graph.replace(kinds=(own,)))


def silent_service(ground: Ground, rng: Random) -> Made:
    """A service without a description."""
    graph = ground.world.graph
    silent = rng.choice(graph.services)
    services = tuple(s.replace(description=" ") if s is silent else s for s in graph.services)
    return with_fields(ground, graph=graph.replace(services=services))


def silent_edge(ground: Ground, rng: Random) -> Made:
    """An edge without a reason."""
    graph = ground.world.graph
    silent = rng.choice(graph.edges)
    edges = tuple(e.replace(reason="") if e is silent else e for e in graph.edges)
    return with_fields(ground, graph=graph.replace(edges=edges))


def no_edges(ground: Ground, rng: Random) -> Made:
    """Services that nothing connects."""
    return with_fields(ground, graph=ground.world.graph.replace(edges=()))


def gone_service(ground: Ground, rng: Random) -> Made:
    """A service left out, its tables and edges kept."""
    graph = ground.world.graph
    gone = rng.choice(graph.services)
    return with_fields(ground, graph=graph.replace(services=tuple(s for s in graph.services if s != gone)))


def homeless_table(ground: Ground, rng: Random) -> Made:
    """A table of a service that the graph has not."""
    table = any_table(ground, rng)
    return with_table(ground, table.name, table.replace(service=f"{table.service}_attic"))


GRAPH: dict[str, Way] = {
    A_PROPOSAL: proposed("V02"),
    "a kind without a usable name": unnamed_kind,
    "a kind declared that exists": known_kind,
    "a service without description": silent_service,
    "an edge without reason": silent_edge,
    "no edges": no_edges,
    "a service left out": gone_service,
    "a table of no service": homeless_table,
}
