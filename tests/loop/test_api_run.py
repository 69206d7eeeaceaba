"""A model behind an interface in a run: scored into the same ledger, or shown to another learner."""

from pathlib import Path

import pytest

from analysis.ledger import EpisodeRow, Ledger, MetricRow, TaskRow
from loop.costs import render
from loop.launch import launch
from loop.loading import load

ROOT = Path(__file__).resolve().parents[2]
MICRO = ROOT / "experiments" / "micro.yaml"


def run(tmp_path: Path, *overrides: str) -> tuple[str, Ledger]:
    """The id of a finished run of no iterations, and its ledger."""
    config = load(MICRO, (*overrides, "iterations=0", f"cache={tmp_path}/cache"))
    directory = launch(config, tmp_path / "run")
    return config.run_id, Ledger(directory.ledger, create=False)


def test_a_model_is_validated_diagnosed_and_tested_into_the_ledger(tmp_path: Path) -> None:
    run_id, ledger = run(tmp_path, "learner=tests.loop.api_policies:scripted_learner")
    with ledger:
        rows = ledger.rows(EpisodeRow, run_id)
        counts = {p: sum(row.purpose == p for row in rows) for p in ("validate", "diagnose", "test")}
        # One world of 8 tasks; two; two tests of two worlds, sampled and greedy: 2 x 2 x 8 x 2.
        assert counts == {"validate": 8, "diagnose": 16, "test": 64}
        assert {(row.tokens, row.ended, row.policy_version) for row in rows} == {(40, "answer", 0)}  # 2 x 20
        assert not any(row.all_pass for row in rows)


def test_what_a_model_solves_is_what_the_learner_is_shown(tmp_path: Path) -> None:
    shown = "demonstrations={type: 'tests.loop.api_policies:OracleOfAModel', families: [update, two_hop]}"
    run_id, ledger = run(tmp_path, "learner=tests.loop.fakes:NoisyOracle", shown, "coverage.exponent=0")
    with ledger:
        (count,) = ledger.rows(MetricRow, run_id, name="warm_start/demonstrations")
        foundation = [t for t in ledger.rows(TaskRow, run_id) if t.split == "foundation"]
        charged = ledger.query(
            "SELECT steps FROM charges WHERE run_id = :run AND purpose = 'warm_start'", run=run_id
        )
    assert count.value == 32  # 4 steps of 8
    played = sum(len(t.oracle) for t in foundation if t.family in ("update", "two_hop"))
    assert [row["steps"] for row in charged] == [played] and played > 0


def test_the_plan_of_a_run_tells_what_plays_and_that_it_learns_nothing() -> None:
    lines = render(load(ROOT / "experiments" / "api_policy.yaml"))
    # 240 probes of a diagnosis, 60 of a validation and a test of 540: 840 episodes of about 5 requests. The
    # second test asks what the first one asked, and is answered from what is kept.
    told = "openai/gpt-4o-mini behind an interface: evaluated, it learns nothing; about 4,200 requests"
    assert f"policy     {told} ({{'dollars': 5}})" in lines


@pytest.mark.parametrize("key", ["learner", "demonstrations"])
def test_a_misspelt_parameter_of_a_model_is_named(key: str, tmp_path: Path) -> None:
    from loop.errors import ConfigError
    from loop.plugins import make
    from policy.config import PolicyConfig

    config = load(MICRO, ("iterations=0", f"{key}={{type: api, model: x, concurency: 3}}"))
    role = "learner" if key == "learner" else "demonstrator"
    with pytest.raises(ConfigError, match=r"concurency: unknown key for 'api'; did you mean 'concurrency'"):
        make(role, getattr(config, key), key, config=PolicyConfig(), seed=0, cache=tmp_path)
