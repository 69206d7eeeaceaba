"""Tasks of PLANET's own worlds on which scripted agents are tried, with an equal number for every tool."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.identity import stream
from planet.records.task import Task
from planet.records.world import Brief, World, WorldKey
from planet.synthesize import synthesize

TASKS_PER_WORLD = 10


class Place(NamedTuple):
    """A task in its world."""

    world: World
    key: WorldKey
    task: Task

    @property
    def writes(self) -> tuple[str, ...]:
        """Tools without which the task fails, by name."""
        return tuple(sorted({call.tool for call in self.task.key.oracle if call.required}))


def make_places(worlds: int, seed: int = 0) -> list[Place]:
    """The tasks of some worlds, drawn from the catalog by the template author."""
    catalog, author = load_catalog(None), TemplateAuthor()
    places: list[Place] = []
    made, number = 0, 0
    while made < worlds:
        name = f"planted {seed} {number}"
        industry = stream(name).choice(catalog.industries)
        brief = Brief(text=f"A company in the industry: {industry.title}.", industry=industry.name)
        built = synthesize(brief, author, catalog, stream(name, "world").getrandbits(62), TASKS_PER_WORLD)
        number += 1
        if built.world is None or built.key is None:
            continue
        made += 1
        places += [Place(built.world, built.key, task) for task in built.tasks]
    return places


def common_tools(places: Sequence[Place], count: int) -> tuple[str, ...]:
    """The writing tools that most tasks require, by name."""
    tasks = Counter(tool for place in places for tool in place.writes)
    return tuple(sorted(sorted(tasks, key=lambda tool: (-tasks[tool], tool))[:count]))


def balanced(places: Sequence[Place], tools: Sequence[str], count: int, seed: int = 0) -> list[Place]:
    """`count` of the tasks that write with these tools alone, each next for the tool seen least so far."""
    allowed = set(tools)
    left = [place for place in places if set(place.writes) <= allowed]
    stream(seed, "balanced").shuffle(left)
    seen: Counter[str] = Counter()
    chosen: list[Place] = []
    while left and len(chosen) < count:
        place = min(left, key=lambda p: (min(seen[t] for t in p.writes), max(seen[t] for t in p.writes)))
        left.remove(place)
        chosen.append(place)
        seen.update(place.writes)
    return chosen
