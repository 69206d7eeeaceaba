"""A model behind an interface over real HTTP through LiteLLM, against a scripted server: the whole circle."""

import json
import re
import shlex
from pathlib import Path

import pytest

from analysis.weakness.__main__ import main as weakness
from loop.evaluate import main as evaluate
from loop.learning.api.episode import ApiRollout
from loop.learning.api.player import Player
from loop.learning.api.settings import ApiSettings
from loop.propose import main as propose
from planet.store import read_world, world_ids
from planet.synthesize import main as synthesize
from tests.loop.api_policies import played, toy_environment, toy_wanted
from tests.loop.api_replies import oracle, said_so_far, task_asked
from tests.planet.llm_server import Garbage, NoChoices, Said, Silence, Status, serving

ROOT = Path(__file__).resolve().parents[2]
KEY = "fake-key-0123456789"
GOLD = ("update_customer", '{"id": "CUS-0001", "tier": "gold", "credit": 700}')


@pytest.fixture(autouse=True)
def a_fake_key(monkeypatch):
    monkeypatch.setenv("SCRIPTED_ENDPOINT", KEY)  # a name that does not say that it holds a key


def model(server, **settings):
    given = {"answers": None, "timeout": 20.0, "retries": 2, "first_wait": 0.01, "concurrency": 1}
    given |= {"api_key_env": "SCRIPTED_ENDPOINT", "api_base": server.address}
    return Player(ApiSettings(model="openai/scripted", **{**given, **settings}), seed=0, max_unreadable=2)


def first(server, **settings):
    """What becomes of the first toy task."""
    return played(model(server, **settings), toy_wanted()[:1])[0]


@pytest.mark.parametrize("at_once", [False, True], ids=["one by one", "in parallel"])
def test_the_scripted_oracle_solves_every_task_end_to_end(at_once):
    with serving(oracle(toy_environment().tasks, at_once)) as server:
        found = played(model(server, concurrency=2), toy_wanted())
    assert all(f.session.grade().all_pass for f in found.values())
    assert [f.cost.calls for _, f in sorted(found.items())] == ([2, 2] if at_once else [2, 5])
    request = server.requests[0]
    assert request["tools"][0]["type"] == "function" and request["max_tokens"] == 4096 and "seed" in request
    assert "temperature" not in request  # the model's own
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "line", [Status(429, "slow down"), Status(500), Silence(1.5), Garbage()],
    ids=["429", "500", "hanging", "no JSON"],
)  # fmt: skip
def test_an_endpoint_that_is_busy_broken_or_silent_is_asked_again(line):
    with serving(line, Said(None, calls=(GOLD,)), "done") as server:
        found = first(server, timeout=0.5)
    assert found.session.grade().all_pass and len(server.requests) == 3


@pytest.mark.parametrize(
    "line",
    [NoChoices(), Said(None), Said(None, calls=(("get_customer", "{"),)), Said(None, calls=(("", "{}"),)),
     Said(None, calls=(("get_customer", {"id": "CUS-0001"}),)), Said(None, calls=(("get_customer", None),)),
     Said("Let me see.", calls=(("no_such_tool", "{}"),))],
    ids=["no choices", "nothing", "bad JSON", "no name", "an object", "no arguments", "unknown tool"],
)  # fmt: skip
def test_a_malformed_message_is_answered_and_the_episode_goes_on(line):
    with serving(line, Said(None, calls=(GOLD,)), "done") as server:
        found = first(server)
    assert isinstance(found, ApiRollout), found
    assert found.session.grade().all_pass and len(found.trajectory.calls) == 2
    told = json.dumps(server.requests[1]["messages"][3:])
    assert "error" in told or "CUS-0001" in told


def test_a_refusal_is_counted():
    with serving(Said(None, refusal="I must not.")) as server:
        found = first(server)
    assert found.refused and found.trajectory.answer == "I must not."


@pytest.mark.parametrize(
    ("message", "ended"),
    [("This model's maximum context length is 10 tokens", "token_limit"), ("no", "unreadable")],
)
def test_a_request_that_is_turned_down_later_on_ends_the_episode(message, ended):
    with serving(Said(None, calls=(("list_customer", "{}"),)), Status(400, message)) as server:
        found = first(server)
    assert found.trajectory.ended == ended and message in found.turned_down


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (Status(401, f"bad key {KEY}"), r"policy openai/scripted cannot be used: .*bad key \[key\]"),
        (Status(500, f"boom {KEY}"), r"policy openai/scripted gave no answer in 3 requests .*boom \[key\]"),
        (Status(400, "tools are not supported"), "see whether the model takes function calls"),
    ],
)
def test_an_endpoint_that_cannot_be_used_leaves_the_episodes_unplayed(line, told):
    with serving(line) as server:
        found = played(model(server), toy_wanted())
    assert all(re.search(told, f.reason) and KEY not in f.reason for f in found.values())


def test_a_key_that_a_model_repeats_is_written_nowhere(tmp_path):
    with serving(
        Said(f"key {KEY}", calls=(("search_documents", f'{{"query": "{KEY}"}}'),)), f"{KEY}!"
    ) as server:
        found = first(server, answers=str(tmp_path))
    assert KEY not in found.trajectory.model_dump_json() and "[key]" in found.trajectory.answer
    kept = [path.read_text() for path in tmp_path.rglob("*.json")]
    assert len(kept) == 2 and not any(KEY in text for text in kept)


# ── the commands of the page ──────────────────────────────────────────────────────────────────────


def commands():
    """Lines of the first block of docs/api_policy.md, as words without `python -m`."""
    page = (ROOT / "docs" / "api_policy.md").read_text(encoding="utf-8")
    block = re.search(r"```\n(python -m .*?)```", page, re.DOTALL)
    lines = block[1].replace("\\\n", " ").splitlines()
    return {words[2]: words[3:] for words in map(shlex.split, lines)}


def weak(tasks):
    """The oracle, but it leaves the last write of tasks out that have a rule at stake."""
    solves = oracle(tasks)

    def line(request):
        task = task_asked(tasks, request)
        last = said_so_far(request) >= len(task.key.oracle) - 1
        return Said("done") if task.key.at_stake and last else solves(request)

    return line


def test_a_person_closes_the_loop_around_a_model_with_the_commands_of_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    said = commands()
    assert list(said) == ["planet.synthesize", "loop.evaluate", "analysis.weakness", "loop.propose"]
    assert synthesize(said["planet.synthesize"]) == 0
    folder = tmp_path / "worlds"
    tasks = [task for world in world_ids(folder) for task in read_world(folder, world).tasks]
    capsys.readouterr()
    with serving(weak(tasks)) as server:
        # the page asks a model of a provider; here it is the scripted one on loopback
        place = ["--api-base", server.address, "--api-key-env", "SCRIPTED_ENDPOINT"]
        asked = [*said["loop.evaluate"], *place, "--price", "1", "2"]
        asked[asked.index("--model") + 1] = "openai/scripted"
        assert evaluate([*asked, "--dry-run"]) == 0 and not server.requests
        assert "if it solves every task without a detour" in capsys.readouterr().out
        assert evaluate([*asked, "--budget-calls", "30"]) == 1
        out = capsys.readouterr().out
        assert "30 of 30 calls" in out and "not played, and not scored: " in out
        paid = len(server.requests)
        assert paid == 30
        assert evaluate(asked) == 0
        out = capsys.readouterr().out
        total = sum(len(t.key.oracle) + (not t.key.at_stake) for t in spread_tasks(asked, folder))
    assert len(server.requests) == total  # what was paid for before was not asked again
    lines = out.splitlines()
    assert lines[0].split()[:4] == ["episodes", "tasks", "worlds", "all-pass"] and "pass@1" in lines[0]
    assert any(line.startswith("family:") for line in lines)
    assert any(line.startswith("service:") for line in lines)
    assert f"charged now: {total - paid} messages" in out and "a success " in out
    assert KEY not in "".join(p.read_text(errors="replace") for p in tmp_path.rglob("*.json*"))
    assert weakness(said["analysis.weakness"]) == 0
    assert "pattern:" in capsys.readouterr().out
    assert propose(said["loop.propose"]) == 0
    assert "in proposed" in capsys.readouterr().out and len(world_ids(tmp_path / "proposed")) >= 1


def spread_tasks(asked, folder):
    """The tasks that the command plays."""
    from loop.worlds.pool import Environment
    from loop.worlds.spread import spread

    every = [Environment(*read_world(folder, name), origin="test") for name in world_ids(folder)]
    count = int(asked[asked.index("--tasks") + 1])
    return [task for e in spread(every, count, seed=0) for task in e.tasks]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["DIR", "--budget-dollars", "1"], "--budget-dollars belongs to --model"),
        (["DIR"], "1 places given; give CHECKPOINT DIR, or --model NAME DIR"),
        (["A", "DIR", "--model", "x"], "A DIR: with --model give one place, the folder of worlds"),
        (["DIR", "--model", "x", "--budget-calls", "-1"], "--model x: budget.calls: -1 cannot be"),
        (["DIR", "--model", "x", "--turns", "0"], "--turns: 0 is not allowed; give at least 1"),
        (["DIR", "--model", "x", "--tasks", "0"], "--tasks: 0 is not allowed; give at least 1"),
        (["DIR", "--model", "x"], "DIR"),
    ],
)
def test_wrong_use_is_one_line(arguments, said, capsys):
    assert evaluate(arguments) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
