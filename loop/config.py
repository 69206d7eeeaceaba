"""The configuration of a run: one typed tree, frozen, that imports nothing heavy.

`loop.loading` makes it from YAML; every number has a line with its unit and range.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from loop.plugins import Plugin, nearest
from planet.cells import FACETS
from planet.identity import digest, seed_of
from planet.records.world import Difficulty
from planet.tasks.families import FAMILIES
from policy.config import PolicyConfig

ENRICHED = 50
"""Times the probes of a common report with which `enrich` measures its own, unless it is told otherwise."""
NAME = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*$"
"""Of a run, an arm or a sweep: the name of a folder or a file, and never `..`."""
ORACLE = Plugin(type="oracle")
"""Who shows the tasks of the warm start, unless a configuration says otherwise."""
MOST_DISTRACTORS = 20
"""Policy pages beside those that state a rule; a world has not that many more things to say."""
MOST_UPDATES = 1_000_000
"""Of a run: more would not be planned, let alone made."""


class Settings(BaseModel):
    """The base of every branch of the tree: immutable, finite, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SplitSizes(Settings):
    """Worlds per split; the splits are disjoint by world."""

    foundation: int = Field(32, ge=1)  # warm-start demonstrations come from these
    train: int = Field(24, ge=1)  # the pool before it grows
    diagnose: int = Field(8, ge=1)  # probed for the weakness reports
    validation: int = Field(6, ge=1)  # curves and forgetting
    test: int = Field(8, ge=1)  # worlds like those of train
    test_reserved: int = Field(3, ge=0)  # test worlds that hold a reserved pair of services
    test_unseen: int = Field(3, ge=0)  # test worlds of an industry that occurs nowhere else
    reserved_pairs: int = Field(2, ge=0)  # pairs of service kinds that occur in `test_reserved` only
    test_salt: str = ""  # another salt draws other test worlds; every other split stays as it is

    @property
    def tests(self) -> int:
        """Worlds of all three parts of the test."""
        return self.test + (self.test_reserved if self.reserved_pairs else 0) + self.test_unseen


class Coverage(Settings):
    """How unevenly something covers the task families: a power law over an order drawn per seed."""

    exponent: float = Field(
        2.0, ge=0
    )  # weight of the family at rank k is proportional to k ** -exponent; 0: even
    floor: float = Field(0.01, ge=0, le=0.125)  # least share of a family
    # Families that it never shows, whatever the floor. Not recorded when empty, so that digests of older
    # configurations stand.
    without: tuple[str, ...] = Field((), exclude_if=lambda names: not names)

    @field_validator("without")
    @classmethod
    def _known_families(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in FAMILIES:
                raise ValueError(f"unknown family {name!r}; {nearest(name, list(FAMILIES))}")
        if set(names) == set(FAMILIES):
            raise ValueError("all families are left out, so nothing can be shown; keep at least one")
        return tuple(sorted(set(names)))


class Tail(Coverage):
    """The same of training worlds, even unless an exponent is given."""

    exponent: float = Field(0.0, ge=0)


class Curriculum(Settings):
    """Sampler × Gate × Grower."""

    sampler: Plugin = Plugin(type="uniform")  # weighs the pool's tasks for each update
    gate: Plugin = Plugin(type="unequal_reward")  # admits groups
    grower: Plugin = Plugin(type="none")  # asks for more worlds between iterations
    report: Plugin = Plugin(type="as_measured")  # what the grower is told instead of the measured report

    @property
    def further_probes(self) -> int:
        """Times the probes of a report that are spent on a second one for the grower; 0: there is none."""
        enriched = self.report.is_built_in("transform", "enrich")
        return int(self.report.parameters.get("probes", ENRICHED)) if enriched else 0

    @property
    def grows(self) -> bool:
        """Whether the pool grows, by worlds or by tasks."""
        return not self.grower.is_built_in("grower", "none")

    @property
    def makes_worlds(self) -> bool:
        """Whether worlds are made for the pool, and not tasks alone."""
        return self.grows and not self.grower.is_built_in("grower", "task_scaling")


class Growth(Settings):
    """What every growing arm may spend per iteration; equal for all, so that they can be compared."""

    quota: int = Field(8, ge=0)  # worlds to admit
    attempts: int = Field(24, ge=0)  # syntheses at most, refused ones included
    distinct: bool = False  # refuse schemas that grown worlds have, and both within an iteration as well

    @model_validator(mode="after")
    def _attempts_suffice(self) -> "Growth":
        if self.attempts < self.quota:
            raise ValueError(f"attempts: {self.attempts} is less than quota: {self.quota}; raise it")
        return self


class Budget(Settings):
    """Going on after the updates of the iterations: see `loop.resuming.extension`."""

    charged_steps: int | None = Field(None, ge=1)  # to be spent; None: the run ends with its updates
    further_updates: int = Field(1000, ge=0)  # beyond those of the iterations, at most


class LadderSettings(Settings):
    """When a cell is approached over easier rungs: see `loop.curricula.ladders.climbing`."""

    below: float = Field(0.0, ge=0, lt=1)  # success rate under which a cell gets a ladder; 0: never
    learned: float = Field(0.5, gt=0, le=1)  # success rate at which a rung is learned, or the cell itself
    episodes: int = Field(16, ge=1)  # training episodes of a rung's tasks before it is judged by them

    @model_validator(mode="after")
    def _learned_is_above(self) -> "LadderSettings":
        if self.learned <= self.below:
            raise ValueError(f"learned: {self.learned} is not above below: {self.below}; raise it")
        return self


class Targeting(Settings):
    """How a weakness report becomes briefs."""

    share: float = Field(0.7, ge=0, le=1)  # of the briefs that aim at cells of the report; the rest explore
    allocation: Plugin = Plugin(type="learnability")  # what a cell is weighed by
    ladder: LadderSettings = LadderSettings()  # for cells near zero success
    heed_abstention: bool = False  # explore with all briefs when the report says that it shows nothing
    facets: tuple[str, ...] = ("family",)  # facets whose cells may be aimed at
    hints: tuple[str, ...] = ("resource",)  # facets of the second, accompanying cell; empty: none
    tasks: int = Field(7, ge=1)  # tasks wanted for the cell, of a world's
    min_opportunities: int = Field(8, ge=1)  # episodes below which a cell is not aimed at
    difficulty: Difficulty = Difficulty()  # asked of every brief; hops and columns 1 or 2

    @field_validator("facets", "hints")
    @classmethod
    def _known_facets(cls, facets: tuple[str, ...]) -> tuple[str, ...]:
        for facet in facets:
            if facet not in FACETS:
                raise ValueError(f"unknown facet {facet!r}; known are {', '.join(FACETS)}")
        return facets

    @field_validator("facets")
    @classmethod
    def _some_facet(cls, facets: tuple[str, ...]) -> tuple[str, ...]:
        if not facets:
            raise ValueError("none is given, so there is nothing to aim at; give at least one, e.g. [family]")
        return facets

    @field_validator("difficulty")
    @classmethod
    def _of_the_scale(cls, asked: Difficulty) -> Difficulty:
        for knob, low, high in (("hops", 1, 2), ("columns", 1, 2), ("distractors", 0, MOST_DISTRACTORS)):
            if not low <= getattr(asked, knob) <= high:
                raise ValueError(f"{knob}: {getattr(asked, knob)} is not allowed; give {low} to {high}")
        return asked


class Evaluation(Settings):
    """How many rollouts of each task, and how they are sampled."""

    diagnose_rollouts: int = Field(2, ge=1)  # per task, at `temperature`
    validate_rollouts: int = Field(1, ge=1)  # per task, at `temperature`
    test_rollouts: int = Field(2, ge=1)  # per task, at `temperature`; greedy decoding adds one
    temperature: float = Field(1.0, gt=0)  # of every sampled rollout outside of training
    confidence: float = Field(0.95, gt=0, lt=1)  # of the intervals
    resamples: int = Field(2000, ge=100)  # of worlds, for an interval

    @property
    def variant(self) -> str:
        """How the ledger calls sampled episodes of an evaluation, e.g. "t1"."""
        return f"t{self.temperature:g}"


class Tracking(Settings):
    """Where the numbers are mirrored; the ledger stays the record."""

    mlflow: str | None = "sqlite:///runs/mlflow.db"  # tracking URI; None: not to MLflow
    jsonl: bool = True  # metrics.jsonl in the run directory
    extra: tuple[Plugin, ...] = ()  # own trackers


class Asynchronous(Settings):
    """Playing while the policy learns: see `loop.asynchronous`."""

    staleness: int = Field(4, ge=0)  # updates that may lie between a token and the update that learns from it
    ahead: int = Field(0, ge=0)  # groups in play beyond those that the next update takes
    advance: int = Field(8, ge=0)  # decoding calls made while an update is computed
    rollout_devices: int = Field(0, ge=0)  # that play, after those of `policy.mesh`; 0: those play as well

    @model_validator(mode="after")
    def _something_may_be_stale(self) -> "Asynchronous":
        if self.advance and not self.staleness:
            raise ValueError(
                f"advance: {self.advance} plays while an update is computed, and staleness: 0 has no use for "
                "what is played then; set advance: 0, or staleness: 1 or more"
            )
        return self


class Config(Settings):
    """One run: an arm at a seed."""

    name: str = Field("run", pattern=NAME, max_length=100)  # of the run, in its directory
    experiment: str = Field("main", min_length=1)  # what the arms of a comparison share
    arm: str = Field("static", pattern=NAME, max_length=100)  # what is compared
    seed: int = Field(0, ge=0)  # of everything random
    # Of runs that share warm start, worlds of the splits and evaluation, and differ in what is drawn, played
    # and grown while they learn: A/A comparisons. Not recorded when 0, so that older digests stand.
    replica: int = Field(0, ge=0, exclude_if=lambda number: number == 0)
    iterations: int = Field(3, ge=0, le=MOST_UPDATES)  # of {diagnose, grow, update, validate}
    updates_per_iteration: int = Field(20, ge=1)
    prompts_per_update: int = Field(8, ge=1)  # tasks drawn per update
    unheard_prompts: float = Field(0.15, ge=0, le=1)  # share of them in which resources are unknown by name
    tasks_per_world: int = Field(10, ge=1)
    splits: SplitSizes = SplitSizes()
    policy: PolicyConfig = PolicyConfig()
    coverage: Coverage = Coverage()  # of the families in the warm start
    tail: Tail = Tail()  # of the families in training worlds, in an order of its own
    learner: Plugin = Plugin(type="decoder")  # what plays and learns with these settings
    # Who solves the foundation tasks for the warm start. Not recorded when it is the oracle, so that digests
    # of older configurations stand.
    demonstrations: Plugin = Field(ORACLE, exclude_if=lambda plugin: plugin == ORACLE)
    # Playing while the policy learns. Not recorded when None, updates taking turns with play, so that digests
    # of older configurations stand.
    asynchronous: Asynchronous | None = Field(None, exclude_if=lambda mode: mode is None)
    curriculum: Curriculum = Curriculum()
    growth: Growth = Growth()
    budget: Budget = Budget()
    targeting: Targeting = Targeting()
    author: Plugin = Plugin(type="template")
    evaluation: Evaluation = Evaluation()
    tracking: Tracking = Tracking()
    figures: bool = True  # draw them at the end of the run
    ledger: str | None = None  # database URL; None: ledger.sqlite in the run directory
    catalog: Path | None = None  # overlay folder with own catalog entries; None: the built-in catalog alone
    cache: Path = Path(".cache/loop")  # warm starts by content hash, and compiled programs
    keep_checkpoints: int = Field(
        3, ge=2
    )  # newest kept; the warm start and the ends of iterations always stay
    final_pool: Path | None = None  # start from all training worlds of this finished run; None: from train
    plan: str | None = None  # digest of the plan file that a sweep follows; None: not part of a sweep

    @cached_property
    def digest(self) -> str:
        """Identity of what is run, the seed apart. Where it is written and tracked makes no difference."""
        tree = {k: v for k, v in self.recorded().items() if k not in ("seed", "plan")}
        return digest({**tree, "final_pool": self.final_pool is not None}, length=8)

    def recorded(self) -> dict[str, Any]:
        """The tree without where things are written and tracked: equal for equal runs."""
        return self.model_dump(mode="json", exclude={**_PLACES, "policy": {"compilation_cache"}})

    @cached_property
    def run_id(self) -> str:
        """Name of the run in the ledger and of its default directory."""
        return f"{self.name}-{self.digest}-s{self.seed}"

    @property
    def learning_seed(self) -> int:
        """Of what is drawn, played and grown while the policy learns."""
        return self.seed if self.replica == 0 else seed_of(self.seed, "replica", self.replica)

    @property
    def group_size(self) -> int:
        """Rollouts per prompt."""
        return self.policy.group_size

    def plugins(self) -> Iterator[tuple[str, str, Plugin]]:
        """(role, dotted key, plug-in) of everything that `type:` picks."""
        yield "sampler", "curriculum.sampler", self.curriculum.sampler
        yield "gate", "curriculum.gate", self.curriculum.gate
        yield "grower", "curriculum.grower", self.curriculum.grower
        yield "transform", "curriculum.report", self.curriculum.report
        yield "allocation", "targeting.allocation", self.targeting.allocation
        yield "learner", "learner", self.learner
        yield "demonstrator", "demonstrations", self.demonstrations
        yield "author", "author", self.author
        for index, tracker in enumerate(self.tracking.extra):
            yield "tracker", f"tracking.extra.{index}", tracker

    @property
    def planned_updates(self) -> int:
        """Policy updates of the iterations; a charged budget may ask for more."""
        return self.iterations * self.updates_per_iteration

    @model_validator(mode="after")
    def _updates_can_be_planned(self) -> "Config":
        if self.planned_updates > MOST_UPDATES:
            raise ValueError(
                f"iterations: {self.iterations} x updates_per_iteration: {self.updates_per_iteration} are "
                f"more than {MOST_UPDATES:,} updates; lower either"
            )
        return self

    @model_validator(mode="after")
    def _only_learners_are_updated(self) -> "Config":
        updated = self.iterations > 0 or self.budget.charged_steps is not None
        if self.learner.is_built_in("learner", "api") and updated:
            raise ValueError(
                f"learner: {self.learner.type} cannot learn, so it may only be evaluated; set iterations: 0 "
                "and no budget.charged_steps, or have another learner start from what it solves with "
                "demonstrations: {type: api, model: ...}"
            )
        return self

    @model_validator(mode="after")
    def _the_decoder_can_learn(self) -> "Config":
        """Updates of the built-in learner need episodes that differ, and log-probabilities."""
        decodes = self.learner.is_built_in("learner", "decoder")
        if not decodes or not (self.iterations or self.budget.charged_steps):
            return self
        if self.policy.rollout.temperature == 0:
            raise ValueError(
                "policy.rollout.temperature: 0 samples equal episodes, of which nothing can be learned; give "
                "more than 0 (tests decode greedily anyway)"
            )
        return self

    @model_validator(mode="after")
    def _probes_are_a_count(self) -> "Config":
        probes = self.curriculum.report.parameters.get("probes", ENRICHED)
        enriched = self.curriculum.report.is_built_in("transform", "enrich")
        if enriched and (type(probes) is not int or probes < 1):
            raise ValueError(
                f"curriculum.report.probes: {probes!r} is no whole number of 1 or more; give one"
            )
        return self

    @model_validator(mode="after")
    def _groups_ahead_are_of_use(self) -> "Config":
        """The last of prompts_per_update + ahead groups, begun together, waits for so many updates."""
        mode = self.asynchronous
        if mode is not None:
            most = (mode.staleness - bool(mode.advance)) * self.prompts_per_update
            if mode.ahead > most:
                raise ValueError(
                    f"asynchronous.ahead: {mode.ahead} groups would be staler than {mode.staleness} updates "
                    f"before their turn comes; lower it to {most}, or raise asynchronous.staleness"
                )
        return self

    @model_validator(mode="after")
    def _targeted_tasks_fit(self) -> "Config":
        if self.targeting.tasks > self.tasks_per_world:
            raise ValueError(
                f"targeting.tasks: {self.targeting.tasks} is more than "
                f"tasks_per_world: {self.tasks_per_world}; lower it"
            )
        return self


_PLACES: dict[str, Any] = dict.fromkeys(
    ("figures", "tracking", "ledger", "cache", "keep_checkpoints", "final_pool"), True
)
"""Keys that say where a run is written, tracked and read from, not what it is."""
