"""Which skills the warm start covers: unevenly, on purpose.

Task families are weighed by a power law over an order that is permuted per seed, above a floor, so that a
policy begins sharp on some skills and nearly blind to others, and which ones are which does not follow from
the worlds. A family that is withheld is never shown: a weakness that is known beforehand.
"""

from collections.abc import Collection, Sequence

from loop.config import Coverage
from planet.identity import stream
from planet.tasks.families import FAMILIES


def family_weights(
    families: Sequence[str], coverage: Coverage, seed: int, of: str = "coverage"
) -> dict[str, float]:
    """Share of each family in the demonstrations, or in what `of` names; sums to 1.

    The family at rank k (from 1) of the order drawn for the seed and `of` has a share proportional to
    k ** -exponent; what is below the floor is raised to it, and the rest is scaled down. Those of
    `coverage.without` have no rank and the share 0.
    """
    order = stream(seed, of).sample(sorted(families), len(families))
    shown = [family for family in order if family not in coverage.without]
    raw = {family: (rank + 1) ** -coverage.exponent for rank, family in enumerate(shown)}
    withheld = dict.fromkeys((family for family in order if family in coverage.without), 0.0)
    return with_floor(raw, coverage.floor) | withheld


def demonstrated_weights(there: Collection[str], coverage: Coverage, seed: int) -> dict[str, float]:
    """Share of each family that is there to be shown; sums to 1, or is 0 throughout when all are withheld.

    Ranks are those among all families, by which foundation worlds are made: one that happens to be missing
    leaves the others in their order.
    """
    weights = family_weights(sorted(FAMILIES), coverage, seed)
    kept = {family: weight for family, weight in weights.items() if family in there}
    whole = sum(kept.values())
    return kept if len(kept) == len(weights) or not whole else {f: w / whole for f, w in kept.items()}


def with_floor(weights: dict[str, float], floor: float) -> dict[str, float]:
    """Weights scaled to sum to 1, none below the floor; `floor` times their number is at most 1."""
    low: set[str] = set()
    while True:
        free = sum(w for name, w in weights.items() if name not in low)
        mass = 1.0 - floor * len(low)
        shares = {n: floor if n in low else w * mass / free for n, w in weights.items()}
        below = {n for n, share in shares.items() if n not in low and share < floor}
        if not below:
            return shares
        low |= below
