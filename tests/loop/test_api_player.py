"""Many episodes at a time: bounds, caps, what is kept, and endpoints that fail."""

import json
import time
from dataclasses import replace

import pytest

from loop.config import Coverage
from loop.episodes.own_lines import write_lines
from loop.errors import ConfigError, RunError
from loop.learning.api.demonstrator import ApiDemonstrator
from loop.learning.api.episode import ApiRollout
from loop.learning.api.evaluation import evaluate, tell_costs
from loop.learning.api.learner import ApiLearner
from loop.learning.api.player import Unplayed
from loop.learning.api.settings import api_settings
from loop.loading import load
from loop.worlds.sessions import SessionPool
from loop.worlds.spread import spread
from planet.author.artifacts import AuthorCost
from planet.errors import AuthorUnavailable, TurnedDown
from policy.config import PolicyConfig
from tests.loop.api_policies import Endpoint, played, player, said, toy_environment, toy_wanted
from tests.loop.api_replies import said_so_far, task_asked

SILENT = AuthorUnavailable("policy scripted gave no answer in 5 requests")


def oracle(request, rules=True):
    """The plan of the task that is asked for, one a message; without `rules`, none of a task that has one."""
    task = task_asked(toy_environment().tasks, request)
    plan, turn = task.key.oracle, said_so_far(request)
    if turn == len(plan) or (task.key.at_stake and not rules):
        return said(text="done")
    return said((plan[turn].tool, json.dumps(plan[turn].arguments)))


def test_episodes_wait_side_by_side_within_the_bound():
    made = player(lambda request: (time.sleep(0.02), oracle(request))[1], concurrency=3)
    found = played(made, toy_wanted(6))
    assert sorted(found) == list(range(12))
    assert all(isinstance(f, ApiRollout) and f.session.steps > 0 for f in found.values())
    assert 2 <= made.endpoint.most <= 3
    assert made.budget.spent.calls == 6 * (2 + 5)  # one call and an answer; four calls and an answer


def test_equal_episodes_are_equal_requests_and_rollouts_of_a_task_are_not(tmp_path):
    first = player(oracle, answers=str(tmp_path))
    played(first, toy_wanted(2))
    again = player(oracle, answers=str(tmp_path))
    found = played(again, toy_wanted(2))
    assert len(first.endpoint.requests) == 14 and again.endpoint.requests == []
    assert again.budget.spent == AuthorCost()  # kept answers are not charged again
    assert found[0].cost.tokens_in == 200  # but cost what they did
    seeds = {r["seed"] for r in first.endpoint.requests}
    assert len(seeds) == 14


def test_another_server_of_the_environment_is_another_policy_whose_answers_are_asked_for(
    tmp_path, monkeypatch
):
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    asked, known = [], set()
    for address in (None, "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1", None):
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        if address:
            monkeypatch.setenv("OPENAI_BASE_URL", address)
        made = player(oracle, answers=str(tmp_path), model="openai/m")
        played(made, toy_wanted(1))
        asked.append(len(made.endpoint.requests))
        known.add(ApiLearner("openai/m", PolicyConfig(), 0).fingerprint())
    assert asked == [asked[0], asked[0], asked[0], 0]
    assert asked[0] > 0
    assert len(known) == 3


@pytest.mark.parametrize(
    ("budget", "account"),
    [
        ({"calls": 5}, "5 of 5 calls"),
        ({"tokens": 600}, "600 of 600 tokens"),  # five messages of 120
        ({"dollars": 0.0005}, "0.0005 of 0.0005 dollars"),
    ],
)
def test_a_spent_budget_leaves_episodes_unplayed_and_more_of_it_plays_just_those(budget, account, tmp_path):
    capped = player(oracle, answers=str(tmp_path), budget=budget, concurrency=1)
    found = evaluate(capped, toy_wanted(2), SessionPool(8), None)
    assert len(capped.endpoint.requests) == 5
    assert len(found.played) == 2 and found.unplayed == 2  # two messages for each of the first task
    assert account in found.reason and "the budget of policy scripted is used up" in found.reason
    assert any(line.startswith("not played, and not scored: 2 of 4") for line in tell_costs(capped, found))
    more = player(oracle, answers=str(tmp_path))
    assert evaluate(more, toy_wanted(2), SessionPool(8), None).whole
    assert len(more.endpoint.requests) == 14 - 5


def failing(error, after):
    """A model that answers `after` requests like the oracle and then raises."""

    def line(request):
        line.asked += 1
        if line.asked > after:
            raise error
        return oracle(request)

    line.asked = 0
    return line


def test_an_endpoint_that_never_answered_is_given_up_at_once():
    made = player(failing(SILENT, after=0), concurrency=1)
    found = played(made, toy_wanted(5))
    assert len(made.endpoint.requests) == 1
    assert all(isinstance(f, Unplayed) and f.reason == str(SILENT) for f in found.values())


def test_an_endpoint_that_falls_silent_is_given_up_after_three_requests_in_a_row():
    made = player(failing(SILENT, after=2), concurrency=1)
    found = played(made, toy_wanted(5))
    assert len(made.endpoint.requests) == 2 + 3
    assert isinstance(found[0], ApiRollout) and sum(isinstance(f, Unplayed) for f in found.values()) == 9


def test_one_silence_loses_one_episode():
    def line(request):
        line.asked += 1
        if line.asked == 3:
            raise SILENT
        return oracle(request)

    line.asked = 0
    found = played(player(line, concurrency=1), toy_wanted(5))
    assert [place for place, f in found.items() if isinstance(f, Unplayed)] == [1]


def test_a_model_that_declines_its_very_first_request_is_taken_for_one_that_cannot_be_used():
    made = player(
        failing(TurnedDown("the endpoint turns the request down: no tools"), after=0), concurrency=1
    )
    found = played(made, toy_wanted(3))
    assert len(made.endpoint.requests) == 1
    assert all("see whether the model takes function calls" in f.reason for f in found.values())


def test_a_fault_of_the_program_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        played(player(lambda request: said(text=str(1 / 0))), toy_wanted())


def test_costs_are_told_per_success_and_failures_of_the_interface_are_counted():
    made = player(lambda request: oracle(request, rules=False), dollars_per_million=(1.0, 1.0))
    found = evaluate(made, toy_wanted(2), SessionPool(8), None)
    lines = tell_costs(made, found)
    assert [p.grade.all_pass for p in found.episodes] == [True, True, False, False]
    # Two episodes of two messages and two of one: 6 x 120 tokens for two successes.
    assert lines[0].startswith("cost      6 messages, 600 + 120 tokens, 0.0006 dollars; charged now: 6 ")
    assert lines[1] == "a success 360 tokens, 0.0003 dollars"
    assert lines[2].startswith("counted   0 unreadable messages; 0 episodes refused by the model, 0 turned")


def test_ctrl_c_keeps_what_was_played():
    made = player(oracle, concurrency=1)
    plays = made.play

    def interrupted(*given):
        for number, item in enumerate(plays(*given)):
            if number == 1:
                raise KeyboardInterrupt
            yield item

    made.play = interrupted
    found = evaluate(made, toy_wanted(2), SessionPool(8), None)
    assert found.stopped and len(found.played) == 1 and not found.whole


# ── lines for a weakness report ───────────────────────────────────────────────────────────────────


def test_episodes_are_lines_that_the_weakness_report_reads_with_nothing_left_over(tmp_path):
    from analysis.weakness.own.reading import read_episodes

    def odd(request):
        if said_so_far(request) == 0:
            return said(("x" * 300, "{}"), (" ", "{}"), ("get_customer", "{"))
        return oracle(request, rules=False) if said_so_far(request) > 1 else said(text="done")

    found = evaluate(player(lambda r: oracle(r, rules=False)), toy_wanted(2), SessionPool(8), None)
    strange = evaluate(player(odd), toy_wanted(1), SessionPool(8), None)
    file = write_lines(tmp_path / "made" / "episodes.jsonl", found.episodes)
    read = read_episodes(file)
    assert not read.skipped and not read.ignored and read.grounds == {"assertions": 4}
    assert [probe.all_pass for probe in read.probes] == [True, True, False, False]
    assert {"family:update", "service:crm", "role:coordinator", "tool:update_customer"} <= set(
        read.probes[0].cells
    )
    odd_file = write_lines(tmp_path / "odd.jsonl", strange.episodes)
    assert [c.tool for c in read_episodes(odd_file).probes[0].calls] == [None, None, None]


def test_lines_hold_the_reward_before_penalties_which_a_report_calls_raw(tmp_path):
    from analysis.weakness.own.reading import read_episodes

    one = evaluate(player(oracle), toy_wanted(1), SessionPool(8), None).episodes[0]
    grade = one.grade.replace(raw_reward=0.8, reward=0.4, penalties={"repetition": 0.5})
    file = write_lines(tmp_path / "episodes.jsonl", [replace(one, grade=grade)])
    assert [probe.raw_reward for probe in read_episodes(file).probes] == [0.8]


# ── in a run ──────────────────────────────────────────────────────────────────────────────────────


def learner(line, **more):
    made = ApiLearner("scripted", config=PolicyConfig(), seed=0, answers=None, **more)
    made.player.endpoint = Endpoint(line)
    return made


def test_an_api_policy_cannot_be_updated_and_a_configuration_that_would_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="learner: scripted cannot learn; it may be evaluated"):
        learner(oracle).update([])
    for line in ("iterations: 1", "iterations: 0\nbudget: {charged_steps: 10}"):
        (tmp_path / "c.yaml").write_text(f"{line}\nlearner: {{type: api, model: openai/gpt-4o}}\n")
        with pytest.raises(ConfigError, match="learner: api cannot learn, so it may only be evaluated; set"):
            load(tmp_path / "c.yaml")


def test_a_run_stops_in_one_line_when_its_policy_cannot_be_asked(tmp_path):
    from loop.episodes.playing import play

    made = learner(failing(SILENT, after=0))
    with pytest.raises(RunError, match="2 of 2 episodes were not played: policy scripted gave no answer"):
        play(made, toy_wanted(), SessionPool(8), temperature=1.0, batch=8)


def test_settings_that_cannot_be_are_one_line():
    with pytest.raises(
        ConfigError, match=r"^learner: concurrency: 0 cannot be: input should be greater than"
    ):
        api_settings("learner", {"model": "x", "concurrency": 0})


def test_solved_episodes_are_demonstrations_without_their_failed_calls():
    def line(request):
        if said_so_far(request) == 0:
            return said(("get_customer", '{"id": "CUS-9999"}'))  # there is no such customer
        task = task_asked(toy_environment().tasks, request)
        plan, turn = task.key.oracle, said_so_far(request) - 1
        if task.key.at_stake or turn == len(plan):
            return said(text="All is well now.")
        return said((plan[turn].tool, json.dumps(plan[turn].arguments)))

    made = ApiDemonstrator("scripted", config=PolicyConfig(), seed=0, answers=None)
    made.player.endpoint = Endpoint(line)
    shown, _, steps = made.demonstrate([toy_environment()], Coverage(), 0, 4, SessionPool(8))
    solved = toy_environment().tasks[0]
    assert [s.view.task_id for s in shown] == [solved.id] * 4  # the task with the rule was not solved
    assert [c.tool for c in shown[0].trajectory.calls] == ["update_customer"]
    assert shown[0].trajectory.answer == "done"
    assert steps == 3  # a failed call in each of two episodes, and the update


def test_no_solved_episode_is_no_demonstration():
    made = ApiDemonstrator("scripted", config=PolicyConfig(), seed=0, answers=None)
    made.player.endpoint = Endpoint(lambda request: said(text="done"))
    with pytest.raises(
        RunError, match="scripted solved none of 2 episodes; take another model, or the oracle"
    ):
        made.demonstrate([toy_environment()], Coverage(), 0, 4, SessionPool(8))
    with pytest.raises(ConfigError, match=r"demonstrations.tries: 0 is not allowed"):
        ApiDemonstrator("scripted", config=PolicyConfig(), seed=0, tries=0)


def test_tasks_are_spread_evenly_and_more_of_them_keep_the_first():
    environments = [toy_environment()] * 1
    assert [len(e.tasks) for e in spread(environments, 1, seed=0)] == [1]
    assert [len(e.tasks) for e in spread(environments, 9, seed=0)] == [2]
    (one,), (two,) = spread(environments, 1, seed=3), spread(environments, 2, seed=3)
    assert set(t.id for t in one.tasks) < set(t.id for t in two.tasks)
