"""Shares of the pool that received a gradient, and what uniform draws would reach.

A task received a gradient when one of its groups was admitted. The expectation draws, for every update of the
run, as many tasks as received a gradient in it, uniformly and without repetition, from the pool as it stood.
Coverage alone proves nothing: a uniform draw covers a lot.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.errors import DataError
from analysis.footprint.pool import DIMENSIONS, PoolTask, Update

DRAWS = 500
LEVEL = 0.95


class Reached(NamedTuple):
    """How much of one dimension was reached by the end of an update."""

    dimension: str
    scope: str  # "cumulated" from the first update on, or "iteration" from the iteration's first one on
    iteration: int | None
    update: int
    reached: int  # values with a gradient
    pool: int  # values in the pool at that update
    expected: float  # share that uniform draws reach on average
    low: float  # 2.5 and 97.5 % points of that share
    high: float

    @property
    def share(self) -> float:
        return self.reached / self.pool


def footprint(
    pool: Mapping[str, PoolTask], updates: Sequence[Update], *, draws: int = DRAWS, seed: int = 0
) -> list[Reached]:
    """Reached and expected shares after every update, cumulated and within its iteration, by dimension."""
    if not updates:
        raise DataError("the run has no updates yet; a footprint needs at least one")
    names = sorted(pool)
    place = {name: index for index, name in enumerate(names)}
    since = np.array([pool[name].since for name in names])
    drawn = _uniform_draws(since, updates, draws, seed)
    actual = [np.array([[place[task] for task in update.tasks]], dtype=int) for update in updates]
    out: list[Reached] = []
    for dimension in DIMENSIONS:
        touches = _touched(pool, names, dimension)
        out += _dimension(dimension, touches, since, updates, actual, drawn)
    return out


def _dimension(
    dimension: str,
    touches: Any,
    since: Any,
    updates: Sequence[Update],
    actual: Sequence[Any],
    drawn: Sequence[Any],
) -> list[Reached]:
    """Both scopes of one dimension. `actual`, `drawn`: per update, task indices, (1 or draw, task)."""
    values = int(touches.max()) + 1
    seen = {scope: _Seen(len(drawn[0]), values) for scope in ("cumulated", "iteration")}
    sizes: dict[int, int] = {}  # tasks in the pool -> values in it
    out, iteration = [], updates[0].iteration
    for update, own, uniform in zip(updates, actual, drawn, strict=True):
        if update.iteration != iteration:
            seen["iteration"], iteration = _Seen(len(uniform), values), update.iteration
        pooled = since < update.step
        tasks = int(pooled.sum())
        if tasks not in sizes:
            sizes[tasks] = len(np.unique(touches[pooled]))
        for scope, state in seen.items():
            state.add(touches, own, uniform)
            shares = state.uniform.sum(axis=1) / sizes[tasks]
            low, high = np.quantile(shares, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
            reached = int(state.own.sum())
            band = (float(shares.mean()), float(low), float(high))
            out.append(
                Reached(dimension, scope, update.iteration, update.number, reached, sizes[tasks], *band)
            )
    return out


class _Seen:
    """Values touched so far: by the run, (1, value), and by each uniform draw, (draw, value)."""

    def __init__(self, draws: int, values: int) -> None:
        self.own = np.zeros((1, values), dtype=bool)
        self.uniform = np.zeros((draws, values), dtype=bool)

    def add(self, touches: Any, own: Any, uniform: Any) -> None:
        for state, tasks in ((self.own, own), (self.uniform, uniform)):
            state[np.arange(len(state))[:, None], touches[tasks].reshape(len(state), -1)] = True


def _uniform_draws(since: Any, updates: Sequence[Update], draws: int, seed: int) -> list[Any]:
    """Per update, indices of tasks drawn without repetition from the pool of that time, (draw, task)."""
    generator = np.random.default_rng(seed)
    out = []
    for update in updates:
        available = np.flatnonzero(since < update.step)
        if len(update.tasks) > len(available):
            raise DataError(
                f"update {update.number} has more tasks than its pool; the ledger is inconsistent"
            )
        rows = [generator.choice(available, len(update.tasks), replace=False) for _ in range(draws)]
        out.append(np.array(rows, dtype=int).reshape(draws, len(update.tasks)))
    return out


def _touched(pool: Mapping[str, PoolTask], names: Sequence[str], dimension: str) -> Any:
    """Which values each task touches, as indices, (task, value); short rows repeat their first value."""
    values = sorted({value for name in names for value in pool[name].values[dimension]})
    place = {value: index for index, value in enumerate(values)}
    rows = [[place[value] for value in pool[name].values[dimension]] for name in names]
    width = max(len(row) for row in rows)
    return np.array([row + row[:1] * (width - len(row)) for row in rows], dtype=int)
