"""The numbers behind a cell's rate: Wilson's bound, empirical-Bayes Beta-Binomial posterior, learnability.

Counts may be fractions: several suspects of one failure share it.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

CONFIDENCE = 0.95  # of the one-sided bound
WEAKEST_PRIOR, STRONGEST_PRIOR = 1.0, 1000.0  # pseudo-opportunities between which a fitted prior may lie
UNFITTED_PRIOR = 2.0  # pseudo-opportunities when there is nothing to fit: as many as the uniform prior has


class Beta(NamedTuple):
    """A Beta distribution of a rate."""

    alpha: float
    beta: float

    @property
    def mean(self) -> float:
        return self.alpha / (self.alpha + self.beta)

    @property
    def mean_spread(self) -> float:
        """The mean of p(1 − p)."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total * (total + 1))

    def after(self, events: float, opportunities: float) -> "Beta":
        """The posterior when `events` of `opportunities` happened."""
        return Beta(self.alpha + events, self.beta + opportunities - events)


def wilson_low(events: float, opportunities: float, confidence: float = CONFIDENCE) -> float:
    """The one-sided lower bound of a rate by the score interval (Wilson 1927); 0 without opportunities."""
    return _wilson(events, opportunities, confidence, -1)


def wilson_high(events: float, opportunities: float, confidence: float = CONFIDENCE) -> float:
    """The one-sided upper bound of a rate by the score interval; 1 without opportunities."""
    return _wilson(events, opportunities, confidence, 1)


def _wilson(events: float, opportunities: float, confidence: float, side: int) -> float:
    if opportunities <= 0:
        return 0.0 if side < 0 else 1.0
    z = NormalDist().inv_cdf(confidence)
    rate, spread = events / opportunities, z * z / opportunities
    half = z * sqrt(rate * (1 - rate) / opportunities + spread / (4 * opportunities))
    return min(1.0, max(0.0, (rate + spread / 2 + side * half) / (1 + spread)))


def fit_beta(events: Sequence[float], opportunities: Sequence[float]) -> Beta:
    """The prior from which the rates of like cells (k) or tasks were drawn, by moments (Kleinman 1973).

    With weights n, S = Σ n (p − m)² has the mean m(1 − m) [(K − 1) + ρ (N − Σn²/N − (K − 1))], where
    1/ρ − 1 = α + β. The mean m is smoothed by half an event and half a non-event, so that it is never 0 or 1.
    """
    pairs = [(k, n) for k, n in zip(events, opportunities, strict=True) if n > 0]
    total = sum(n for _, n in pairs)
    mean = (sum(k for k, _ in pairs) + 0.5) / (total + 1)
    strength = _strength(pairs, total, mean)
    return Beta(mean * strength, (1 - mean) * strength)


def _strength(pairs: Sequence[tuple[float, float]], total: float, mean: float) -> float:
    free = len(pairs) - 1
    room = total - sum(n * n for _, n in pairs) / total - free if pairs else 0.0
    if room <= 0:
        return UNFITTED_PRIOR  # one cell, or one opportunity each: the spread says nothing
    spread = sum(n * (k / n - mean) ** 2 for k, n in pairs)
    correlation = (spread / (mean * (1 - mean)) - free) / room
    if correlation <= 1 / (1 + STRONGEST_PRIOR):
        return STRONGEST_PRIOR
    return max(WEAKEST_PRIOR, 1 / correlation - 1)
