"""Two authors on the same briefs, and the interval of one."""

from math import sqrt
from statistics import NormalDist

from planet.author_eval.measure import Evaluation
from planet.records.frozen import Frozen


class Comparison(Frozen):
    """Fisher's exact test on success of two authors."""

    admitted: tuple[int, int]
    briefs: tuple[int, int]
    p: float  # two-sided; the chance of a table at least as unlikely if both succeed equally often


def compare(first: Evaluation, second: Evaluation) -> Comparison | None:
    """The test; None when one of them has no outcome."""
    if not first.outcomes or not second.outcomes:
        return None
    from scipy.stats import fisher_exact

    tables = [[e.admitted, len(e.outcomes) - e.admitted] for e in (first, second)]
    return Comparison(
        admitted=(first.admitted, second.admitted),
        briefs=(len(first.outcomes), len(second.outcomes)),
        p=float(fisher_exact(tables).pvalue),
    )


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share; (0, 1) when nothing was tried."""
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, square = successes / trials, z * z / trials
    centre = share + square / 2
    half = z * sqrt(share * (1 - share) / trials + square / (4 * trials))
    low, high = (centre - half) / (1 + square), (centre + half) / (1 + square)
    return max(0.0, low), min(1.0, high)
