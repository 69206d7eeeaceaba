"""A family that the warm start withheld: is it found, and what does it cost until it is level with others?

An *evaluation* is a policy version with its validation and its diagnosis episodes together, sampled; neither
trains the policy. The *level* is the mean success of the facet's other families at the same evaluation, each
family weighing alike. The level is *reached* at the first of two evaluations in a row at which the withheld
family succeeds at least as often; a run that never gets there has not reached it, which is a result.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.compare.standing import GREEDY
from analysis.ledger import ReportRow
from analysis.run_directory import OpenRun
from analysis.statistics.curves import steps_to_threshold
from analysis.weakness import WeaknessReport

FACET = "family"


class Evaluation(NamedTuple):
    """One policy version, measured."""

    updates: int  # policy updates before it; 0: the warm start
    charged: int  # steps charged until then
    episodes: int  # whose task is of the withheld family
    success: float  # all-pass share of these
    level: float  # mean all-pass share of the other families

    @property
    def gap(self) -> float:
        """Of the withheld family to the others; 0 or more: it stands level."""
        return round(self.success - self.level, 9)  # a mean of equal shares must not be above them


class Place(NamedTuple):
    """Where the run's first report ranks the family within its facet."""

    rank: int  # from 1, weakest first
    of: int  # cells of the facet
    rate: float  # its failure rate
    claimed: bool  # as weaker than the facet's others


class Withheld(NamedTuple):
    """One withheld family of one run."""

    arm: str
    seed: int
    family: str
    found: Place | None  # None: the run was not diagnosed, or no task of a diagnosis requires it
    curve: tuple[Evaluation, ...]  # by updates; never empty

    @property
    def updates(self) -> int | None:
        """Policy updates until it reached the level; None: not reached."""
        return self._spent([e.updates for e in self.curve])

    @property
    def charged(self) -> int | None:
        """Charged steps until then; None: not reached."""
        return self._spent([e.charged for e in self.curve])

    def _spent(self, budget: Sequence[int]) -> int | None:
        found = steps_to_threshold(budget, [e.gap for e in self.curve], 0.0)
        return None if found is None else int(found)


def withheld_of(run: OpenRun) -> list[Withheld]:
    """The families that the warm start of a run withheld, by name; those that were not measured left out."""
    names = sorted((run.run.config.get("coverage") or {}).get("without", ()))
    passed = _passed(run) if names else {}
    found = [(name, curve) for name in names if (curve := _curve(passed, name, names))]
    first = _first_report(run) if found else None
    return [
        Withheld(run.run.arm, run.run.seed, name, _place(first, name), tuple(curve)) for name, curve in found
    ]


class _Measured(NamedTuple):
    charged: int
    families: dict[str, tuple[float, int]]  # family -> (all-pass share, episodes)


_EVALUATIONS = """
SELECT e.policy_version AS version, t.family, MIN(e.step) AS step, COUNT(*) AS episodes,
       AVG(CASE WHEN e.all_pass THEN 1.0 ELSE 0.0 END) AS success
FROM episodes e
JOIN tasks t ON t.run_id = e.run_id AND t.task_id = e.task_id
WHERE e.run_id = :run AND e.purpose IN ('validate', 'diagnose') AND e.variant <> :greedy
GROUP BY e.policy_version, t.family ORDER BY e.policy_version, t.family
"""
_CHARGES = "SELECT step, SUM(steps) AS steps FROM charges WHERE run_id = :run AND charged GROUP BY step"


def _passed(run: OpenRun) -> dict[int, _Measured]:
    """Policy version -> what its evaluation measured."""
    charges = run.ledger.query(_CHARGES, run=run.id)
    families: dict[int, dict[str, tuple[float, int]]] = {}
    began: dict[int, int] = {}
    for row in run.ledger.query(_EVALUATIONS, run=run.id, greedy=GREEDY):
        version = row["version"]
        families.setdefault(version, {})[row["family"]] = (row["success"], row["episodes"])
        began[version] = min(row["step"], began.get(version, row["step"]))
    return {
        version: _Measured(sum(c["steps"] for c in charges if c["step"] <= began[version]), of)
        for version, of in families.items()
    }


def _curve(passed: Mapping[int, _Measured], name: str, withheld: Sequence[str]) -> list[Evaluation]:
    """The evaluations that met the family and at least one that was not withheld."""
    out = []
    for version, measured in sorted(passed.items()):
        others = [share for family, (share, _) in measured.families.items() if family not in withheld]
        if name in measured.families and others:
            success, episodes = measured.families[name]
            out.append(Evaluation(version, measured.charged, episodes, success, sum(others) / len(others)))
    return out


def _first_report(run: OpenRun) -> WeaknessReport | None:
    rows: list[Any] = sorted(run.ledger.rows(ReportRow, run.id), key=lambda row: row.step)
    return WeaknessReport.model_validate(rows[0].report) if rows else None


def _place(report: WeaknessReport | None, family: str) -> Place | None:
    ranked = report.ranked((FACET,)) if report is not None else ()
    for rank, cell in enumerate(ranked, 1):
        if cell.value == family:
            return Place(rank, len(ranked), cell.rate, cell.claimed)
    return None
