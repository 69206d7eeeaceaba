"""How many rows each table of a library world has: some tables are large, most are not."""

from math import exp, log
from random import Random

from planet.expand.derived import Derived

TOTAL = 2_900
"""Rows of a world on average."""
_SPREAD = 0.15
"""Half-width of a world's total around TOTAL, as a share."""
_FEWEST, _MOST = 12, 400
_PER_OWNER = {"positions": 2.0, "history": 1.4, "link": 1.1}


def library_rows(tables: tuple[str, ...], derived: tuple[Derived, ...], rng: Random) -> dict[str, int]:
    """Table -> rows. Log-normal sizes; a derived table grows with what it belongs to."""
    sizes = {name: exp(rng.gauss(log(60), 0.6)) for name in tables}
    for plan in derived:
        sizes[plan.name] = (
            _PER_OWNER[plan.kind] * max(sizes[name] for name in plan.of) * rng.uniform(0.7, 1.3)
        )
    scale = TOTAL * rng.uniform(1 - _SPREAD, 1 + _SPREAD) / sum(sizes.values())
    return {name: min(max(round(size * scale), _FEWEST), _MOST) for name, size in sizes.items()}
