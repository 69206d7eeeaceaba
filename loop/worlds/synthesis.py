"""One brief, one call of PLANET, and what the loop keeps of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, NamedTuple

from planet.author.artifacts import AuthorCost, Link
from planet.catalog import Catalog
from planet.errors import BriefError
from planet.records.task import Task
from planet.records.world import Brief, World, WorldKey
from planet.synthesize import LEAST_SHARE, synthesize
from planet.tasks.grow import grow_tasks


class AuthorCall(NamedTuple):
    """One proposal of an author for a link, as the ledger keeps it."""

    author: str  # its name
    link: Link
    attempt: int  # from 0 within the link
    accepted: bool
    refused: tuple[str, ...]  # findings that it answers
    cost: AuthorCost


@dataclass(frozen=True)
class Synthesized:
    """The outcome of one synthesis: an audited world with its tasks, or the rules that refused it."""

    world: World | None
    key: WorldKey | None
    tasks: tuple[Task, ...]
    refused: dict[str, int]  # validator, audit or admission rule -> count, of worlds and tasks on the way
    audit_steps: int  # calls that audits executed
    on_target: bool | None  # None: not aimed, or no world
    valid: bool  # whether a world passed the validators, refused or not
    calls: tuple[AuthorCall, ...] = field(default=(), repr=False)  # of the author, in order
    stopped: str | None = None  # why the author could not go on; None: it could

    @property
    def complete(self) -> bool:
        """Whether there is a world with tasks."""
        return self.world is not None and self.key is not None and bool(self.tasks)


def synthesized(
    brief: Brief,
    author: Any,
    catalog: Catalog,
    seed: int,
    tasks: int,
    unfit: Callable[[World], Sequence[str]] = lambda world: (),
) -> Synthesized:
    """Synthesize one brief; one that the catalog cannot meet is refused by the rule `brief`.

    `unfit`: rules by which a sound world is refused before it has tasks; no audit is charged for it.
    """
    try:
        made = synthesize(brief, author, catalog, seed, tasks, unfit)
    except BriefError:
        return Synthesized(None, None, (), {"brief": 1}, 0, on_target=None, valid=False)
    off_target = {"off_target": 1} if made.on_target is False else {}
    return Synthesized(
        world=made.world,
        key=made.key,
        tasks=tuple(made.tasks),
        refused={**made.refused, **off_target},
        audit_steps=made.audit_steps,
        on_target=made.on_target,
        valid=made.trace.valid,
        calls=tuple(
            AuthorCall(made.trace.author, a.link, a.attempt, a.problem is None, a.report, a.cost)
            for a in made.trace.attempts
        ),
        stopped=made.trace.stopped,
    )


def more_tasks(world: World, key: WorldKey, known: tuple[Task, ...], count: int, seed: int) -> Synthesized:
    """`count` more audited tasks of a world, none of which says what a known one says.

    Too few of them are refused, as a new world with too few would be; no author is asked.
    """
    grown = grow_tasks(world, key, count, seed, known=[task.view.instruction for task in known])
    ids = {task.id for task in known}
    tasks = tuple(task for task in grown.tasks if task.id not in ids)
    refused = dict(grown.refused)
    if len(tasks) < ceil(count * LEAST_SHARE):
        refused["too_few_tasks"] = refused.get("too_few_tasks", 0) + 1
        tasks = ()
    return Synthesized(world, key, tasks, refused, grown.audit_steps, on_target=None, valid=True)
