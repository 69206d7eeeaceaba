"""What tasks drawn uniformly and without repetition reach: exact mean and variance of the number of values.

Of N tasks k are drawn. A value that n tasks have is missed with probability C(N - n, k) / C(N, k) (Hurlbert
1971). For two values that n tasks have between them the same formula says how likely both are missed, which
gives the covariances (Heck, van Belle and Simberloff 1975), here also of values that share tasks.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from math import exp, lgamma, sqrt
from typing import NamedTuple

Z = 1.959964
"""Of a two-sided 95 % interval."""


class Expected(NamedTuple):
    """The share of values that a uniform draw reaches."""

    share: float  # mean
    deviation: float  # standard deviation

    @property
    def low(self) -> float:
        """2.5 % point, normal approximation."""
        return max(0.0, self.share - Z * self.deviation)

    @property
    def high(self) -> float:
        """97.5 % point, normal approximation."""
        return min(1.0, self.share + Z * self.deviation)


def rarefaction(counts: Iterable[int], total: int, drawn: int) -> float:
    """Share of values that `drawn` of `total` tasks are expected to reach; a value has counts[i] of them."""
    missed = [chance_of_missing(count, total, drawn) for count in counts]
    return 1 - sum(missed) / len(missed)


def chance_of_missing(count: int, total: int, drawn: int) -> float:
    """C(total - count, drawn) / C(total, drawn): that none of `count` tasks is among `drawn` ones."""
    if count + drawn > total:
        return 0.0
    return exp(
        lgamma(total - count + 1) + lgamma(total - drawn + 1)
        - lgamma(total - count - drawn + 1) - lgamma(total + 1)
    )  # fmt: skip


def expected(counts: Iterable[int], total: int, drawn: int) -> Expected:
    """Of values each task has exactly one of, e.g. its environment. counts: tasks of each value."""
    sizes = Counter(counts)
    values = sizes.total()
    return Expected(
        rarefaction(sizes.elements(), total, drawn), sqrt(max(0.0, _variance(sizes, total, drawn))) / values
    )


def expected_of_sets(sets: Mapping[frozenset[str], int], total: int, drawn: int) -> Expected:
    """Of values of which a task may have several, e.g. tools. sets: values -> tasks that have just these."""
    counts: Counter[str] = Counter()
    shared: Counter[tuple[str, str]] = Counter()
    for values, times in sets.items():
        for value in values:
            counts[value] += times
        for pair in combinations(sorted(values), 2):
            shared[pair] += times
    apart = _variance(Counter(counts.values()), total, drawn)
    variance = apart + 2 * _more(counts, shared, total, drawn)
    return Expected(rarefaction(counts.values(), total, drawn), sqrt(max(0.0, variance)) / len(counts))


def _variance(sizes: Counter[int], total: int, drawn: int) -> float:
    """Of the number of values reached, as if no two shared a task. sizes: tasks of a value -> such values."""
    missed = {n: chance_of_missing(n, total, drawn) for n in sizes}
    own = sum(times * missed[n] * (1 - missed[n]) for n, times in sizes.items())
    return own + sum(
        a * (b - (n == m)) * (chance_of_missing(n + m, total, drawn) - missed[n] * missed[m])
        for n, a in sizes.items()
        for m, b in sizes.items()
    )


def _more(counts: Counter[str], shared: Counter[tuple[str, str]], total: int, drawn: int) -> float:
    """What it changes in the covariances that pairs of values have tasks in common."""
    sums = [(counts[a] + counts[b], both) for (a, b), both in shared.items()]
    missed = {n: chance_of_missing(n, total, drawn) for s, both in sums for n in (s, s - both)}
    return sum(missed[s - both] - missed[s] for s, both in sums)
