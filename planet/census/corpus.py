"""The RL corpus of a folder of worlds: its environments with ten tasks, and what drawn tasks reach."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from planet.census.design import TASKS_EACH
from planet.census.environment import Environment
from planet.census.rarefaction import Expected, expected, expected_of_sets
from planet.errors import StorageError
from planet.identity import stream

DIMENSIONS = (
    "environments", "descriptions", "tools", "combinations", "tool sets", "services", "industries",
    "countries",
)  # fmt: skip
"""What a drawn task reaches. Tools and services: those that its environment offers."""


class Reach(NamedTuple):
    """How much of one dimension a draw of tasks reaches."""

    dimension: str
    values: int  # of the corpus
    reached: int  # of them, by at least one of the drawn tasks
    expected: Expected  # share that draws reach

    @property
    def share(self) -> float:
        """The share that this draw reached."""
        return self.reached / self.values


def corpus_of(worlds: Sequence[Environment], limit: int | None, folder: Path) -> list[Environment]:
    """The first `limit` worlds with ten tasks in the order of their ids, which are hashes: as good as drawn.

    StorageError when there is none.
    """
    corpus = [world for world in worlds if len(world.tasks) >= TASKS_EACH][:limit]
    if not corpus:
        raise StorageError(
            f"no world of {folder} has {TASKS_EACH} tasks; synthesize with --tasks {TASKS_EACH}"
        )
    return corpus


def values_of(world: Environment, dimension: str) -> tuple[str, ...]:
    """The values of a dimension that any task of the environment reaches; at least one."""
    one = {
        "environments": world.id,
        "descriptions": world.description,
        "combinations": world.combination,
        "tool sets": "+".join(sorted(world.offered)),
        "industries": world.industry,
        "countries": world.country,
    }
    if dimension in one:
        return (one[dimension],)
    return world.offered if dimension == "tools" else tuple(world.combination.split("+"))


def draw(corpus: Sequence[Environment], count: int, seed: int) -> list[Environment]:
    """The environments of `count` tasks drawn uniformly and without repetition, each once."""
    places = [place for place, world in enumerate(corpus) for _ in world.tasks]
    hit = {places[task] for task in stream(seed, "census").sample(range(len(places)), count)}
    return [corpus[place] for place in sorted(hit)]


def reach(corpus: Sequence[Environment], count: int, seed: int) -> list[Reach]:
    """What `count` drawn tasks reach of every dimension, and what such draws are expected to reach."""
    total = sum(len(world.tasks) for world in corpus)
    hit = draw(corpus, count, seed)
    found = []
    for dimension in DIMENSIONS:
        sets: Counter[frozenset[str]] = Counter()
        for world in corpus:
            sets[frozenset(values_of(world, dimension))] += len(world.tasks)
        values = {value for members in sets for value in members}
        reached = {value for world in hit for value in values_of(world, dimension)}
        single = all(len(members) == 1 for members in sets)  # the same, sooner
        likely = expected(sets.values(), total, count) if single else expected_of_sets(sets, total, count)
        found.append(Reach(dimension, len(values), len(reached), likely))
    return found
