"""Two authors on the same briefs, and the interval of one."""

from math import sqrt
from statistics import NormalDist

from planet.author_eval.measure import Evaluation
from planet.records.frozen import Frozen


class Comparison(Frozen):
    """McNemar's exact test on success of two authors with the same briefs."""

    briefs: int  # that both have tried
    admitted: tuple[int, int]  # of them
    alone: tuple[int, int]  # of them, where only the one or only the other had a world admitted
    p: float  # two-sided; the chance of a split of `alone` at least as uneven if both succeed equally often


def compare(first: Evaluation, second: Evaluation) -> Comparison | None:
    """The test on the briefs that both have tried; None when there is none."""
    worlds = [{o.number: o.admitted for o in e.outcomes} for e in (first, second)]
    pairs = [(worlds[0][n], worlds[1][n]) for n in worlds[0].keys() & worlds[1].keys()]
    if not pairs:
        return None
    alone = pairs.count((True, False)), pairs.count((False, True))
    return Comparison(
        briefs=len(pairs),
        admitted=(sum(a for a, _ in pairs), sum(b for _, b in pairs)),
        alone=alone,
        p=_mcnemar(*alone),
    )


def _mcnemar(first: int, second: int) -> float:
    """A brief that tells the authors apart is as good as a coin, if they are; 1.0 when none does."""
    if first + second == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(first, first + second).pvalue)


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
