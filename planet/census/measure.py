"""The census of a folder of worlds: means with their tails, different values, shares, refusals and reach."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from planet.census import design
from planet.census.corpus import Reach, corpus_of, reach
from planet.census.environment import CountedTask, Environment
from planet.refusals import Refusal


class Quantity(NamedTuple):
    """One number of every world, environment or task."""

    of: str  # "world", "environment" or "task"
    name: str
    mean: float
    least: float
    low: float  # 5 % point
    median: float
    high: float  # 95 % point
    most: float
    design: float | None  # mean of the design; None: it says nothing of this

    @property
    def deviation(self) -> float | None:
        """(mean - design) / design; None where the design says nothing."""
        return None if self.design is None else self.mean / self.design - 1


class Distinct(NamedTuple):
    """How many different values there are."""

    of: str  # "library" or "corpus"
    name: str
    number: int
    design: int
    deviation: float | None  # None: the folder is too small for a comparison, or more than enough is fine


class Census(NamedTuple):
    """All that is counted."""

    totals: dict[str, int]  # worlds, rows, environments, tasks
    quantities: tuple[Quantity, ...]
    distinct: tuple[Distinct, ...]
    shares: dict[str, dict[str, float]]  # of SHARES: value -> share of the tasks or environments
    drawn: int  # tasks
    reach: tuple[Reach, ...]
    refusals: dict[
        str, int
    ]  # validator, audit rule or reason -> refusals, worlds that came to nothing included
    refused: int  # worlds that came to nothing


def take(
    worlds: Sequence[Environment],
    refusals: Iterable[Refusal],
    folder: Path,
    limit: int | None = None,
    drawn: int | None = None,
    seed: int = 0,
) -> Census:
    """Count everything. limit: environments at most; drawn: tasks (None: in the design's proportion)."""
    corpus = corpus_of(worlds, limit, folder)
    tasks = [task for world in corpus for task in world.tasks]
    count = min(drawn or design.draw_for(len(tasks)), len(tasks))
    lost = list(refusals)
    causes = Counter[str]()
    for counts in (*(world.refused for world in worlds), *(refusal.causes for refusal in lost)):
        causes.update(counts)
    return Census(
        totals={
            "worlds": len(worlds),
            "rows": int(sum(world.sizes["rows"] for world in worlds)),
            "environments": len(corpus),
            "tasks": len(tasks),
        },
        quantities=(*_of_worlds(worlds), *_of_tasks(corpus, tasks)),
        distinct=(*_distinct_of_worlds(worlds), *_distinct_of_corpus(corpus, tasks)),
        shares=_shares(corpus, tasks),
        drawn=count,
        reach=tuple(reach(corpus, count, seed)),
        refusals=dict(sorted(causes.items())),
        refused=len(lost),
    )


def as_json(census: Census) -> dict[str, Any]:
    """The census as plain JSON values, deviations and intervals included."""
    return {
        **census._asdict(),
        "quantities": [{**q._asdict(), "deviation": q.deviation} for q in census.quantities],
        "distinct": [d._asdict() for d in census.distinct],
        "reach": [
            {
                "dimension": r.dimension, "values": r.values, "reached": r.reached, "share": r.share,
                "expected": r.expected.share, "low": r.expected.low, "high": r.expected.high,
                "design": design.REACHED.get(r.dimension),
            }
            for r in census.reach
        ],
    }  # fmt: skip


# ── numbers ───────────────────────────────────────────────────────────────────────────────────────


def _of_worlds(worlds: Sequence[Environment]) -> Iterable[Quantity]:
    for name in ("services", "tools", "tables", "hidden checks", "rows", "kilobytes"):
        yield quantity("world", name, [world.sizes[name] for world in worlds])


def _of_tasks(corpus: Sequence[Environment], tasks: Sequence[CountedTask]) -> Iterable[Quantity]:
    yield quantity("environment", "tools offered", [world.sizes["tools offered"] for world in corpus])
    yield quantity("task", "services touched", [task.services for task in tasks])
    yield quantity("task", "assertions", [task.assertions for task in tasks])
    yield quantity("task", "calls of the solution", [task.calls for task in tasks])
    yield quantity("task", "share at stake", [float(task.stake) for task in tasks])


def quantity(of: str, name: str, values: Sequence[float]) -> Quantity:
    """The mean and the tails of some numbers, at least one."""
    ordered = sorted(values)
    low, median, high = (_quantile(ordered, at) for at in (0.05, 0.5, 0.95))
    mean, wanted = sum(ordered) / len(ordered), design.MEANS.get(name)
    return Quantity(of, name, mean, ordered[0], low, median, high, ordered[-1], wanted)


def _quantile(ordered: Sequence[float], at: float) -> float:
    """The point below which a share `at` of sorted numbers lies, interpolated."""
    place = at * (len(ordered) - 1)
    under = int(place)
    over = min(under + 1, len(ordered) - 1)
    return ordered[under] + (place - under) * (ordered[over] - ordered[under])


# ── different values ──────────────────────────────────────────────────────────────────────────────


def _distinct_of_worlds(worlds: Sequence[Environment]) -> Iterable[Distinct]:
    from planet.catalog import load_catalog

    catalog = load_catalog(profile="library").resources.keys()
    full = len(worlds) >= design.ENOUGH * design.WORLDS
    tables = {table for world in worlds for table in world.tables}
    yield _distinct("library", "industries", {world.industry for world in worlds}, full)
    yield _distinct("library", "countries", {world.country for world in worlds}, full)
    yield _distinct("library", "tools", {tool for world in worlds for tool in world.tools}, full)
    yield _distinct("library", "tables of the catalog", tables & catalog, full)


def _distinct_of_corpus(corpus: Sequence[Environment], tasks: Sequence[CountedTask]) -> Iterable[Distinct]:
    full = len(corpus) >= design.ENOUGH * design.ENVIRONMENTS
    yield _distinct("corpus", "tools", {tool for world in corpus for tool in world.offered}, full)
    yield _distinct("corpus", "descriptions", {world.description for world in corpus}, full)
    yield _distinct("corpus", "combinations", {world.combination for world in corpus}, full)
    yield _distinct("corpus", "families", {task.family for task in tasks}, full)
    yield _distinct("corpus", "roles", {task.role for task in tasks}, full)
    yield _distinct("corpus", "phrasings", {task.template for task in tasks}, full)


def _distinct(of: str, name: str, values: Iterable[str], full: bool) -> Distinct:
    count, wanted = len(set(values)), design.DISTINCT[name]
    enough = name in design.AT_LEAST and count >= wanted
    return Distinct(of, name, count, wanted, 0.0 if enough else count / wanted - 1 if full else None)


def _shares(corpus: Sequence[Environment], tasks: Sequence[CountedTask]) -> dict[str, dict[str, float]]:
    return {
        "families": _parts(task.family for task in tasks),
        "roles": _parts(task.role for task in tasks),
        "phrasings": _parts(task.template for task in tasks),
        "tools offered": _parts(int(world.sizes["tools offered"]) for world in corpus),
        "services touched": _parts(task.services for task in tasks),
        "assertions": _parts(task.assertions for task in tasks),
        "industries": _parts(world.industry for world in corpus),
    }


def _parts(values: Iterable[str | int]) -> dict[str, float]:
    """Value -> share, in the order of the values."""
    counts = Counter(values)
    total = counts.total()
    return {str(value): counts[value] / total for value in sorted(counts)}  # type: ignore[type-var]
