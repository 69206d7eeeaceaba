"""The author that is a language model, over real HTTP through LiteLLM, against a scripted server."""

import json
import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from planet.author.artifacts import LINKS, Context
from planet.author.llm.author import LLMAuthor
from planet.author.llm.prompt import schema_of
from planet.briefs import understand
from planet.construct import construct
from planet.corpus import main as synthesize
from planet.errors import AuthorError, AuthorUnavailable, BudgetSpent
from planet.store import world_ids
from planet.traces import read_traces
from tests.planet.llm_replies import chain, plain, replying, sound
from tests.planet.llm_server import Garbage, NoChoices, Said, Silence, Status, serving
from tests.planet.test_llm_author import BRIEF, COMPANY, collapsed, repaired

KEY = "fake-key-0123456789"
GOOD = json.dumps(COMPANY)


@pytest.fixture(autouse=True)
def a_fake_key(monkeypatch):
    monkeypatch.setenv("SCRIPTED_ENDPOINT", KEY)  # a name that does not say that it holds a key


def author(server, **settings):
    given = {
        "answers": None,
        "timeout": 20.0,
        "retries": 2,
        "first_wait": 0.01,
        "api_key_env": "SCRIPTED_ENDPOINT",
    }
    return LLMAuthor("openai/scripted", api_base=server.address, **{**given, **settings})


def ask(server, catalog, **settings):
    made = author(server, **settings)
    seen = Context(brief=BRIEF, catalog=catalog, seed=0, attempt=0, artifacts={})
    return made.propose("company", seen), made


# ── answers ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text", [GOOD, f"Here you are:\n```json\n{GOOD}\n```\nAnything else?"], ids=["valid", "prose"]
)
def test_an_answer_becomes_an_artifact_with_its_tokens_and_its_price(catalog, text):
    with serving(Said(text, tokens=(1_000, 50))) as server:
        (company, cost), made = ask(server, catalog, dollars_per_million=(2.0, 10.0), temperature=0.3)
    assert company.name == "Harbour Pumps"
    assert (cost.calls, cost.tokens_in, cost.tokens_out) == (1, 1_000, 50)
    assert cost.dollars == pytest.approx(0.0025)  # 1,000 x 2 + 50 x 10 = 2,500 millionths
    assert made.budget.spent == cost
    (request,) = server.requests
    assert request["model"] == "scripted"
    assert request["temperature"] == 0.3
    assert request["response_format"]["json_schema"]["schema"] == schema_of("company")
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_another_response_format_is_asked_for_on_demand(catalog):
    with serving(GOOD) as server:
        ask(server, catalog, response_format="object")
        ask(server, catalog, response_format="text")
    assert server.requests[0]["response_format"] == {"type": "json_object"}
    assert "response_format" not in server.requests[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (Said(GOOD[:40], finish="length"), "breaks off after 40 characters; .*it was cut off at max_tokens"),
        ('{"name": "Harbour Pumps"}', "does not fit the schema: industry is missing"),
        (Said(None), "the answer is empty; answer with one JSON object"),
        (NoChoices(), "the answer is empty; answer with one JSON object"),
    ],
    ids=["truncated", "wrong schema", "no content", "empty choices"],
)
def test_an_answer_of_which_nothing_can_be_made_is_an_error_that_knows_its_cost(catalog, line, message):
    with serving(line) as server, pytest.raises(AuthorError, match=message) as caught:
        ask(server, catalog)
    assert (caught.value.cost.calls, caught.value.cost.tokens_in) == (1, 100)
    assert len(server.requests) == 1


# ── misfortunes ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "line", [Status(429, "slow down"), Status(500), Status(503), Silence(1.5), Garbage()],
    ids=["429", "500", "503", "hanging", "no JSON"],
)  # fmt: skip
def test_an_endpoint_that_is_busy_broken_or_silent_is_asked_again(catalog, line):
    with serving(line, GOOD) as server:
        (company, cost), made = ask(server, catalog, timeout=0.5)
    assert company.name == "Harbour Pumps"
    assert len(server.requests) == made.budget.spent.calls == 2
    assert cost.calls == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (Status(500, f"boom {KEY}"), r"InternalServerError: boom \[key\]"),
        (Status(429, "slow down"), "RateLimitError: slow down"),
        (Silence(1.5), "Timeout: .*timed out"),
    ],
    ids=["500", "429", "hanging"],
)
def test_one_that_stays_so_ends_in_one_line_after_all_retries(catalog, line, told):
    message = f"author openai/scripted gave no answer in 3 requests .the last: {told}.*; see whether its endp"
    with serving(line) as server, pytest.raises(AuthorUnavailable, match=message):
        ask(server, catalog, timeout=0.3)
    assert len(server.requests) == 3


def test_the_wait_that_an_endpoint_asks_for_is_kept(catalog, monkeypatch):
    waits = []
    monkeypatch.setattr("planet.language_model.endpoint.time.sleep", waits.append)
    with serving(
        Status(429, headers={"retry-after": "7"}),
        Status(500),
        Status(429, headers={"retry-after": "999"}),
        GOOD,
    ) as server:
        ask(server, catalog, first_wait=1.0, retries=3)
    assert waits == [7.0, 2.0, 60.0]  # asked; 1 x 2; never more than 60


@pytest.mark.parametrize("asked", ["nan", "inf", "-inf", "Wed, 21 Oct 2026 07:28:00 GMT", ""])
def test_a_wait_that_is_no_number_of_seconds_is_the_planned_one(catalog, monkeypatch, asked):
    waits = []
    monkeypatch.setattr("planet.language_model.endpoint.time.sleep", waits.append)
    with serving(Status(429, headers={"retry-after": asked}), GOOD) as server:
        ask(server, catalog, first_wait=3.0)
    assert waits == [3.0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            Status(401, f"key {KEY} is wrong"),
            r"cannot be used: AuthenticationError: key \[key\] is wrong; check the",
        ),
        (
            Status(404, "no such model"),
            "cannot be used: NotFoundError: no such model; check the model's name",
        ),
    ],
    ids=["401", "404"],
)
def test_a_refused_key_or_model_is_told_at_once_and_never_shows_the_key(catalog, line, message):
    with serving(line) as server, pytest.raises(AuthorUnavailable, match=message):
        ask(server, catalog)
    assert len(server.requests) == 1


def test_a_request_that_is_turned_down_is_the_proposals_failure(catalog):
    with serving(Status(400, "the request exceeds the available context size")) as server:
        made = construct(BRIEF, author(server), catalog, 0)
    assert made.world is None
    assert len(server.requests) == 3
    assert made.trace.attempts[0].problem == (
        "the endpoint turns the request down: ContextWindowExceededError: "
        "the request exceeds the available context size"
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"budget": {"dollars": 1.0}},
            "has no known price, so no budget in dollars can be kept; give dollars_per_",
        ),
        (
            {"api_key_env": "NOT_SET_ANYWHERE"},
            "environment variable NOT_SET_ANYWHERE is not set; put the key there",
        ),
    ],
)
def test_what_cannot_work_is_told_before_anything_is_sent(catalog, settings, message):
    with serving(GOOD) as server, pytest.raises(AuthorUnavailable, match=message):
        ask(server, catalog, **settings)
    assert server.requests == []


@pytest.mark.parametrize(
    "model",
    ["anthropic/of-tomorrow", "huggingface/foo/bar", "gemini/gemini-3-pro-preview", "ollama/llama3:8b"],
)
def test_a_price_of_nothing_that_nobody_gave_is_no_price(catalog, model):
    seen = Context(brief=BRIEF, catalog=catalog, seed=0, attempt=0, artifacts={})
    with serving(GOOD) as server:
        made = LLMAuthor(model, api_base=server.address, answers=None, budget={"dollars": 1.0})
        told = f"author {model} has no known price, .*; give dollars_per_million .in and out; 0 and 0 for a"
        with pytest.raises(AuthorUnavailable, match=told):
            made.propose("company", seen)
    assert server.requests == []


def test_a_model_that_costs_nothing_may_have_a_budget_in_dollars(catalog):
    with serving(GOOD) as server:
        (_, cost), made = ask(server, catalog, budget={"dollars": 1.0}, dollars_per_million=(0.0, 0.0))
    assert (cost.dollars, made.budget.spent.calls) == (0.0, 1)


def test_each_answer_has_the_price_of_its_own_length(catalog):
    import litellm

    tiers = {"input_cost_per_token": 1e-6, "input_cost_per_token_above_200k_tokens": 2e-6}
    prices = {**tiers, "output_cost_per_token": 1e-5, "output_cost_per_token_above_200k_tokens": 2e-5}
    litellm.register_model({"openai/tiered": {"litellm_provider": "openai", "mode": "chat", **prices}})
    lines = [Said(GOOD, tokens=(10_000, 100)), Said(GOOD, tokens=(300_000, 100))]
    seen = Context(brief=BRIEF, catalog=catalog, seed=0, attempt=0, artifacts={})
    with serving(*lines) as server:
        made = LLMAuthor(
            "openai/tiered", api_base=server.address, api_key_env="SCRIPTED_ENDPOINT", answers=None,
            budget={"dollars": 0.5},
        )  # fmt: skip
        short, long = (made.propose("company", seen)[1] for _ in lines)
        with pytest.raises(BudgetSpent):
            made.propose("company", seen)
    assert short.dollars == pytest.approx(0.011)  # 10,000 x 1e-6 + 100 x 1e-5
    assert long.dollars == pytest.approx(0.602)  # 300,000 x 2e-6 + 100 x 2e-5


def test_a_key_that_is_not_set_is_told_once_without_a_wait_or_a_call_of_the_budget(catalog, monkeypatch):
    waits = []
    monkeypatch.setattr("planet.language_model.endpoint.time.sleep", waits.append)
    seen = Context(brief=BRIEF, catalog=catalog, seed=0, attempt=0, artifacts={})
    with serving(GOOD) as server:
        made = author(server, api_key_env="NOT_SET_ANYWHERE")
        with pytest.raises(AuthorUnavailable) as caught:
            made.propose("company", seen)
    told = f"{made.settings.who}: environment variable NOT_SET_ANYWHERE is not set; put the key there"
    assert (str(caught.value), waits, made.budget.spent.calls) == (told, [], 0)


def test_a_model_without_provider_or_key_is_told_how_to_name_them(catalog, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    seen = Context(brief=BRIEF, catalog=catalog, seed=0, attempt=0, artifacts={})
    with pytest.raises(
        AuthorUnavailable, match="LiteLLM knows no provider of that name; write it before the model"
    ):
        LLMAuthor("scripted", answers=None).propose("company", seen)
    with pytest.raises(AuthorUnavailable, match=r"cannot be used: .*OPENAI_API_KEY"):
        LLMAuthor("openai/scripted", answers=None).propose("company", seen)


# ── whole worlds ──────────────────────────────────────────────────────────────────────────────────


def test_a_rule_collapsed_into_one_service_is_found_sent_back_and_repaired_from_the_report(catalog):
    seed, replies = next((s, r) for s in range(99) if (r := collapsed(catalog, BRIEF, s)) is not None)
    script = {link: json.dumps(value) for link, value in replies.items()}
    with serving(replying({**script, "rules": [script["rules"], repaired]})) as server:
        made = construct(BRIEF, author(server), catalog, seed)
    assert made.trace.reports[0].status["V08"] == "fired"
    assert made.world is not None
    assert [a.link for a in made.trace.attempts] == [*LINKS, "rules"]
    assert "both belong to service" in server.requests[-1]["messages"][-1]["content"]
    assert made.trace.cost.calls == len(server.requests) == 6


def test_the_key_is_written_nowhere_even_when_the_endpoint_says_it(catalog, tmp_path, capfd):
    company = plain(chain(catalog, BRIEF)["company"])
    echo = json.dumps({**company, "description": f"Its key is {KEY}."})
    replies = {**sound(catalog, BRIEF), "company": [f"What is {KEY}?", echo]}
    with serving(Status(500, KEY), replying(replies)) as server:
        code = synthesize(command(server, tmp_path, "--count", "1", "--tasks", "2"))
    assert code == 0
    (trace,) = read_traces(tmp_path / "worlds")
    assert trace.attempts[0].answer == "What is [key]?"
    assert trace.attempts[1].artifact["description"] == "Its key is [key]."
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 10
    assert not [path for path in written if KEY.encode() in path.read_bytes()]
    assert KEY not in "".join(capfd.readouterr())
    assert all(headers["authorization"] == f"Bearer {KEY}" for headers in server.headers)


def command(server, folder, *more):
    return [
        "--author", "llm", "--model", "openai/scripted", "--api-base", server.address,
        "--out", str(folder / "worlds"), "--answers", str(folder / "answers"),
        "--api-key-env", "SCRIPTED_ENDPOINT", *more,
    ]  # fmt: skip


def test_the_command_makes_worlds_stops_at_its_budget_and_goes_on_from_there(catalog, tmp_path, capsys):
    with serving(replying(sound(catalog, BRIEF))) as server:
        args = command(server, tmp_path, "--count", "3", "--tasks", "2", "--jobs", "2")
        assert synthesize([*args, "--budget-calls", "12"]) == 2
        shown = capsys.readouterr()
        assert "the budget of author openai/scripted is used up: 12 of 12 calls; raise its calls" in shown.err
        assert synthesize(args) == 0
        assert len(server.requests) == 15  # 3 worlds of 5 links: what was paid for is not asked again
        assert synthesize(args) == 0
        assert len(server.requests) == 15
    assert "3 of 3 worlds" in capsys.readouterr().out
    assert len(world_ids(tmp_path / "worlds")) == 3
    assert len(list(read_traces(tmp_path / "worlds"))) == 3


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--author", "llm"], "author 'llm' needs a model; name one with --model"),
        (["--model", "openai/x"], "--model openai/x is for --author llm, not template"),
        (
            ["--author", "llm", "--model", "openai/x", "--timeout", "-1"],
            "timeout: -1.0 cannot be: input should be",
        ),
        (
            ["--author", "llm", "--model", "openai/x", "--price", "-1", "2"],
            "dollars_per_million.0: -1.0 cannot be: input should be greater than or equal to 0",
        ),
        (
            ["--author", "llm", "--model", "openai/x", "--price", "1", "nan"],
            "dollars_per_million.1: nan cannot be: input should be",
        ),
    ],
)
def test_wrong_use_is_one_line(tmp_path, capsys, args, message):
    assert synthesize(["--count", "1", "--out", str(tmp_path / "w"), *args]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "w").exists()


def test_a_configuration_of_the_loop_names_it(catalog):
    from loop.plugins import Plugin, make

    made = make("author", Plugin(type="llm", model="openai/scripted", budget={"dollars": 2}), "author")
    assert (made.name, made.settings.budget.dollars) == ("openai/scripted", 2.0)


@pytest.mark.slow
def test_nothing_but_the_endpoint_is_spoken_to(tmp_path):
    """The library would load a price list from elsewhere on import, and tell who uses it."""
    code = """
import socket, sys
from planet.author.llm.author import LLMAuthor
from planet.author.artifacts import Context
from planet.catalog import load_catalog
from planet.records.world import Brief
assert "litellm" not in sys.modules
met = set()
resolve, connect = socket.getaddrinfo, socket.socket.connect
socket.getaddrinfo = lambda host, *rest, **more: met.add(str(host)) or resolve(host, *rest, **more)
socket.socket.connect = lambda self, where: met.add(str(where[0])) or connect(self, where)
author = LLMAuthor("openai/scripted", api_base=sys.argv[1], api_key_env="SCRIPTED_ENDPOINT", answers=None)
seen = Context(brief=Brief(text="x"), catalog=load_catalog(), seed=0, attempt=0, artifacts={})
print(author.propose("company", seen)[0].name)
print(sorted(met))
"""
    variables = {k: v for k, v in os.environ.items() if k != "LITELLM_LOCAL_MODEL_COST_MAP"}
    with serving(GOOD) as server:
        done = subprocess.run(
            [sys.executable, "-c", code, server.address],
            cwd=Path(__file__).parents[2], env=variables, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-800:]
    assert done.stdout.splitlines() == ["Harbour Pumps", "['127.0.0.1']"]
    assert not re.search("http|warn", done.stderr, re.IGNORECASE), done.stderr


@pytest.mark.slow
def test_the_commands_at_the_head_of_the_page_on_authors_run_as_they_stand(
    catalog, tmp_path, monkeypatch, capsys
):
    page = Path(__file__).parents[2] / "docs" / "authors.md"
    lines = [
        line.split() for line in page.read_text().splitlines() if line.startswith("    python -m planet.")
    ]
    commands = [shlex.split(" ".join(line[2:])) for line in lines]
    assert [name for name, *_ in commands] == [
        "planet.synthesize",
        "planet.author_eval",
        "planet.construction",
    ]
    words = commands[0][commands[0].index("--brief") + 1]
    monkeypatch.chdir(tmp_path)
    Path("briefs.txt").write_text(f"{words}\n")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    brief = understand(words, catalog).brief
    with serving(replying(sound(catalog, brief))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        for name, *arguments in commands:
            module = import_module("planet.corpus" if name == "planet.synthesize" else f"{name}.__main__")
            assert module.main(arguments) == 0, capsys.readouterr()
    shown = capsys.readouterr().out
    assert "5 of 5 worlds" in shown
    assert "openai/gpt-4o (recipe) 100.0% against template 100.0% of " in shown
    assert "samples: 10 brief_to_world, 50 stage, 120 repair, 20 intent_to_diff" in shown
    assert len(list(Path("worlds/traces").iterdir())) == 5
