"""Cores for seeds that run side by side: each gets its own, lest their threads wait for each other."""

import os
from itertools import pairwise


def shares(side_by_side: int) -> list[tuple[int, ...]]:
    """The cores of this process, dealt out; all shares are empty when there are not enough to deal, or where
    a process cannot be kept to some."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if side_by_side == 1 or len(cores) < side_by_side:
        return [()] * side_by_side
    each, more = divmod(len(cores), side_by_side)
    starts = [part * each + min(part, more) for part in range(side_by_side + 1)]
    return [tuple(cores[start:stop]) for start, stop in pairwise(starts)]


def written(share: tuple[int, ...]) -> str:
    """A share as an argument of a command."""
    return ",".join(map(str, share))


def keep_to(text: str) -> None:
    """Keep this process, and the threads that it begins from now on, to a written share."""
    os.sched_setaffinity(0, [int(core) for core in text.split(",")])
