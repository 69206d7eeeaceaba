"""How fast library worlds are made, beside one bare transaction of their rows, and how fast they are checked.

CPU seconds of this process, so that a busy machine does not count; the median over worlds.
"""

import sqlite3
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import NamedTuple, TypeVar

from planet.author.artifacts import LINKS, Artifact, Context, Link
from planet.author.template import TemplateAuthor
from planet.catalog import Catalog, load_catalog
from planet.construct import expand
from planet.identity import seed_of
from planet.records.world import Brief, World, WorldKey
from planet.tasks.grow import grow_tasks
from planet.validators import validate
from planet.world.database import DOCUMENTS, build, create_table, quote
from planet.world.session import forget_images

Made = TypeVar("Made")


class Timing(NamedTuple):
    """CPU seconds of one library world."""

    made: float  # authored, expanded and inserted
    bare: float  # the same definitions and rows, `executemany` in one transaction
    validated: float  # the twelve validators
    audited: float  # ten tasks drafted and audited, refused drafts included


def bench_library(count: int) -> Timing:
    """Medians over `count` worlds; the first one, which pays for imports and caches, is left out."""
    catalog = load_catalog(profile="library")
    timings = [_timed(seed_of("bench", number), catalog) for number in range(count + 1)][1:]
    return Timing(*(median(column) for column in zip(*timings, strict=True)))


def _timed(seed: int, catalog: Catalog) -> Timing:
    brief = Brief(text="bench", profile="library")
    made, (world, key) = _spent(lambda: _made(brief, catalog, seed))
    bare, _ = _spent(lambda: _inserted(world))
    validated, _ = _spent(lambda: validate(world, key, catalog))
    audited, _ = _spent(lambda: grow_tasks(world, key, 10, seed))
    forget_images()
    return Timing(made, bare, validated, audited)


def _spent(work: Callable[[], Made]) -> tuple[float, Made]:
    start = process_time()
    outcome = work()
    return process_time() - start, outcome


def _made(brief: Brief, catalog: Catalog, seed: int) -> tuple[World, WorldKey]:
    author, artifacts = TemplateAuthor(), dict[Link, Artifact]()
    for link in LINKS:
        context = Context(brief=brief, catalog=catalog, seed=seed, attempt=0, artifacts=dict(artifacts))
        artifacts[link], _ = author.propose(link, context)
    world, key = expand(brief, catalog, seed, artifacts)
    build(world).close()
    return world, key


def _inserted(world: World) -> None:
    """What the rate is compared with: nothing but SQLite's own work."""
    tables = [
        (create_table(r), f"INSERT INTO {quote(r.name)} VALUES ({', '.join('?' * len(r.columns))})", r.name)
        for r in world.layout.resources
    ]
    pages = [(d.id, d.title, d.body) for d in world.documents]
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("BEGIN")
    for definition, insert, name in tables:
        connection.execute(definition)
        connection.executemany(insert, world.seed.rows[name])
    connection.execute(DOCUMENTS)
    connection.executemany('INSERT INTO "documents" VALUES (?, ?, ?)', pages)
    connection.execute("COMMIT")
    connection.close()
