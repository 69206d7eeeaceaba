"""Playing while the policy learns: the schedule, its bounds, its accounts, and going on after a stop."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from analysis.ledger import ChargeRow, EpisodeRow, Ledger, StepRow, UpdateRow
from loop.config import Config
from loop.errors import ConfigError
from loop.launch import launch, make_learner
from loop.loading import load

ROOT = Path(__file__).resolve().parents[2]
MICRO = ROOT / "experiments" / "micro.yaml"
PROMPTS, GROUP = 2, 4  # of micro.yaml
MODE = "asynchronous={staleness: 2, ahead: 2, advance: 2}"
SLOW = (
    MODE,
    "curriculum.gate=tests.loop.fakes:OpenGate",
    "learner={type: tests.loop.fakes_in_play:InPlayOracle, slow: 8}",
)
"""Every eighth episode lasts 60 decoding calls longer than the others: some are too old when they end."""


def config(place: Path, *overrides: str) -> Config:
    settings = (
        "learner=tests.loop.fakes_in_play:InPlayOracle",
        "iterations=2",
        "updates_per_iteration=3",
        "evaluation.test_rollouts=1",
        "curriculum.grower=none",
        "keep_checkpoints=20",
        f"cache={place}/cache",
    )
    return load(MICRO, (*settings, *overrides))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Config, Path]:
    """A run that nobody disturbed."""
    place = tmp_path_factory.mktemp("whole")
    made = config(place, MODE)
    return made, launch(made, place / "run").path


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> tuple[Config, Path]:
    """Another, in which groups become too old."""
    place = tmp_path_factory.mktemp("slow")
    made = config(place, *SLOW)
    return made, launch(made, place / "run").path


def rows(directory: Path, row_type: type, **equals: Any) -> list[Any]:
    with Ledger(directory / "ledger.sqlite", create=False) as ledger:
        return ledger.rows(row_type, ledger.runs()[0].run_id, **equals)


def dump(directory: Path) -> list[str]:
    with Ledger(directory / "ledger.sqlite", create=False) as ledger:
        return ledger.dump(ledger.runs()[0].run_id)


def schedule(directory: Path) -> list[dict[str, Any]]:
    """All events of a run."""
    return [e for row in rows(directory, StepRow, kind="update") for e in row.detail["schedule"]]


def names(events: list[dict[str, Any]], *what: str) -> list[str]:
    return [event["name"] for event in events if event["what"] in what]


def test_two_runs_have_equal_schedules_and_equal_ledgers(whole: tuple[Config, Path], tmp_path: Path) -> None:
    made, directory = whole
    again = launch(made, tmp_path / "again").path
    assert schedule(again) == schedule(directory)
    assert dump(again) == dump(directory)


def test_every_submitted_episode_is_finished_settled_and_recorded_once(whole: tuple[Config, Path]) -> None:
    _, directory = whole
    events = schedule(directory)
    submitted = names(events, "submitted")
    assert len(submitted) == len(set(submitted)) >= 6 * PROMPTS  # six updates
    assert sorted(names(events, "consumed", "rejected", "stale")) == sorted(submitted)
    episodes = sorted(f"{group}/g{member}" for group in submitted for member in range(GROUP))
    assert sorted(names(events, "finished")) == episodes
    assert sorted(row.episode_id for row in rows(directory, EpisodeRow, purpose="train")) == episodes


def test_no_more_groups_are_outstanding_than_an_update_and_those_ahead_of_it_take(
    whole: tuple[Config, Path],
) -> None:
    outstanding, most = 0, 0
    for event in schedule(whole[1]):
        outstanding += event["what"] == "submitted"
        outstanding -= event["what"] in ("consumed", "rejected", "stale")
        most = max(most, outstanding)
    assert most == PROMPTS + 2
    assert outstanding == 0, "the last update leaves nothing in play"


def test_episodes_go_on_under_new_weights_and_no_token_is_too_old(whole: tuple[Config, Path]) -> None:
    consumed = [event for event in schedule(whole[1]) if event["what"] == "consumed"]
    ages = Counter(event["age"] for event in consumed)
    assert 0 < max(ages) <= 2
    pushed = [int(name) for name in names(schedule(whole[1]), "pushed")]
    assert len(pushed) == 6 and pushed == sorted(pushed) and pushed[0] == 1


def test_what_is_too_old_is_dropped_recorded_and_charged_as_stale(slow: tuple[Config, Path]) -> None:
    directory = slow[1]
    events = schedule(directory)
    stale = names(events, "stale")
    assert stale and all(event["age"] > 2 for event in events if event["what"] == "stale")
    assert max(event["age"] for event in events if event["what"] == "consumed") <= 2
    members = [row for row in rows(directory, EpisodeRow, purpose="train") if row.group_id in stale]
    assert len(members) == GROUP * len(stale) and not any(row.admitted for row in members)
    charged = sum(row.steps for row in rows(directory, ChargeRow, purpose="stale"))
    assert charged == sum(row.calls for row in members) > 0
    assert sum(row.dropped for row in rows(directory, UpdateRow)) == len(names(events, "stale", "rejected"))


def test_charges_are_the_calls_executed_in_each_step_and_in_the_end_those_of_each_fate(
    whole: tuple[Config, Path],
) -> None:
    _, directory = whole
    episodes = rows(directory, EpisodeRow, purpose="train")
    fate = {True: "train", False: "rejected"}
    calls = Counter({purpose: 0 for purpose in fate.values()})
    for row in episodes:
        calls[fate[row.admitted]] += row.calls
    charges = [row for row in rows(directory, ChargeRow) if row.purpose in ("train", "rejected", "stale")]
    total: Counter[str] = Counter()
    for row in charges:
        total[row.purpose] += row.steps
    assert {k: v for k, v in total.items() if v} == {k: v for k, v in calls.items() if v}
    by_step: Counter[int] = Counter()
    for row in charges:
        by_step[row.step] += row.steps
    assert all(steps >= 0 for steps in by_step.values()) and sum(by_step.values()) == sum(calls.values())
    recorded: Counter[int] = Counter()
    for row in episodes:
        recorded[row.step] += row.calls
    assert by_step != recorded, "calls of episodes that a later step records are charged before it"


@pytest.mark.parametrize("which", ["whole", "slow"])
@pytest.mark.parametrize("cut", [5, 6, 8])
def test_a_run_that_dies_with_episodes_in_play_and_goes_on_equals_an_undisturbed_one(
    which: str, cut: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Steps: worlds, warm start, validate, diagnose, grow, then updates 5 to 7, validate 8, ..."""
    made, directory = request.getfixturevalue(which)
    died = Path(shutil.copytree(directory, tmp_path / "died"))
    (died / "finished").unlink()
    with Ledger(died / "ledger.sqlite", create=False) as ledger:
        ledger.truncate_after(made.run_id, cut)
    for checkpoint in (died / "checkpoints").glob("*.json"):
        if int(checkpoint.stem) > cut:
            checkpoint.unlink()
    newest = max((died / "checkpoints").glob("*.json"), key=lambda path: int(path.stem))
    in_play = json.loads(newest.read_text())["metadata"]["curriculum"]["stream"]["in_play"]
    assert in_play, "nothing would be shown by a run that dies between two episodes"
    launch(made, died, resume=True)
    assert dump(died) == dump(directory)


def test_without_staleness_and_without_groups_ahead_it_is_the_synchronous_mode(tmp_path: Path) -> None:
    taking_turns = launch(config(tmp_path), tmp_path / "turns").path
    mode = "asynchronous={staleness: 0, ahead: 0, advance: 0}"
    asynchronous = launch(config(tmp_path, mode), tmp_path / "asynchronous").path
    apart = ("update/stale", "update/in_play")

    def told(directory: Path) -> list[dict[str, Any]]:
        """Rows without what only one of them has."""
        found = []
        for line in map(json.loads, dump(directory)):
            del line["run_id"]
            if line["table"] == "steps":
                line["detail"].pop("schedule", None)
            if line["table"] != "runs" and line.get("name") not in apart and line.get("purpose") != "stale":
                found.append(line)
        return found

    assert told(asynchronous) == told(taking_turns)
    assert any(row.dropped for row in rows(taking_turns, UpdateRow)), "a refill is part of what is compared"


def test_a_learner_that_cannot_play_while_it_learns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="NoisyOracle cannot play while it learns; leave out asynchronous"):
        make_learner(config(tmp_path, MODE, "learner=tests.loop.fakes:NoisyOracle"))


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("{staleness: 0}", "advance: 8 plays while an update is computed, and staleness: 0 has no use"),
        # (4 - 1) updates of 2 prompts
        (
            "{ahead: 7}",
            "7 groups would be staler than 4 updates before their turn comes; lower it to 6",
        ),
        ("{ahead: 9, advance: 0}", "lower it to 8, or raise asynchronous.staleness"),
        ("{stalness: 1}", "unknown key 'asynchronous.stalness'; did you mean 'staleness'"),
    ],
)
def test_a_mode_that_makes_no_sense_is_refused(mode: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told.replace("(", r"\(")):
        load(MICRO, (f"asynchronous={mode}",))


def test_a_configuration_without_the_mode_is_recorded_as_ever() -> None:
    assert "asynchronous" not in load(MICRO).recorded()
