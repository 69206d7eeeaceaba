"""How far two labellings of the same items agree, beyond chance.

AMI first: it is adjusted for chance and for the number of clusters. ARI second. The p-value permutes one
labelling; permuting it within phrasing templates asks whether agreement is left once the template is known,
and gives 1 where the template alone decides a labelling.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

PERMUTATIONS = 999


class Agreement(NamedTuple):
    """The agreement of two labellings."""

    first: str
    second: str
    ami: float  # adjusted mutual information; 0 is chance, 1 is equality
    ari: float  # adjusted Rand index; 0 is chance, 1 is equality
    p: float  # of as much mutual information under random permutation
    p_within: float | None  # the same within strata; None: no strata, or one of the two is the strata


def agreement(
    first: str,
    second: str,
    labels: Mapping[str, Sequence[Any]],
    *,
    strata: str | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Agreement:
    """The agreement of `labels[first]` and `labels[second]`.

    strata: a third labelling, within which the second permutation test shuffles.
    """
    from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

    one, other = _codes(labels[first]), _codes(labels[second])
    within = None
    if strata is not None and strata not in (first, second):
        within = _p_value(one, other, _codes(labels[strata]), permutations, seed)
    return Agreement(
        first,
        second,
        float(adjusted_mutual_info_score(one, other)),
        float(adjusted_rand_score(one, other)),
        _p_value(one, other, one * 0, permutations, seed),
        within,
    )


def _codes(labels: Sequence[Any]) -> Any:
    """Labels as numbers from 0."""
    import numpy as np

    return np.unique([str(label) for label in labels], return_inverse=True)[1]


def _p_value(one: Any, other: Any, strata: Any, permutations: int, seed: int) -> float:
    """Share of permutations within strata with at least the observed mutual information, itself included."""
    import numpy as np

    generator = np.random.default_rng(seed)
    by_stratum = np.argsort(strata, kind="stable")
    observed = _information(one, other)
    as_much = 1
    for _ in range(permutations):
        shuffled = np.empty_like(other)
        shuffled[by_stratum] = other[np.lexsort((generator.random(len(other)), strata))]
        as_much += _information(one, shuffled) >= observed - 1e-12
    return as_much / (permutations + 1)


def _information(one: Any, other: Any) -> float:
    """Mutual information in nats, up to a constant that permutation does not change: Σ n_ij ln n_ij / n."""
    import numpy as np

    pairs = np.bincount(one * (other.max() + 1) + other)
    pairs = pairs[pairs > 0]
    return float((pairs * np.log(pairs)).sum() / len(one))
