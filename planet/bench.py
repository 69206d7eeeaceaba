"""`python -m planet.bench`: how fast worlds run, as ratios to raw SQLite measured in the same run.

An episode's start is compared with a raw savepoint + update + rollback, a tool call with its bare statement.
"""

import sqlite3
from collections.abc import Callable
from statistics import median
from time import perf_counter

from planet.author.template import TemplateAuthor
from planet.catalog import load_catalog
from planet.command import command, positive
from planet.records.task import Task
from planet.records.world import Brief, Resource
from planet.synthesize import Synthesis, synthesize
from planet.world.database import build, quote
from planet.world.session import Session


def timed(work: Callable[[], object], repeats: int, rounds: int = 9) -> float:
    """Microseconds per call: the median over rounds of `repeats` calls."""
    seconds = []
    for _ in range(rounds):
        start = perf_counter()
        for _ in range(repeats):
            work()
        seconds.append((perf_counter() - start) / repeats)
    return median(seconds) * 1e6


def bench_episode(session: Session, task: Task, raw: sqlite3.Connection, repeats: int) -> tuple[float, float]:
    """(begin, raw savepoint + update + rollback) in microseconds."""
    edit = task.key.delta[0]
    column, value = next(iter(edit.values.items()))
    sql = f'UPDATE {quote(edit.table)} SET {quote(column)} = ? WHERE "id" = ?'

    def baseline() -> None:
        raw.execute("SAVEPOINT s")
        raw.execute(sql, (value, edit.key))
        raw.execute("ROLLBACK TO s")
        raw.execute("RELEASE s")

    session.begin(task)
    return timed(lambda: session.begin(task), repeats), timed(baseline, repeats)


def bench_calls(
    session: Session, task: Task, raw: sqlite3.Connection, repeats: int
) -> dict[str, tuple[float, float]]:
    """Operation -> (tool call, bare statement) in microseconds."""
    resource = session.image.world.layout.resource(session.image.world.slice[0])
    session.begin(task)
    key = session.image.world.seed.rows[resource.name][0][0]
    status = resource.column(resource.status).values[0]
    shown = f'SELECT "id", {quote(resource.label)}, {quote(resource.status)} FROM {quote(resource.name)}'
    filters = [{"column": resource.status, "op": "=", "value": status}]
    plans = {
        "get": ({"id": key}, f'SELECT * FROM {quote(resource.name)} WHERE "id" = ?', (key,)),
        "search": (
            {"filters": filters},
            f'{shown} WHERE {quote(resource.status)} = ? ORDER BY "id" LIMIT 6 OFFSET ?',
            (status, 0),
        ),
        "list": ({}, f'{shown} ORDER BY "id" LIMIT 6 OFFSET ?', (0,)),
        "update": (
            {"id": key, resource.status: status},
            f'UPDATE {quote(resource.name)} SET {quote(resource.status)} = ? WHERE "id" = ?',
            (status, key),
        ),
    }
    return {
        operation: (
            _tool(session, task, operation, resource, arguments, repeats),
            _bare(raw, sql, values, repeats),
        )
        for operation, (arguments, sql, values) in plans.items()
    }


def _tool(
    session: Session, task: Task, operation: str, resource: Resource, arguments: dict, repeats: int
) -> float:
    name = f"{operation}_{resource.name}"
    session.turns = None

    def work() -> None:
        if len(session.calls) > 200:  # an episode's length, so that its log stays as short as it really is
            session.begin(task)
        session.call(name, arguments)

    return timed(work, repeats)


def _bare(raw: sqlite3.Connection, sql: str, values: tuple, repeats: int) -> float:
    return timed(lambda: raw.execute(sql, values).fetchall(), repeats)


def _world() -> tuple[Synthesis, Task]:
    """The first template world with a task that has a delta of one edit."""
    catalog = load_catalog()
    for seed in range(100):
        made = synthesize(Brief(text="bench"), TemplateAuthor(), catalog, seed)
        task = next((t for t in made.tasks if len(t.key.delta) == 1), None)
        if task is not None:
            return made, task
    raise SystemExit("no template world among 100 has a task with a delta of one edit")


def _print_library(count: int) -> None:
    from planet.bench_library import bench_library

    spent = bench_library(count)
    print(f"a library world, median CPU milliseconds of {count}:")
    print(f"{'authored, expanded, inserted':<30}{spent.made * 1e3:>9.1f}")
    print(f"{'the same rows, executemany':<30}{spent.bare * 1e3:>9.1f}")
    print(f"{'rate against executemany':<30}{spent.bare / spent.made:>9.2f}  bound 0.20")
    print(f"{'validated':<30}{spent.validated * 1e3:>9.1f}")
    print(f"{'ten tasks grown and audited':<30}{spent.audited * 1e3:>9.1f}")
    print(f"{'validated and audited':<30}{(spent.validated + spent.audited) * 1e3:>9.1f}  bound 500")


def main(argv: list[str] | None = None) -> int:
    """Print the table; exit code 0."""
    parser = command("bench", "How fast worlds run, as ratios to raw SQLite measured in the same run.")
    parser.add_argument("--repeats", type=positive, default=2000, help="calls per round (default 2000)")
    parser.add_argument("--library", type=positive, metavar="N", help="N library worlds instead")
    given = parser.parse_args(argv)
    if given.library:
        _print_library(given.library)
        return 0
    repeats = given.repeats
    made, task = _world()
    assert made.world is not None and made.key is not None
    session = Session(made.world, made.key)
    raw = build(made.world)
    raw.execute("PRAGMA foreign_keys = ON")
    print(f"{'what':<28}{'µs':>9}{'raw SQLite µs':>15}{'ratio':>8}{'bound':>7}")
    rows = {"new episode": (*bench_episode(session, task, raw, repeats), 5.0)}
    raw.execute("BEGIN")  # a session works inside a savepoint, so its statements do not commit one by one
    rows |= {
        f"tool call: {op}": (*pair, 4.0) for op, pair in bench_calls(session, task, raw, repeats).items()
    }
    for name, (ours, theirs, bound) in rows.items():
        print(f"{name:<28}{ours:>9.2f}{theirs:>15.2f}{ours / theirs:>8.2f}{bound:>7.1f}")
    session.begin(task)
    print(f"{'grade':<28}{timed(session.grade, max(1, repeats // 10)):>9.2f}")
    start = perf_counter()
    count = 20
    catalog = load_catalog()
    for seed in range(count):
        synthesize(Brief(text="bench"), TemplateAuthor(), catalog, 1000 + seed)
    print(f"{'world with 10 audited tasks':<28}{(perf_counter() - start) / count * 1e6:>9.0f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
