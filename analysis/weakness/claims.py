"""What a report dares to say: which cells are weaker than the others of their facet, and whether any is.

A claim of a cell is a q-value (Benjamini and Hochberg 1995, within the facet) of at most the false-discovery
rate. The report abstains, and claims nothing, unless the odds of families or of resources are surely unequal
(Holm 1979 over these facets).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.statistics.holm import holm_of_each
from analysis.weakness.comparison import Comparison
from analysis.weakness.permutation import PERMUTATIONS, permutation_test
from analysis.weakness.record import EqualOdds
from planet.identity import seed_of

MARGIN = 1.5
"""Odds ratio that a claim exceeds."""
FALSE_DISCOVERY_RATE = 0.1
ABSTENTION_LEVEL = 0.1
ABSTENTION_FACETS = ("family", "resource")
"""Facets whose equal odds make a report abstain."""


class Rules(NamedTuple):
    """How claims are made."""

    margin: float = MARGIN  # odds ratio, at least 1
    false_discovery_rate: float = FALSE_DISCOVERY_RATE  # within a facet
    abstention_level: float = ABSTENTION_LEVEL  # a report abstains unless some test of equal odds is below
    abstention_facets: tuple[str, ...] = ABSTENTION_FACETS  # if none can be tested: all facets
    permutations: int = PERMUTATIONS  # 0: nothing is tested
    seed: int = 0


class Claims(NamedTuple):
    """The tests of one report."""

    p_values: dict[str, float]  # cells that can be compared
    q_values: dict[str, float]
    equal_odds: tuple[EqualOdds, ...]
    abstains: bool
    claimed: frozenset[str]


class Tested(NamedTuple):
    """The tests of r reports on the same tasks."""

    cells: tuple[str, ...]
    p_values: Any  # (c, r) that a cell's odds are at most the margin times the others'; nan: not comparable
    q_values: Any  # (c, r)
    facets: tuple[str, ...]  # that decide abstention
    unequal: Any  # (f, r) p-values that all odds of the facet are equal; nan: not comparable
    holm: Any  # (f, r) adjusted
    abstains: Any  # (r,)
    claimed: Any  # (c, r)


def find_claims(compared: Mapping[str, Sequence[Comparison]], rules: Rules) -> Claims:
    """Test every facet of one report."""
    found = claims_of_reports(compared, rules)
    p_values, q_values = (_known(found.cells, values[:, 0]) for values in (found.p_values, found.q_values))
    equal_odds = tuple(
        EqualOdds(facet=facet, p_value=_number(p), holm=_number(adjusted))
        for facet, p, adjusted in zip(found.facets, found.unequal[:, 0], found.holm[:, 0], strict=True)
    )
    claimed = frozenset(cell for cell, yes in zip(found.cells, found.claimed[:, 0], strict=True) if yes)
    return Claims(p_values, q_values, equal_odds, bool(found.abstains[0]), claimed)


def claims_of_reports(compared: Mapping[str, Sequence[Comparison]], rules: Rules) -> Tested:
    """Test every facet of r reports on the same tasks."""
    tests = {facet: _facet_test(parts, rules) for facet, parts in compared.items()}
    p_values = np.concatenate([above for above, _ in tests.values()])
    q_values = np.concatenate([benjamini_hochberg(above) for above, _ in tests.values()])
    facets = [f for f in rules.abstention_facets if f in tests and not np.isnan(tests[f][1]).all()]
    facets = facets or sorted(tests)
    unequal = np.stack([tests[facet][1] for facet in facets])
    adjusted = holm_of_each(unequal)
    abstains = ~(adjusted <= rules.abstention_level).any(axis=0)  # nan is not below
    claimed = (q_values <= rules.false_discovery_rate) & ~abstains
    cells = tuple(cell for parts in compared.values() for cell in parts[0].cells)
    return Tested(cells, p_values, q_values, tuple(facets), unequal, adjusted, abstains, claimed)


def _facet_test(parts: Sequence[Comparison], rules: Rules) -> tuple[Any, Any]:
    """(c, r) p-values of a facet's cells, each from the part that judges it, and (r,) of equal odds.

    Equal odds are tested in the part that judges most cells.
    """
    above, equal, most = np.full((len(parts[0].cells), 1), np.nan), np.full(1, np.nan), -1
    for number, part in enumerate(parts):
        seed = seed_of(rules.seed, "permutation", part.cells[0], number)
        found = permutation_test(part, rules.margin, permutations=rules.permutations, seed=seed)
        above = np.where(part.judged[:, None], found.above, above)
        if part.judged.sum() > most:
            equal, most = found.unequal, part.judged.sum()
    return above, equal


def benjamini_hochberg(p_values: Any) -> Any:
    """q-values (m, r) of m tests in r reports: the least rate at which each would be rejected; nan stays."""
    order = np.argsort(p_values, axis=0)  # nan comes last
    ranks = np.arange(1, len(p_values) + 1)[:, None]
    tested = (~np.isnan(p_values)).sum(axis=0)
    raised = np.fmin(np.take_along_axis(p_values, order, axis=0) * tested / ranks, 1.0)
    q_values = np.empty_like(p_values)
    np.put_along_axis(q_values, order, np.fmin.accumulate(raised[::-1], axis=0)[::-1], axis=0)
    return np.where(np.isnan(p_values), np.nan, q_values)


def _known(names: Sequence[str], values: Any) -> dict[str, float]:
    return {name: float(v) for name, v in zip(names, values, strict=True) if not np.isnan(v)}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
