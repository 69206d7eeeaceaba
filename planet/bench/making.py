"""How fast worlds are made and checked, beside one bare transaction of their rows."""

import gc
import sqlite3
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from planet.author.artifacts import proposals
from planet.author.template import TemplateAuthor
from planet.bench.row import Row
from planet.bench.spread import spent, spread
from planet.bench.stage import TASKS
from planet.catalog import Catalog, load_catalog
from planet.construct import expand
from planet.identity import seed_of
from planet.records.world import Brief, Profile, Resource, World, WorldKey
from planet.tasks.audit import Auditor
from planet.tasks.grow import TURNS, grow_tasks
from planet.validators import validate
from planet.world.database import DOCUMENTS, build, create_table, quote
from planet.world.session import forget_images

BOUND = 5.0
"""Making a library world should take no longer than so often `executemany` of its rows: 1/5 of its rate."""
CHECKED = 500_000.0
"""CPU microseconds that validating a library world, and growing and auditing its tasks, should not exceed."""
_BARE = "executemany of the world's rows"


class Times(NamedTuple):
    """CPU microseconds of one world."""

    made: float  # authored, expanded and inserted
    bare: float  # the same definitions and rows, `executemany` in one transaction
    validated: float  # the twelve validators
    grown: float  # tasks drafted and audited, refused drafts included
    audits: tuple[float, ...]  # each of the tasks that were admitted, audited again, one after the other


def making_rows(profile: Profile, worlds: int) -> list[Row]:
    """Making, validation, audit and growth over so many worlds, one more that only warms up."""
    catalog = load_catalog(profile=profile)
    times = [_times(seed_of("bench", profile, number), profile, catalog) for number in range(worlds + 1)][1:]
    bare = spread([each.bare for each in times])
    parts = {
        "synthesize: author, expand, insert": [each.made for each in times],
        "validate a world": [each.validated for each in times],
        "audit a task": [audit for each in times for audit in each.audits],
        f"grow and audit {TASKS} tasks": [each.grown for each in times],
    }
    rows = [Row(what=what, ours=spread(found), raw=bare, raw_is=_BARE) for what, found in parts.items()]
    return [rows[0].replace(bound=BOUND if profile == "library" else None), *rows[1:]]


def verdict(rows: list[Row], profile: Profile) -> Iterator[str]:
    """What the rows of `making_rows` come to, against what was asked for."""
    made, validated, _, grown = rows
    rate, time = "", ""
    if profile == "library":
        rate, time = f" (bound {1 / BOUND:.2f})", f" (bound {CHECKED / 1e3:.0f})"
    if made.ratio:
        yield f"making runs at {1 / made.ratio:.2f} of the rate of executemany{rate}"
    checked = (validated.ours.median + grown.ours.median) / 1e3
    yield f"validation and audit take {checked:.0f} CPU milliseconds a world{time}"


def _times(seed: int, profile: Profile, catalog: Catalog) -> Times:
    brief = Brief(text="bench", profile=profile)
    gc.collect()  # what the world before left behind is not this one's
    made, (world, key) = spent(lambda: _made(brief, catalog, seed))
    bare, _ = spent(_Bare(world).insert)
    validated, _ = spent(lambda: validate(world, key, catalog))
    grown, growth = spent(lambda: grow_tasks(world, key, TASKS, seed))
    auditor = Auditor(world, key, TURNS[profile])
    audits = tuple(spent(partial(auditor.audit, task))[0] for task in growth.tasks)
    auditor.close()
    forget_images()
    return Times(made, bare, validated, grown, audits)


def _made(brief: Brief, catalog: Catalog, seed: int) -> tuple[World, WorldKey]:
    world, key = expand(brief, catalog, seed, proposals(TemplateAuthor(), brief, catalog, seed))
    build(world).close()
    return world, key


class _Bare:
    """What is compared with: nothing but SQLite's own work, its statements written beforehand."""

    def __init__(self, world: World) -> None:
        self.tables = [(create_table(r), _insert(r), r.name) for r in world.layout.resources]
        self.rows, self.pages = world.seed.rows, [(d.id, d.title, d.body) for d in world.documents]

    def insert(self) -> None:
        """All in one transaction."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.execute("BEGIN")
        for definition, insert, name in self.tables:
            connection.execute(definition)
            connection.executemany(insert, self.rows[name])
        connection.execute(DOCUMENTS)
        connection.executemany('INSERT INTO "documents" VALUES (?, ?, ?)', self.pages)
        connection.execute("COMMIT")
        connection.close()


def _insert(table: Resource) -> str:
    return f"INSERT INTO {quote(table.name)} VALUES ({', '.join('?' * len(table.columns))})"
