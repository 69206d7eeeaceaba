"""Intervals of the cells' failure rates. Worlds are resampled: rollouts and tasks of a world are alike."""

from collections.abc import Sequence

import numpy as np

from analysis.weakness.comparison import Unit

DRAWS = 1000
LEVEL = 0.95


def rate_intervals(units: Sequence[Unit], *, seed: int = 0) -> dict[str, tuple[float, float]]:
    """Cell -> percentile interval of failures / opportunities; none for a cell of fewer than two worlds.

    Each draw takes as many worlds as there are, with repetition, the same for all cells; draws in which a
    cell does not occur say nothing of it. A cell that always or never failed has an interval without width.
    """
    worlds, cells = sorted({u.world for u in units}), sorted({u.cell for u in units})
    row, column = ({name: i for i, name in enumerate(names)} for names in (worlds, cells))
    place = np.array([row[u.world] * len(cells) + column[u.cell] for u in units])
    shape, size = (len(worlds), len(cells)), len(worlds) * len(cells)
    seen = np.bincount(place, [float(u.opportunities) for u in units], size).reshape(shape)
    failed = np.bincount(place, [u.failures for u in units], size).reshape(shape)
    taken = np.random.default_rng(seed).multinomial(
        len(worlds), np.full(len(worlds), 1 / len(worlds)), size=DRAWS
    )
    with np.errstate(invalid="ignore"):
        rates = (taken @ failed) / (taken @ seen)  # (draw, cell); nan: not drawn
    wide = np.flatnonzero((seen > 0).sum(axis=0) > 1)
    tails = [0.5 - LEVEL / 2, 0.5 + LEVEL / 2]
    bounds = {int(c): np.quantile(rates[~np.isnan(rates[:, c]), c], tails) for c in wide}
    return {cells[c]: (float(low), float(high)) for c, (low, high) in bounds.items()}
