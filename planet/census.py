"""`python -m planet.census DIR`: how large and varied a folder of worlds is, beside the library's design.

An environment is a world with its slice; those with fewer than ten tasks are no part of the RL corpus. The
footprint is what tasks drawn uniformly from the corpus reach: of each dimension, the share of values that at
least one of them has, as one draw gave it and as it is expected (rarefaction: a value of n among N tasks is
missed by k of them with probability C(N - n, k) / C(N, k)). Coverage alone proves nothing: a uniform draw
covers a lot.
"""

import json
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator
from math import exp, lgamma
from pathlib import Path
from typing import Any, NamedTuple

from planet.command import Parser, command, finish, positive
from planet.errors import StorageError
from planet.identity import stream
from planet.plain_files import Files
from planet.store import entries

TASKS = 10
"""Tasks of an environment of the RL corpus."""
DESIGN = {
    "services": 13.0, "tools": 65.0, "tables": 31.0, "hidden checks": 15.0, "rows": 2_900.0,
    "tools offered": 16.1, "services touched": 2.9, "assertions": 5.4, "share at stake": 0.60,
    "environments": 0.535, "descriptions": 0.629, "distinct tools": 0.758, "combinations": 0.628,
}  # fmt: skip
"""Means of a world, an environment and a task, and shares that 3,200 of 43,260 tasks reach."""
DIMENSIONS = ("environments", "descriptions", "distinct tools", "combinations")


class Environment(NamedTuple):
    """A world as the census counts it."""

    world: dict[str, float]  # services, tools, tables, hidden checks, rows
    values: dict[str, tuple[str, ...]]  # dimension -> its values
    tables: tuple[str, ...]
    tools: tuple[str, ...]  # of the world, not only of the slice
    country: str
    tasks: tuple["CountedTask", ...]


class CountedTask(NamedTuple):
    """A task as the census counts it."""

    family: str
    services: int
    assertions: int
    stake: bool


def main(argv: list[str] | None = None) -> int:
    """Print the census. Exit code 0, or 2 for wrong use."""
    parser = _parser()
    given = parser.parse_args(argv)
    return finish(parser, lambda: _run(given))


def _parser() -> Parser:
    parser = command("census", "How large and how varied a folder of worlds is, beside the library's design.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="worlds made by planet.synthesize")
    parser.add_argument("--environments", type=positive, metavar="N", help="at most so many (default: all)")
    parser.add_argument(
        "--draw", type=positive, default=3_200, metavar="K", help="tasks drawn (default 3200)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the draw (default 0)")
    return parser


def _run(given: Namespace) -> int:
    worlds = list(read_environments(given.folder))
    corpus = [world for world in worlds if len(world.tasks) >= TASKS][: given.environments]
    if not corpus:
        raise StorageError(f"no world of {given.folder} has {TASKS} tasks; synthesize with --tasks {TASKS}")
    for line in (*_of_worlds(worlds), *_of_tasks(corpus), *_of_footprint(corpus, given.draw, given.seed)):
        print(line)
    return 0


def read_environments(folder: Path) -> Iterator[Environment]:
    """The worlds of a folder in the order of their ids; rows and tool schemas are not read."""
    files = Files(folder)
    for name, entry in sorted(entries(folder).items()):
        try:
            world = json.loads(files.read(f"worlds/{name}.json"))
            keys = [json.loads(line) for line in files.lines(f"keys/{name}.tasks.jsonl")]
            yield _environment(name, entry, world, keys)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StorageError(f"world {name} in {folder} cannot be read: {error}") from error


def _environment(
    name: str, entry: dict[str, Any], world: dict[str, Any], keys: list[dict[str, Any]]
) -> Environment:
    kinds = {service["name"]: service["kind"] for service in world["graph"]["services"]}
    tools = [tool for tool in world["layout"]["tools"]]
    offered = [t for t in tools if t["resource"] is None or t["resource"] in world["slice"]]
    services = sorted({kinds[t["service"]] for t in offered if t["service"]})
    return Environment(
        world={
            "services": len(kinds),
            "tools": len(tools),
            "tables": len(world["layout"]["resources"]),
            "hidden checks": entry["checks"],
            "rows": entry["rows"],
            "tools offered": len(offered),
        },
        values={
            "environments": (name,),
            "descriptions": (world["company"]["description"],),
            "distinct tools": tuple(t["name"] for t in offered),
            "combinations": ("+".join(services),),
        },
        tables=tuple(resource["name"] for resource in world["layout"]["resources"]),
        tools=tuple(t["name"] for t in tools),
        country=world["company"]["country"],
        tasks=tuple(map(_counted, keys)),
    )


def _counted(key: dict[str, Any]) -> CountedTask:
    facets = key["facets"]
    return CountedTask(
        family=facets["family"],
        services=len(set(facets["services"])),
        assertions=len(key["assertions"]),
        stake=bool(key["at_stake"]),
    )


# ── the tables ────────────────────────────────────────────────────────────────────────────────────


def _of_worlds(worlds: list[Environment]) -> Iterator[str]:
    yield f"{len(worlds):,} worlds, {sum(w.world['rows'] for w in worlds):,.0f} rows"
    yield f"{'a world has':<22}{'mean':>9}{'design':>9}{'least':>9}{'most':>9}"
    for name in ("services", "tools", "tables", "hidden checks", "rows"):
        yield _line(name, [w.world[name] for w in worlds])
    yield (
        f"distinct: {len({t for w in worlds for t in w.tools})} tools, "
        f"{len({t for w in worlds for t in w.tables})} tables, {len({w.country for w in worlds})} countries, "
        f"{len({w.values['descriptions'] for w in worlds}):,} descriptions"
    )


def _of_tasks(corpus: list[Environment]) -> Iterator[str]:
    tasks = [task for world in corpus for task in world.tasks]
    yield f"RL corpus: {len(corpus):,} environments, {len(tasks):,} tasks"
    yield f"{'mean of':<22}{'mean':>9}{'design':>9}{'least':>9}{'most':>9}"
    yield _line("tools offered", [w.world["tools offered"] for w in corpus])
    yield _line("services touched", [float(task.services) for task in tasks])
    yield _line("assertions", [float(task.assertions) for task in tasks])
    yield _line("share at stake", [float(task.stake) for task in tasks])
    families = Counter(task.family for task in tasks)
    yield "families: " + ", ".join(
        f"{name} {count / len(tasks):.1%}" for name, count in families.most_common()
    )


def _line(name: str, values: list[float]) -> str:
    mean = sum(values) / len(values)
    return f"{name:<22}{mean:>9,.2f}{DESIGN[name]:>9,.2f}{min(values):>9,.0f}{max(values):>9,.0f}"


def _of_footprint(corpus: list[Environment], draw: int, seed: int) -> Iterator[str]:
    total = sum(len(world.tasks) for world in corpus)
    drawn = min(draw, total)
    places = [place for place, world in enumerate(corpus) for _ in world.tasks]
    hit = {places[task] for task in stream(seed, "census").sample(range(total), drawn)}
    yield f"{drawn:,} of {total:,} tasks drawn uniformly reach"
    yield f"{'dimension':<22}{'values':>9}{'reached':>9}{'expected':>9}{'design':>9}"
    for name in DIMENSIONS:
        counts: Counter[str] = Counter()
        for world in corpus:
            counts.update(dict.fromkeys(world.values[name], len(world.tasks)))
        reached = len({value for place in hit for value in corpus[place].values[name]})
        expected = rarefaction(counts.values(), total, drawn)
        yield (
            f"{name:<22}{len(counts):>9,}{reached / len(counts):>9.1%}{expected:>9.1%}{DESIGN[name]:>9.1%}"
        )


def rarefaction(counts: Iterable[int], total: int, drawn: int) -> float:
    """Share of values that `drawn` of `total` tasks are expected to reach; a value has counts[i] of them."""
    missed = [_missed(count, total, drawn) for count in counts]
    return 1 - sum(missed) / len(missed)


def _missed(count: int, total: int, drawn: int) -> float:
    if count + drawn > total:
        return 0.0
    return exp(
        lgamma(total - count + 1) + lgamma(total - drawn + 1)
        - lgamma(total - count - drawn + 1) - lgamma(total + 1)
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
