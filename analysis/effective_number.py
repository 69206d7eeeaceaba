"""Over how many things a distribution is really spread."""

import math
from collections.abc import Sequence


def effective_number(weights: Sequence[float]) -> float:
    """exp of the entropy of weights, summing to 1 or not: n for n equal ones, 1 for one; 0 for none."""
    total = math.fsum(weights)
    if total <= 0:
        return 0.0
    shares = [weight / total for weight in weights if weight > 0]
    return math.exp(-math.fsum(share * math.log(share) for share in shares))
