"""Where one run stands: its test scores beside its warm start's, its costs, what it gained and forgot."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from analysis.errors import DataError
from analysis.intervals import Interval, cluster_bootstrap, difference_bootstrap, shares
from analysis.ledger import StepRow
from analysis.run_directory import OpenRun
from analysis.statistics.curves import fallen

GREEDY = "greedy"
"""Variant of episodes sampled at temperature 0; every other one is a temperature."""


class Sample(NamedTuple):
    """All-pass and reward of episodes that were sampled alike, with the worlds they lie in."""

    passed: list[float]
    reward: list[float]
    worlds: list[str]
    families: list[str]

    def all_pass(self) -> Interval:
        """The share of all-pass with its interval over worlds."""
        return cluster_bootstrap(self.passed, self.worlds)

    def mean_reward(self) -> float:
        return sum(self.reward) / len(self.reward)

    def of_family(self, family: str) -> "Sample":
        """Its episodes of one family."""
        kept = [i for i, name in enumerate(self.families) if name == family]
        return Sample(
            [self.passed[i] for i in kept],
            [self.reward[i] for i in kept],
            [self.worlds[i] for i in kept],
            [family] * len(kept),
        )


def share_text(sample: Sample | None) -> str:
    """All-pass with its interval; "-": not tested."""
    return "-" if sample is None else shares(sample.all_pass())


class Point(NamedTuple):
    """One validation of a run."""

    updates: int
    charged: int  # steps charged so far
    all_pass: Interval
    reward: float
    families: dict[str, float]  # family -> all-pass share


class Standing(NamedTuple):
    """One run in a comparison."""

    label: str
    warm: dict[str, Sample]  # variant -> test episodes of the warm start; empty: not tested yet
    final: dict[str, Sample]  # the same of the last policy of the iterations
    curve: tuple[Point, ...]  # validations, by updates, those of an extension at the end
    updates: int  # of the iterations; those of an extension apart
    charged: dict[str, int]  # purpose -> charged steps, those of an extension apart
    worlds: int  # in the pool at the end
    extended: Mapping[str, Sample] = MappingProxyType({})  # `final` of the policy that went on; empty: none

    @property
    def sampled(self) -> str:
        """The variant that is not greedy."""
        return next((v for v in sorted(self.final or self.warm) if v != GREEDY), GREEDY)

    @property
    def planned(self) -> tuple[Point, ...]:
        """The validations of the iterations, those of an extension apart."""
        return tuple(point for point in self.curve if point.updates <= self.updates)

    def gain(self, variant: str) -> Interval | None:
        """Final minus warm start, the same worlds drawn on both sides; None when either was not tested."""
        if variant not in self.final or variant not in self.warm:
            return None
        return difference(self.final[variant], self.warm[variant])

    def family_gain(self, family: str) -> Interval | None:
        """The sampled gain on one family's test tasks; None when it has none."""
        parts = [side.get(self.sampled) for side in (self.final, self.warm)]
        if any(part is None or family not in part.families for part in parts):
            return None
        after, before = (part.of_family(family) for part in parts if part is not None)
        return difference(after, before)

    def forgotten(self, family: str) -> float | None:
        """The best validation of a family minus the last one, in shares; None when it was not validated."""
        shares = [point.families[family] for point in self.planned if family in point.families]
        return fallen(shares)

    @property
    def families(self) -> list[str]:
        """All families met in test and validation."""
        tested = {name for sample in (*self.warm.values(), *self.final.values()) for name in sample.families}
        return sorted(tested | {name for point in self.curve for name in point.families})


def difference(after: Sample, before: Sample) -> Interval:
    """All-pass of `after` minus `before`; DataError when their worlds differ."""
    return difference_bootstrap(after.passed, after.worlds, before.passed, before.worlds)


def standing(run: OpenRun, label: str | None = None) -> Standing:
    """Measure a run, called `label` (None: its arm and seed). DataError when nothing was evaluated yet."""
    tests, validations = _samples(run)
    if not tests and not validations:
        raise DataError(f"{run.path} has no test or validation episodes yet; nothing to compare")
    return Standing(
        label=label or run.label,
        warm=tests.get("warm_start", {}),
        final=tests.get("final", {}),
        curve=tuple(_curve(run, validations)),
        updates=_one(run, _UPDATES),
        charged={row["purpose"]: int(row["n"]) for row in run.ledger.query(_CHARGED, run=run.id)},
        worlds=_one(run, _POOL),
        extended=tests.get("extended", {}),
    )


_EPISODES = """
SELECT step, purpose, policy_version, variant, all_pass, reward, world_id, family FROM episode_outcomes
WHERE run_id = :run AND purpose IN ('validate', 'test') ORDER BY step, episode_id
"""
_CHARGED = """
SELECT purpose, SUM(steps) AS n FROM charges WHERE run_id = :run AND charged AND step < (
    SELECT COALESCE(MIN(u.step), 1000000000) FROM updates u
    JOIN steps s ON s.run_id = u.run_id AND s.step = u.step WHERE u.run_id = :run AND s.iteration IS NULL
) GROUP BY purpose ORDER BY purpose
"""
_UPDATES = """
SELECT COUNT(*) AS n FROM updates u JOIN steps s ON s.run_id = u.run_id AND s.step = u.step
WHERE u.run_id = :run AND s.iteration IS NOT NULL
"""
_POOL = "SELECT COUNT(*) AS n FROM worlds WHERE run_id = :run AND origin IN ('train', 'grown')"

_SPENT = """
SELECT policy_version, charged_steps FROM learning_curve WHERE run_id = :run AND purpose = 'validate'
"""

Tests = dict[str, dict[str, Sample]]  # subject ("warm_start", "final", "extended") -> variant -> episodes
Validations = dict[tuple[int, str], Sample]  # (policy version, variant) -> episodes


def tested_subjects(steps: Iterable[StepRow]) -> dict[int, str]:
    """Step -> which policy was tested in it: "warm_start", "final" or "extended".

    A policy version does not tell them: without updates, warm start and final policy are one version.
    """
    return {step.step: str(step.detail.get("subject", "final")) for step in steps if step.kind == "test"}


def _samples(run: OpenRun) -> tuple[Tests, Validations]:
    rows = run.ledger.query(_EPISODES, run=run.id)
    subjects = tested_subjects(run.ledger.rows(StepRow, run.id))
    tests: Tests = {}
    validations: Validations = {}
    for row in rows:
        empty = Sample([], [], [], [])
        if row["purpose"] == "test":
            sample = tests.setdefault(subjects[row["step"]], {}).setdefault(row["variant"], empty)
        else:
            sample = validations.setdefault((row["policy_version"], row["variant"]), empty)
        sample.passed.append(float(row["all_pass"]))
        sample.reward.append(row["reward"])
        sample.worlds.append(row["world_id"])
        sample.families.append(row["family"])
    return tests, validations


def _curve(run: OpenRun, samples: Validations) -> Sequence[Point]:
    charged: dict[int, int] = {}
    for row in run.ledger.query(_SPENT, run=run.id):
        charged[row["policy_version"]] = int(row["charged_steps"])
    return [
        Point(
            updates=version,
            charged=charged[version],
            all_pass=sample.all_pass(),
            reward=sample.mean_reward(),
            families={
                family: sum(part.passed) / len(part.passed)
                for family in sorted(set(sample.families))
                for part in [sample.of_family(family)]
            },
        )
        for (version, variant), sample in sorted(samples.items(), key=lambda item: item[0])
        if variant != GREEDY
    ]


def _one(run: OpenRun, sql: str) -> int:
    return int(run.ledger.query(sql, run=run.id)[0]["n"])
