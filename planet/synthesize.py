"""From a brief to an admitted world with audited tasks."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import ceil

from planet.author.artifacts import Author, AuthorCost
from planet.catalog import Catalog
from planet.cells import on_target
from planet.construct import ConstructionTrace, construct
from planet.identity import seed_of
from planet.records.frozen import Frozen
from planet.records.task import Task
from planet.records.world import Brief, World, WorldKey
from planet.tasks.grow import grow_tasks

LEAST_SHARE = 0.6
"""A world that grows fewer than this share of the tasks asked for is refused as too poor."""


class Synthesis(Frozen):
    """What became of one brief."""

    world: World | None  # None: refused
    key: WorldKey | None
    tasks: tuple[Task, ...]
    trace: ConstructionTrace
    refused: dict[str, int]  # cause -> count, as `planet.refusal_words` has them
    audit_steps: int  # session calls executed by audits: charged
    on_target: bool | None  # at least half of the tasks exercise the brief's first cell; None: no target
    cost: AuthorCost


def synthesize(
    brief: Brief,
    author: Author,
    catalog: Catalog,
    seed: int,
    tasks: int = 10,
    unfit: Callable[[World], Sequence[str]] = lambda world: (),
) -> Synthesis:
    """Construct a world for the brief, grow and audit its tasks. BriefError when the brief cannot be met.

    `unfit`: names of the rules by which a sound world is unwanted, whatever its tasks may be. It is refused,
    and counted under them, before it has any, so that no audit is spent on it.
    """
    made = construct(brief, author, catalog, seed)
    refused = Counter(made.trace.refused)
    if made.world is None or made.key is None:
        return _refusal(made.trace, refused, 0)
    if broken := unfit(made.world):
        refused.update(broken)
        return _refusal(made.trace, refused, 0)
    growth = grow_tasks(made.world, made.key, tasks, seed_of(seed, "tasks"))
    refused.update(growth.refused)
    if len(growth.tasks) < ceil(tasks * LEAST_SHARE):
        refused["too_few_tasks"] += 1
        return _refusal(made.trace, refused, growth.audit_steps)
    return Synthesis(
        world=made.world,
        key=made.key,
        tasks=growth.tasks,
        trace=made.trace,
        refused=dict(refused),
        audit_steps=growth.audit_steps,
        on_target=hits_target(brief, growth.tasks),
        cost=made.trace.cost,
    )


def _refusal(trace: ConstructionTrace, refused: Counter[str], steps: int) -> Synthesis:
    return Synthesis(
        world=None,
        key=None,
        tasks=(),
        trace=trace,
        refused=dict(refused),
        audit_steps=steps,
        on_target=None,
        cost=trace.cost,
    )


def hits_target(brief: Brief, tasks: tuple[Task, ...]) -> bool | None:
    """Whether at least half of the tasks have an oracle write and an assertion owned by the first cell."""
    if brief.target is None or not tasks:
        return None
    hits = sum(on_target(t.key, brief.target.cells[0]) for t in tasks)
    return 2 * hits >= len(tasks)


def main(argv: list[str] | None = None) -> int:
    """The command `python -m planet.synthesize`: many worlds in a folder."""
    from planet.corpus import main as make_corpus

    return make_corpus(argv)


if __name__ == "__main__":
    raise SystemExit(main())
