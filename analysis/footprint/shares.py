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
    pool: int  # values in the pool at that update; at least 1
    expected: float  # share that uniform draws reach on average
    low: float  # 2.5 and 97.5 % points of that share
    high: float

    @property
    def share(self) -> float:
        return self.reached / self.pool

    @property
    def outside(self) -> bool:
        """Whether the share lies outside of the band of uniform draws."""
        return not self.low <= self.share <= self.high


def footprint(
    pool: Mapping[str, PoolTask], updates: Sequence[Update], *, draws: int = DRAWS, seed: int = 0
) -> list[Reached]:
    """Reached and expected shares after every update, cumulated and within its iteration, by dimension.

    A dimension of which the pool holds no value yet (no task puts a rule at stake) is left out.
    """
    if not updates:
        raise DataError("the run has no updates yet; a footprint needs at least one")
    names = sorted(pool)
    place = {name: index for index, name in enumerate(names)}
    since = np.array([pool[name].since for name in names])
    drawn = _uniform_draws(since, updates, draws, seed)
    actual = [np.array([[place[task] for task in update.tasks]], dtype=int) for update in updates]
    out: list[Reached] = []
    for dimension in DIMENSIONS:
        touched = _touched(pool, names, dimension)
        if touched.values:
            out += _dimension(dimension, touched, since, updates, actual, drawn)
    return out


def ends_of_iterations(reached: Sequence[Reached]) -> list[Reached]:
    """What was reached at the last update of every iteration, updates outside of iterations left out."""
    last = {r.iteration: r.update for r in reached}
    return [r for r in reached if r.iteration is not None and r.update == last[r.iteration]]


class _Touched(NamedTuple):
    """Which values of a dimension each task touches."""

    places: Any  # indices of values, (task, width); short rows are filled up with `values`
    values: int  # how many there are


def _touched(pool: Mapping[str, PoolTask], names: Sequence[str], dimension: str) -> _Touched:
    values = sorted({value for name in names for value in pool[name].values[dimension]})
    place = {value: index for index, value in enumerate(values)}
    rows = [[place[value] for value in pool[name].values[dimension]] for name in names]
    width = max(len(row) for row in rows)
    filled = [row + [len(values)] * (width - len(row)) for row in rows]
    return _Touched(np.array(filled, dtype=int).reshape(len(rows), width), len(values))


def _dimension(
    dimension: str,
    touched: _Touched,
    since: Any,
    updates: Sequence[Update],
    actual: Sequence[Any],
    drawn: Sequence[Any],
) -> list[Reached]:
    """Both scopes of one dimension. `actual`, `drawn`: per update, task indices, (1 or draw, task)."""
    seen = {scope: _Both(touched, len(drawn[0])) for scope in ("cumulated", "iteration")}
    sizes: dict[int, int] = {}  # tasks in the pool -> values in it
    out, iteration = [], updates[0].iteration
    for update, own, uniform in zip(updates, actual, drawn, strict=True):
        if update.iteration != iteration:
            seen["iteration"], iteration = _Both(touched, len(uniform)), update.iteration
        pooled = since < update.step
        tasks = int(pooled.sum())
        if tasks not in sizes:
            sizes[tasks] = int((np.unique(touched.places[pooled]) < touched.values).sum())
        for scope, state in seen.items():
            state.own.add(own)
            state.uniform.add(uniform)
            if sizes[tasks]:
                out.append(_reached(dimension, scope, update, sizes[tasks], state))
    return out


def _reached(dimension: str, scope: str, update: Update, size: int, state: "_Both") -> Reached:
    shares = state.uniform.counts / size
    low, high = np.quantile(shares, [0.5 - LEVEL / 2, 0.5 + LEVEL / 2])
    band = (float(shares.mean()), float(low), float(high))
    return Reached(dimension, scope, update.iteration, update.number, int(state.own.counts[0]), size, *band)


class _Both:
    """Values touched so far by the run, and by each of the uniform draws."""

    def __init__(self, touched: _Touched, draws: int) -> None:
        self.own, self.uniform = _Seen(touched, 1), _Seen(touched, draws)


class _Seen:
    """Values touched so far in each of some independent draws, and how many these are, (draw,)."""

    def __init__(self, touched: _Touched, draws: int) -> None:
        self._places, self._width = touched.places, touched.values + 1
        self._starts = self._width * np.arange(draws)[:, None]
        self._seen = np.zeros(draws * self._width, dtype=bool)
        self._seen[touched.values :: self._width] = True  # the filling of short rows is no value
        self.counts = np.zeros(draws, dtype=int)

    def add(self, tasks: Any) -> None:
        """Touch what the tasks of each draw touch. tasks: indices, (draw, task)."""
        codes = (self._starts + self._places[tasks].reshape(len(tasks), -1)).ravel()
        fresh = np.unique(codes[~self._seen[codes]])
        self._seen[fresh] = True
        self.counts += np.bincount(fresh // self._width, minlength=len(self.counts))


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
        out.append(available[subsets(generator, len(available), len(update.tasks), draws)])
    return out


def subsets(generator: np.random.Generator, size: int, count: int, draws: int) -> Any:
    """Uniform subsets of `count` of the numbers below `size`, (draw, count).

    Floyd's algorithm (Bentley and Floyd 1987), all draws at once: the number j joins where the one drawn from
    0 to j is taken already.
    """
    tried = generator.integers(0, np.arange(size - count + 1, size + 1), size=(draws, count))
    taken = np.zeros((draws, size), dtype=bool)
    rows = np.arange(draws)
    for column in range(count):
        again = taken[rows, tried[:, column]]
        tried[again, column] = size - count + column
        taken[rows, tried[:, column]] = True
    return tried
