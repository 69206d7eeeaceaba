"""Easier neighbours of a cell: skills that share steps with it, found in the tasks and not in a table.

Two families share what their plans do: the share of a family's tasks that use each operation (search, get,
read a policy page, update, ...) is its profile, and profiles are compared by sum of minima over sum of
maxima. So mending what breaks a policy lies next to obeying it, and both lie nearer to a search than to
a bare update. The neighbour of n hops is n - 1 hops. Cells of other facets have none.
"""

from collections.abc import Sequence
from math import fsum

from analysis.weakness import Cell, WeaknessReport
from loop.worlds.pool import PoolTask

Profile = dict[str, float]
"""Operation cell -> share of the tasks that require it."""


def neighbour(
    cell: Cell, report: WeaknessReport, tasks: Sequence[PoolTask], least: float, opportunities: int
) -> Cell | None:
    """The most similar cell of the report that succeeds at least with rate `least`; None: there is none.

    tasks: of the training generator. opportunities: episodes below which a cell's rate says nothing.
    """
    if cell.facet == "hops":
        fewer = report.cell(f"hops:{int(cell.value) - 1}") if cell.value.isdigit() else None
        return fewer if fewer is not None and _works(fewer, least, opportunities) else None
    if cell.facet != "family":
        return None
    others = [c for c in report.cells if c.facet == "family" and c.name != cell.name]
    working = [c for c in others if _works(c, least, opportunities)]
    own = profile(cell.name, tasks)
    likeness = {c.name: similarity(own, profile(c.name, tasks)) for c in working}
    near = [c for c in working if likeness[c.name] > 0]
    return min(near, key=lambda c: (-likeness[c.name], c.rate, c.name), default=None)


def profile(cell: str, tasks: Sequence[PoolTask]) -> Profile:
    """What the plans of a cell's tasks do; empty when no task requires it."""
    requiring = [task.cells for task in tasks if cell in task.cells]
    operations = {c for cells in requiring for c in cells if c.startswith("operation:")}
    return {op: sum(op in cells for cells in requiring) / len(requiring) for op in sorted(operations)}


def similarity(one: Profile, other: Profile) -> float:
    """Sum of minima over sum of maxima (Ruzicka), in [0, 1]; 0 when both are empty."""
    names = sorted(one.keys() | other.keys())
    least = fsum(min(one.get(n, 0.0), other.get(n, 0.0)) for n in names)
    most = fsum(max(one.get(n, 0.0), other.get(n, 0.0)) for n in names)
    return least / most if most else 0.0


def _works(cell: Cell, least: float, opportunities: int) -> bool:
    return cell.opportunities >= opportunities and 1.0 - cell.rate >= least
