"""Where one run stands: its test scores beside its warm start's, its costs, what it gained and forgot."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from analysis.errors import DataError
from analysis.intervals import Interval, cluster_bootstrap, difference_bootstrap
from analysis.run_directory import OpenRun

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
    warm: dict[str, Sample]  # variant -> test episodes of the warm start
    final: dict[str, Sample]  # variant -> test episodes of the last policy of the iterations
    curve: tuple[Point, ...]  # validations, by updates, those of an extension at the end
    updates: int  # of the iterations; those of an extension apart
    charged: dict[str, int]  # purpose -> charged steps, those of an extension apart
    worlds: int  # in the pool at the end
    extended: Mapping[str, Sample] = MappingProxyType({})  # `final` of the policy that went on; empty: none

    @property
    def sampled(self) -> str:
        """The variant that is not greedy."""
        return next((v for v in sorted(self.final) if v != GREEDY), GREEDY)

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
        planned = [point for point in self.curve if point.updates <= self.updates]
        shares = [point.families[family] for point in planned if family in point.families]
        return max(shares) - shares[-1] if shares else None

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
    samples = _samples(run)
    if not samples:
        raise DataError(f"{run.path} has no test or validation episodes yet; nothing to compare")
    tested = sorted({version for purpose, version, _ in samples if purpose == "test"})
    updates = _one(run, _UPDATES)
    final = max((version for version in tested if version <= updates), default=0)
    return Standing(
        label=label or run.label,
        warm=_tests(samples, min(tested, default=0)),
        final=_tests(samples, final),
        curve=tuple(_curve(run, samples)),
        updates=updates,
        charged={row["purpose"]: int(row["n"]) for row in run.ledger.query(_CHARGED, run=run.id)},
        worlds=_one(run, _POOL),
        extended=_tests(samples, tested[-1]) if tested and tested[-1] > final else {},
    )


_EPISODES = """
SELECT purpose, policy_version, variant, all_pass, reward, world_id, family FROM episode_outcomes
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

Samples = dict[tuple[str, int, str], Sample]  # (purpose, policy version, variant) -> episodes


def _samples(run: OpenRun) -> Samples:
    out: Samples = {}
    for row in run.ledger.query(_EPISODES, run=run.id):
        key = (row["purpose"], row["policy_version"], row["variant"])
        sample = out.setdefault(key, Sample([], [], [], []))
        sample.passed.append(float(row["all_pass"]))
        sample.reward.append(row["reward"])
        sample.worlds.append(row["world_id"])
        sample.families.append(row["family"])
    return out


def _tests(samples: Samples, version: int) -> dict[str, Sample]:
    return {
        variant: sample
        for (purpose, at, variant), sample in samples.items()
        if purpose == "test" and at == version
    }


def _curve(run: OpenRun, samples: Samples) -> Sequence[Point]:
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
        for (purpose, version, variant), sample in sorted(samples.items(), key=lambda item: item[0])
        if purpose == "validate" and variant != GREEDY
    ]


def _one(run: OpenRun, sql: str) -> int:
    return int(run.ledger.query(sql, run=run.id)[0]["n"])
