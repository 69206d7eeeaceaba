"""The configuration of a sweep: one typed tree, frozen, that imports nothing heavy.

Paths of arms are relative to the file that is read, also when another one that it extends names them.
"""

import re
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator, model_validator

from loop.config import NAME, Settings

MATCH = re.compile(r"match (\S+)")
"""`charged_steps: match closed_loop`: as many as that arm of the same seed was charged."""


class StartFrom(Settings):
    """An arm that needs a finished run of another arm at the same seed, e.g. its final pool."""

    arm: str = Field(min_length=1)  # which runs before this one
    key: str = Field(min_length=1)  # dotted key of the configuration that gets its run directory


class Arm(Settings):
    """One arm of a sweep."""

    config: Path  # YAML file of the arm, relative to the sweep's file
    overrides: dict[str, Any] = Field(default_factory=dict)  # laid over the file and the common overrides
    seeds: tuple[int, ...] | None = None  # None: the sweep's
    start_from: StartFrom | None = None  # None: it needs no other run


class SweepBudget(Settings):
    """What every run may spend; both budgets are reported."""

    updates: int | None = Field(None, ge=1)  # policy updates of every arm, checked; None: not checked
    charged_steps: int | str | None = None  # number or "match ARM"; None: runs end with their updates
    further_updates: int = Field(1000, ge=0)  # of one run on the way to `charged_steps`, at most

    @field_validator("charged_steps")
    @classmethod
    def _number_or_arm(cls, value: int | str | None) -> int | str | None:
        if isinstance(value, str) and not MATCH.fullmatch(value):
            raise ValueError(f"{value!r} is neither a number nor `match ARM`, e.g. `match closed_loop`")
        if isinstance(value, int) and value < 1:
            raise ValueError(f"{value} is not allowed; give at least 1, or leave it out")
        return value

    @property
    def matched(self) -> str | None:
        """The arm whose charged steps the others may spend; None: no arm is matched."""
        found = MATCH.fullmatch(self.charged_steps) if isinstance(self.charged_steps, str) else None
        return found[1] if found else None


class SweepConfig(Settings):
    """Arms times seeds, and what will be compared."""

    name: str = Field(pattern=NAME, max_length=100)  # of its folders, and of the MLflow parent run
    arms: tuple[Arm, ...] = Field(min_length=1)  # in the order in which a seed runs them
    seeds: tuple[int, ...] = Field(min_length=1)  # fresh ones for claims; settings are tuned on 0 to 2
    overrides: dict[str, Any] = Field(default_factory=dict)  # laid over every arm's file
    test_salt: str = ""  # another salt draws other test worlds; a new one for every claim
    budget: SweepBudget = SweepBudget()
    contrasts: tuple[tuple[str, str], ...] = ()  # (arm, control) pairs, named before the first run
    metrics: tuple[str, ...] = ("all_pass_sampled", "all_pass_greedy", "reward_sampled")  # to be reported

    @field_validator("seeds")
    @classmethod
    def _distinct(cls, seeds: tuple[int, ...]) -> tuple[int, ...]:
        return distinct(seeds)

    @field_validator("contrasts")
    @classmethod
    def _of_two_arms(cls, contrasts: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        for arm, control in contrasts:
            if arm == control:
                raise ValueError(f"{arm!r} is compared with itself; name another control")
        return contrasts

    @model_validator(mode="after")
    def _arms_distinct(self) -> "SweepConfig":
        for arm in self.arms:
            distinct(arm.seeds or ())
        return self

    def seeds_of(self, arm: Arm) -> tuple[int, ...]:
        """The seeds at which an arm runs."""
        return self.seeds if arm.seeds is None else arm.seeds


def distinct(seeds: tuple[int, ...]) -> tuple[int, ...]:
    """The seeds; ValueError when one is negative or given twice."""
    for seed in seeds:
        if seed < 0:
            raise ValueError(f"{seed} is not a seed; give whole numbers from 0")
        if seeds.count(seed) > 1:
            raise ValueError(f"{seed} is given twice; give each seed once")
    return seeds
