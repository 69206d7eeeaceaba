"""Every sampler, grower, report transform and allocation rule goes on exactly where a run was stopped."""

import shutil
from pathlib import Path

import pytest

from analysis.ledger import Ledger, MetricRow
from loop.config import Config
from loop.errors import RunError
from loop.files import write_json
from loop.launch import launch
from loop.loading import load
from loop.plugins import REGISTRY
from loop.reporting.metrics_table import line_of

MICRO = Path(__file__).resolve().parents[2] / "experiments" / "micro.yaml"

ARMS = {
    "plr, more tasks": ("curriculum.sampler=plr", "curriculum.grower=task_scaling"),
    "sfl, random worlds": ("curriculum.sampler=sfl", "curriculum.grower=random_worlds"),
    "pools, no growth": ("curriculum.sampler=difficulty_pools", "curriculum.grower=none"),
    "newest, balanced worlds": ("curriculum.sampler=newest", "curriculum.grower=balanced_worlds"),
    "trace on a placebo": (
        "curriculum.grower={type: trace, coverage: 0.05, delta: 0.0}",
        "curriculum.report=permute",
    ),
    "harden and soften, inverted": ("curriculum.grower=harden_soften", "curriculum.report=invert"),
    "stale": ("curriculum.report=freeze", "targeting.allocation=failure_rate", "growth.distinct=true"),
    "oracle": ("curriculum.report={type: enrich, probes: 2}", "targeting.allocation=learnability"),
    "gain and ladders": (
        "curriculum.sampler=uniform",
        "curriculum.grower=closed_loop",
        "curriculum.report=as_measured",
        "targeting.allocation=expected_gain",
        "targeting.ladder={below: 0.9, learned: 0.95, episodes: 4}",
    ),
}
"""Overrides that together name every registered part."""


CUT = 8
"""The step after which the process dies: the second diagnosis. Still to come are a growth and two updates."""


def config(place: Path, *overrides: str) -> Config:
    settings = (
        "iterations=2",
        "updates_per_iteration=2",
        f"cache={place}/cache",
        "evaluation.test_rollouts=1",
    )
    gate = "curriculum.gate=tests.loop.fakes:OpenGate"  # every update has a gradient, so versions are counted
    return load(MICRO, ("learner=tests.loop.fakes:NoisyOracle", gate, *settings, *overrides))


def dump(place: Path, made: Config) -> list[str]:
    with Ledger(place / "ledger.sqlite", create=False) as ledger:
        return ledger.dump(made.run_id)


def test_the_arms_below_name_every_registered_part() -> None:
    text = " ".join(override for overrides in ARMS.values() for override in overrides)
    for role in ("sampler", "grower", "transform", "allocation"):
        assert all(name in text for name in REGISTRY[role]), role


@pytest.mark.parametrize("overrides", ARMS.values(), ids=ARMS.keys())
def test_a_run_that_dies_before_its_second_growth_and_goes_on_equals_an_undisturbed_one(
    overrides: tuple[str, ...], tmp_path: Path
) -> None:
    made = config(tmp_path, *overrides)
    whole = launch(made, tmp_path / "whole")
    died = shutil.copytree(whole.path, tmp_path / "died")
    with Ledger(died / "ledger.sqlite", create=False) as ledger:
        ledger.truncate_after(made.run_id, CUT)
    for checkpoint in (died / "checkpoints").glob("*.json"):
        if int(checkpoint.stem) > CUT:
            checkpoint.unlink()
    launch(made, died, resume=True)
    assert dump(died, made) == dump(whole.path, made)
    with Ledger(died / "ledger.sqlite", create=False) as ledger:
        names = {row.name for row in ledger.rows(MetricRow, made.run_id)}
    assert {name for name in names if line_of(name) is None} == set()


def test_a_directory_whose_ledger_holds_a_run_of_another_name_is_refused_and_left_as_it_is(
    tmp_path: Path,
) -> None:
    """As an older version leaves it: its configuration hashed to another name."""
    old, new = config(tmp_path, "name=old"), config(tmp_path, "name=new")
    directory = launch(old, tmp_path / "run")
    write_json(directory.config, new.model_dump(mode="json"))
    before = dump(directory.path, old)
    with pytest.raises(RunError, match=f"its ledger holds run {old.run_id}, not {new.run_id}: an older"):
        launch(new, directory.path, resume=True)
    assert dump(directory.path, old) == before and dump(directory.path, new) == []
