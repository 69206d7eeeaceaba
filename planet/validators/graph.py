"""V02: services are of declared kinds, the graph is connected, every edge names two of them."""

from collections import Counter

from planet.records.world import ServiceGraph
from planet.validators.report import Violation
from planet.validators.subject import Subject
from planet.validators.text import LONGEST_NAME, NAME, listed, problem_of, shown
from planet.world.arguments import LONGEST_TEXT


def graph_is_sound(subject: Subject) -> list[Violation]:
    """V02."""
    graph = subject.world.graph
    if not graph.services:
        return [_violation("services", "the graph has no service; a world needs at least one")]
    found = [*_services(graph, subject), *_edges(graph)]
    return found or [*_apart(graph), *_homeless(graph, subject)]


def _services(graph: ServiceGraph, subject: Subject) -> list[Violation]:
    found = [*_own_kinds(graph, subject)]
    kinds = {s.kind for s in subject.catalog.services} | {own.kind for own in graph.kinds}
    for name, count in Counter(s.name for s in graph.services).items():
        problem = problem_of(name, LONGEST_NAME)
        if problem:
            found.append(_violation("service", f"a service's name {problem}"))
        if count > 1:
            found.append(
                _violation(name, f"{count} services are called {shown(name)}; give each its own name")
            )
    for service in graph.services:
        if service.kind not in kinds:
            known = listed(sorted(kinds), 40)
            message = f"service {shown(service.name)} is of kind {shown(service.kind)}; kinds are {known}"
            found.append(_violation(service.name, message))
        problem = problem_of(service.description, LONGEST_TEXT)
        if problem:
            found.append(
                _violation(service.name, f"the description of service {shown(service.name)} {problem}")
            )
    return found


def _own_kinds(graph: ServiceGraph, subject: Subject) -> list[Violation]:
    """Kinds that the world declares have names that can stand in words, and are not the catalog's."""
    found = []
    taken = {s.kind for s in subject.catalog.services}
    for own in graph.kinds:
        if own.kind in taken:
            found.append(_violation(own.kind, f"kind {shown(own.kind)} is declared but exists; leave it out"))
        if not NAME.fullmatch(own.kind) or len(own.kind) > LONGEST_NAME:
            found.append(_violation(own.kind, f"kind {shown(own.kind)} must be called in snake_case"))
        problem = problem_of(own.description, LONGEST_TEXT)
        if problem:
            found.append(_violation(own.kind, f"the description of kind {shown(own.kind)} {problem}"))
        taken.add(own.kind)
    return found


def _edges(graph: ServiceGraph) -> list[Violation]:
    found = []
    names = {s.name for s in graph.services}
    for edge in graph.edges:
        where = f"{edge.source} -> {edge.target}"[:LONGEST_NAME]
        unknown = [end for end in (edge.source, edge.target) if end not in names]
        for end in unknown:
            message = (
                f"an edge names {shown(end)}, which is no service; services are {listed(sorted(names), 40)}"
            )
            found.append(_violation(where, message))
        problem = problem_of(edge.reason, LONGEST_TEXT)
        if problem:
            found.append(_violation(where, f"the reason of an edge {problem}"))
        if edge.source == edge.target and not unknown:
            found.append(
                _violation(where, f"service {shown(edge.source)} depends on itself; leave the edge out")
            )
    return found


def _apart(graph: ServiceGraph) -> list[Violation]:
    near: dict[str, set[str]] = {s.name: set() for s in graph.services}
    for edge in graph.edges:
        near[edge.source].add(edge.target)
        near[edge.target].add(edge.source)
    reached, waiting = set(), [graph.services[0].name]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += near[name]
    apart = [s.name for s in graph.services if s.name not in reached]
    if not apart:
        return []
    message = f"no edges lead from {graph.services[0].name} to {listed(apart)}; connect the graph"
    return [_violation(apart[0], message)]


def _homeless(graph: ServiceGraph, subject: Subject) -> list[Violation]:
    names = {s.name for s in graph.services}
    return [
        _violation(r.name, f"table {r.name} belongs to {shown(r.service)}, which is no service of the graph")
        for r in subject.world.layout.resources
        if r.service not in names
    ]


def _violation(where: str, message: str) -> Violation:
    return Violation(validator="V02", link="graph", where=where, message=message)
