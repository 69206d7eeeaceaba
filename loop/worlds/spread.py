"""Some of the tasks of many worlds, spread evenly."""

from collections.abc import Sequence
from dataclasses import replace

from loop.worlds.pool import Environment
from planet.identity import stream


def spread(environments: Sequence[Environment], count: int, seed: int) -> list[Environment]:
    """The environments with `count` tasks in all, or with all that there are; those without any are left out.

    Each world gives one task after the other, in an order drawn for it, so that the numbers of two worlds
    differ by one at most while they have enough; a larger `count` adds tasks to those of a smaller one.
    """
    drawn = [_order(len(e.tasks), seed, e.world.id) for e in environments]
    order = _order(len(environments), seed)
    taken: list[set[int]] = [set() for _ in environments]
    for turn in range(max(map(len, drawn), default=0)):
        for place in order:
            if count > 0 and turn < len(drawn[place]):
                taken[place].add(drawn[place][turn])
                count -= 1
    return [
        replace(e, tasks=tuple(task for i, task in enumerate(e.tasks) if i in kept))
        for e, kept in zip(environments, taken, strict=True)
        if kept
    ]


def _order(count: int, *names: str | int) -> list[int]:
    return stream("spread", *names).sample(range(count), count)
