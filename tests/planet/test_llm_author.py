"""The author that is a language model, without a wire: what it is told, what is believed of what it says."""

import json
import re
from typing import get_args

import pytest

from planet.author.artifacts import LINKS, AuthorCost, Context
from planet.author.llm.facts import crossings
from planet.author.llm.prompt import conversation, schema_of
from planet.author.llm.reading import read_artifact, read_object
from planet.author.llm.recipe import STEPS, worked_example
from planet.author.llm.settings import Settings
from planet.author.load import load_author
from planet.construct import construct
from planet.errors import AuthorError
from planet.expand.plans import resources_of
from planet.identity import digest
from planet.language_model.address import addresses
from planet.language_model.answer import Answer, AnswerCache
from planet.language_model.redaction import redact
from planet.records.world import Brief, Column, ColumnType
from planet.synthesize import synthesize
from tests.planet.llm_replies import chain, link_asked, plain, replying, sound
from tests.planet.llm_scripts import scripted
from tests.planet.scripts import reactor

BRIEF = Brief(text="A company.")
COMPANY = {
    "name": "Harbour Pumps", "industry": "manufacturing", "description": "Makes pumps for ships.",
    "country": "NL", "currency": "EUR", "locale": "nl_NL", "time_zone": "Europe/Amsterdam",
}  # fmt: skip


def context(catalog, link, brief=BRIEF, **fields):
    made = chain(catalog, brief)
    before = {other: made[other] for other in LINKS[: LINKS.index(link)]}
    return Context(brief=brief, catalog=catalog, seed=0, attempt=0, artifacts=before, **fields)


def problem(link, value):
    text = value if isinstance(value, str) else json.dumps(value)
    with pytest.raises(AuthorError) as caught:
        read_artifact(link, text[:200_001], len(text))
    return str(caught.value)


def offered(schema, kind):
    """The fields of a column of a type, by the JSON Schema that a model is shown."""
    ways = schema["$defs"]["Column"]["anyOf"]
    (fields,) = [way["properties"] for way in ways if kind in way["properties"]["type"]["enum"]]
    return set(fields)


# ── what a model is told ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("link", LINKS)
def test_both_modes_give_brief_facts_and_schema_and_only_the_recipe_gives_steps_and_an_example(catalog, link):
    brief = Brief(text="A bakery with ovens.", country="NL")
    bare, recipe = (
        conversation(link, context(catalog, link, brief), mode)[1]["content"] for mode in ("bare", "recipe")
    )
    for text in (bare, recipe):
        assert "A bakery with ovens." in text
        assert json.dumps(schema_of(link), sort_keys=True, separators=(",", ":"), ensure_ascii=False) in text
    assert "A worked example." in recipe
    assert "A worked example." not in bare
    assert all(step in recipe and step not in bare for step in STEPS[link])


def test_unique_is_offered_for_texts_alone_and_every_field_else_for_every_type():
    whole = set(Column.model_fields)
    for kind in get_args(ColumnType):
        missing = set() if kind in ("id", "text") else {"unique"}
        assert offered(schema_of("schema"), kind) == whole - missing, kind


@pytest.mark.parametrize("profile", ["compact", "library"])
def test_the_worked_example_is_a_world_that_passes(catalog, profile):
    example = {link: json.dumps(plain(made)) for link, made in worked_example(catalog, profile)}
    brief = Brief(text="x", profile=profile)
    made = construct(brief, scripted(replying(example)), catalog, 3)
    assert made.trace.refused == {}
    assert made.world is not None


def test_the_table_of_the_recipes_step_is_a_sound_one(catalog):
    text = next(step for step in STEPS["schema"] if "cold_room" in step)
    table = json.loads(text[text.index("{") : text.rindex("}") + 1])
    made = chain(catalog, BRIEF)
    schema = plain(made["schema"])
    service = schema["tables"][0]["service"]
    replies = {
        **sound(catalog, BRIEF),
        "schema": json.dumps({**schema, "custom": [{**table, "service": service}]}),
    }
    rows = plain(made["seed"])["rows"] | {"cold_room": 5}
    replies["seed"] = json.dumps({"rows": rows})
    done = construct(BRIEF, scripted(replying(replies)), catalog, 0)
    assert done.trace.refused == {}
    assert [r.name for r in done.world.layout.resources][-1] == "cold_room"


def test_a_refused_proposal_and_what_was_found_follow_the_question(catalog):
    seen = context(catalog, "company", previous='{"name":"x"}', report=("V01: wrong", "V01: worse"))
    turns = conversation("company", seen, "bare")
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user"]
    assert turns[2]["content"] == '{"name":"x"}'
    assert turns[3]["content"] == (
        "The checks found:\n- V01: wrong\n- V01: worse\n"
        "Repair this and answer with the whole JSON object again."
    )
    changed = conversation("company", seen.replace(report=()), "bare")
    assert changed[3]["content"].startswith("A part before this one was changed since.")
    assert conversation("company", seen.replace(previous=""), "bare")[2]["content"] == "(no answer)"
    long = conversation("company", seen.replace(previous="x" * 9_000), "bare")[2]["content"]
    assert long == "x" * 8_000 + " ... (1,000 more characters)"  # 9,000 - 8,000


def test_another_seed_or_try_is_another_request_and_the_same_one_is_the_same(catalog):
    author = scripted(lambda request: "")
    first = context(catalog, "seed")
    assert author.request("seed", first) == author.request("seed", first)
    assert author.request("seed", first) != author.request("seed", first.replace(seed=1))
    assert author.request("seed", first) != author.request("seed", first.replace(attempt=1))


# ── what is read ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        'Sure! Here it is:\n```json\n{"a": 1}\n```\nTell me if {this} helps.',
        'I use {braces} freely. {"a": 1}',
        '<think>{"a": 2}</think> {"a": 1}',
        ' {"a": 1} {"a": 2}',
    ],
)
def test_the_object_is_found_among_prose_fences_and_thoughts(text):
    assert read_object(text) == {"a": 1}


def test_strings_with_brackets_and_quotes_are_read_as_strings():
    assert read_object('x {"a": "}{\\"]", "b": ["[{"]} y') == {"a": '}{"]', "b": ["[{"]}


UNREAD = "the JSON of the answer cannot be read: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the answer is empty; answer with one JSON object"),
        ("I would not.", "the answer holds no JSON object: 'I would not.'; answer with one alone"),
        ("[1, 2]", "the answer holds no JSON object: '[1, 2]'; answer with one alone"),
        ('{"name": "Harb', "the JSON of the answer breaks off after 14 characters; close every bracket"),
        ('{"a": {"b": 1}', "the JSON of the answer breaks off after 14 characters"),
        ("{name: 1}", UNREAD + "Expecting property name enclosed in double quotes"),
        ('{"a": 1, "a": 2}', UNREAD + "key 'a' stands twice in one object"),
        ('{"a": NaN}', UNREAD + "NaN is no number of JSON"),
        ('{"a": -Infinity}', UNREAD + "-Infinity is no number of JSON"),
        ('{"a": ' + "1" * 5_000 + "}", UNREAD + "Exceeds the limit (4300 digits)"),
        ('{"a": "\\ud800"}', UNREAD + "'utf-8' codec can't encode"),
        ('{"a": ' + "[" * 100_000, "the JSON of the answer is nested more than 12 deep; follow the schema"),
        ('{"a":' * 40_000 + "1", "the answer has 200,001 characters; at most 200,000 are read"),
        ("x" * 10_000_000, "the answer has 10,000,000 characters; at most 200,000 are read"),
    ],
    ids=range(14),
)  # fmt: skip
def test_what_cannot_be_read_is_told_in_one_line(text, message):
    told = problem("company", text)
    assert told.startswith(message)
    assert len(told) < 400


def test_what_does_not_fit_the_schema_is_told_with_its_place():
    wrong = {**COMPANY, "name": 7, "motto": "x"}
    del wrong["locale"]
    told = problem("company", wrong)
    assert told == (
        "the answer does not fit the schema: name: 7 does not fit: Input should be a valid string; "
        "locale is missing; motto is not known; leave it out"
    )
    rule = {"pattern": "whenever", "table": "a"}
    told = problem("rules", {"rules": [rule] * 50})
    assert "rules.0.pattern: 'whenever' does not fit" in told
    assert told.endswith("; and 344 more")  # 50 x (1 wrong pattern + 6 missing) - 6 shown
    assert "rules: 'x' does not fit" in problem("rules", {"rules": "x"})


def test_an_object_inside_one_key_of_the_links_name_is_taken():
    assert read_artifact("company", json.dumps({"company": COMPANY}), 300).name == "Harbour Pumps"


def test_a_table_of_ones_own_needs_no_id_column_as_in_the_catalog():
    table = plain(reactor("crm", "customer"))
    bare = {**table, "columns": table["columns"][1:]}
    both = [
        read_artifact("schema", json.dumps({"tables": [], "slice": [], "custom": [made]}), 900)
        for made in (table, bare)
    ]
    assert both[0] == both[1]
    assert both[0].custom == (reactor("crm", "customer"),)


# ── what is believed ──────────────────────────────────────────────────────────────────────────────

HOSTILE = [
    "../../etc/passwd",
    'x"; DROP TABLE customer; --',
    "a'; ATTACH 'x' AS y",
    "C:\\x",
    "a\x00b",
    "",
    "x" * 5_000,
]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("link", ["company", "graph", "schema", "column", "value", "prefix"])
def test_hostile_names_are_refused_wherever_they_stand(catalog, link, name):
    replies = sound(catalog, BRIEF)
    made = {k: json.loads(v) for k, v in replies.items()}
    table = plain(reactor(made["graph"]["services"][0]["name"], made["schema"]["tables"][0]["resource"]))
    if link == "company":
        made["company"]["name"] = name
    elif link == "graph":
        made["graph"]["services"][0]["name"] = name
    else:
        spots = {
            "schema": (table, "name"),
            "column": (table["columns"][3], "name"),
            "prefix": (table, "prefix"),
        }
        if link == "value":
            table["columns"][3]["values"][0] = name
        else:
            spots[link][0][spots[link][1]] = name
        made["schema"]["custom"] = [table]
        made["seed"]["rows"]["reactor"] = 5
    done = construct(BRIEF, scripted(replying({k: json.dumps(v) for k, v in made.items()})), catalog, 0)
    assert done.world is None
    told = [a.problem or "" for a in done.trace.attempts] + [
        v.message for r in done.trace.reports for v in r.violations
    ]
    assert max(map(len, told)) < 2_500
    at = {"company": "name", "graph": "service", "schema": "table", "column": "column", "value": "value"}
    assert any(at.get(link, "prefix") in line for line in told)


def test_wishes_of_the_brief_that_are_not_met_are_told(catalog):
    brief = Brief(text="x", industry="energy", country="JP", services=("compliance",), resources=("permit",))
    replies = sound(catalog, BRIEF)
    made = construct(brief, scripted(lambda request: replies[link_asked(request)]), catalog, 0)
    assert made.world is None
    country, industry = (json.loads(replies["company"])[key] for key in ("country", "industry"))
    assert made.trace.attempts[0].problem == (
        f"the brief asks for industry 'energy', not '{industry}'; "
        f"the brief asks for country 'JP', not '{country}'"
    )
    artifact = chain(catalog, BRIEF)
    author = scripted(lambda request: replies[link_asked(request)])
    for link, wanted in (("graph", "a service of kind 'compliance'"), ("schema", "'permit' in the slice")):
        before = {other: artifact[other] for other in LINKS[: LINKS.index(link)]}
        with pytest.raises(AuthorError, match=f"the brief asks for {wanted}; add"):
            author.propose(link, Context(brief=brief, catalog=catalog, seed=0, attempt=0, artifacts=before))


def test_a_world_without_a_rule_or_without_a_crossing_reference_is_not_taken(catalog):
    replies = sound(catalog, BRIEF)
    made = construct(BRIEF, scripted(replying({**replies, "rules": '{"rules": []}'})), catalog, 0)
    assert made.world is None
    assert made.trace.attempts[-1].problem == "there is no rule; state at least one that crosses two services"
    schema = json.loads(replies["schema"])
    one = schema["tables"][0]["service"]
    schema["tables"] = [{**table, "service": one} for table in schema["tables"]]
    made = construct(BRIEF, scripted(replying({**replies, "schema": json.dumps(schema)})), catalog, 0)
    assert made.trace.attempts[-1].problem.startswith(
        "no reference between tables with tools crosses two services"
    )


def test_services_and_tables_that_no_catalog_has_make_a_world_with_tasks(catalog):
    replies = {link: json.loads(text) for link, text in sound(catalog, BRIEF).items()}
    parent = replies["schema"]["slice"][0]
    replies["graph"]["kinds"] = [{"kind": "fusion", "description": "Vessels and what burns in them."}]
    replies["graph"]["services"].append(
        {"name": "fusion_lab", "kind": "fusion", "description": "The vessels."}
    )
    first = replies["graph"]["services"][0]["name"]
    replies["graph"]["edges"].append(
        {"source": "fusion_lab", "target": first, "reason": "vessels have owners"}
    )
    replies["schema"]["custom"] = [plain(reactor("fusion_lab", parent))]
    replies["schema"]["slice"] = [parent, "reactor"]
    replies["seed"]["rows"]["reactor"] = 9
    table = resources_of(chain(catalog, BRIEF)["schema"], catalog)[parent]
    trigger = next(c for c in table.columns if c.type == "enum")
    replies["rules"]["rules"] = [
        {
            "pattern": "field_follows", "table": parent, "column": trigger.name, "value": trigger.values[1],
            "effect_table": "reactor", "effect_link": "owner_ref", "effect_column": "isotope",
            "effect_value": "tritium",
        }
    ]  # fmt: skip
    author = scripted(replying({link: json.dumps(value) for link, value in replies.items()}))
    made = synthesize(BRIEF, author, catalog, 0)
    assert made.world is not None, made.trace
    assert made.world.graph.kinds[0].kind == "fusion"
    assert len(made.tasks) == 10
    assert made.cost == AuthorCost(calls=5, tokens_in=500, tokens_out=100, dollars=5 * 0.00012)


# ── repair ────────────────────────────────────────────────────────────────────────────────────────


def collapsed(catalog, brief, seed):
    """The template's rules, the first of them with both ends in one service; None when no tables allow it."""
    made = chain(catalog, brief, seed)
    tables = resources_of(made["schema"], catalog)
    for child in tables.values():
        for column in child.columns:
            parent = tables.get(column.ref or "")
            if parent is not None and parent.service == child.service and crossings(tables):
                trigger, effect = (next(c for c in t.columns if c.type == "enum") for t in (parent, child))
                rule = {
                    "pattern": "field_follows", "table": parent.name, "column": trigger.name,
                    "value": trigger.values[0], "effect_table": child.name, "effect_link": column.name,
                    "effect_column": effect.name, "effect_value": effect.values[0],
                }  # fmt: skip
                return {**{link: plain(made[link]) for link in LINKS}, "rules": {"rules": [rule]}}
    return None


def repaired(request):
    """What a reader of the conversation alone answers: the rule on the reference that the report names."""
    _, question, proposal, report = (turn["content"] for turn in request["messages"])
    (rule,) = json.loads(proposal)["rules"]
    named = re.search(r"V08: RULE-01: (\w+) and (\w+) both belong to service", report)
    assert {named[1], named[2]} == {rule["table"], rule["effect_table"]}
    child, link, parent = re.search(r"references that do are (\w+)\.(\w+) to (\w+)", report).groups()
    columns = dict(re.findall(r"^- (\w+) \(\w+(?:, without tools)?\): (.*)$", question, re.MULTILINE))
    trigger, effect = (
        re.search(r"(\w+) enum\(([^)]*)\)", columns[name]).groups() for name in (parent, child)
    )
    return json.dumps({"rules": [{
        **rule, "table": parent, "column": trigger[0], "value": trigger[1].split("|")[1],
        "effect_table": child, "effect_link": link, "effect_column": effect[0],
        "effect_value": effect[1].split("|")[0],
    }]})  # fmt: skip


def test_a_rule_collapsed_into_one_service_is_caught_and_repaired_from_the_report_a_hundred_times(catalog):
    caught = mended = seed = 0
    while caught < 100:
        replies = collapsed(catalog, BRIEF, seed)
        seed += 1
        if replies is None:
            continue
        script = {link: json.dumps(value) for link, value in replies.items()}
        author = scripted(replying({**script, "rules": [script["rules"], repaired]}))
        made = construct(BRIEF, author, catalog, seed - 1)
        assert "V08" in made.trace.reports[0].fired, seed
        caught += 1
        mended += made.world is not None
        assert [a.link for a in made.trace.attempts] == [*LINKS, "rules"]
    assert (caught, mended) == (100, 100)


def test_the_trace_keeps_every_attempt_what_was_found_and_what_could_not_be_read(catalog):
    replies = sound(catalog, BRIEF)
    author = scripted(replying({**replies, "company": ["Gladly.", '{"name":', replies["company"]]}))
    trace = construct(BRIEF, author, catalog, 0).trace
    assert [(a.link, a.attempt) for a in trace.attempts[:3]] == [
        ("company", 0),
        ("company", 1),
        ("company", 2),
    ]
    assert [a.answer for a in trace.attempts[:3]] == ["Gladly.", '{"name":', None]
    assert trace.attempts[1].report == (trace.attempts[0].problem,)
    assert trace.attempts[2].report == (trace.attempts[1].problem,)
    assert trace.attempts[2].artifact == chain(catalog, BRIEF)["company"].model_dump(mode="json")
    said = [r["messages"][2]["content"] for r in author.endpoint.requests if len(r["messages"]) == 4]
    assert said == ["Gladly.", '{"name":']
    assert (trace.cost.calls, trace.cost.tokens_in, trace.cost.tokens_out) == (
        7,
        700,
        140,
    )  # 5 links + 2 repairs


# ── budget, cache, keys ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("budget", "spent"),
    [
        ({"calls": 3}, "3 of 3 calls"),
        ({"tokens": 300}, "360 of 300 tokens"),  # 3 calls of 120; the third began with 240 spent
        ({"dollars": 0.0003}, "0.00036 of 0.0003 dollars"),
    ],
)
def test_a_budget_ends_the_construction_cleanly_and_says_what_was_spent(catalog, budget, spent):
    author = scripted(replying(sound(catalog, BRIEF)), budget=budget)
    made = construct(BRIEF, author, catalog, 0)
    assert made.world is None
    assert made.trace.stopped.startswith(f"the budget of author scripted is used up: {spent}; raise its ")
    assert made.trace.refused == {"author_budget": 1}
    assert [a.link for a in made.trace.attempts] == ["company", "graph", "schema"]
    assert author.budget.spent.calls == 3
    assert construct(BRIEF, author, catalog, 1).trace.attempts == ()


def test_answers_are_kept_and_cost_what_they_did_but_are_not_paid_again(catalog, tmp_path):
    folder = str(tmp_path / "answers")
    first, second = (scripted(replying(sound(catalog, BRIEF)), answers=folder) for _ in range(2))
    made, again = (construct(BRIEF, author, catalog, 0) for author in (first, second))
    assert again == made
    assert (first.budget.spent.calls, second.budget.spent.calls) == (5, 0)
    assert again.trace.cost.calls == 5
    assert len(list(tmp_path.rglob("*.json"))) == 5
    other = scripted(replying(sound(catalog, BRIEF)), answers=folder, temperature=0.5)
    construct(BRIEF, other, catalog, 0)
    assert other.budget.spent.calls == 5


def answers_asked_for(catalog, folder, model="openai/m", **settings):
    """How many requests a chain takes that begins with the answers of the folder."""
    author = scripted(replying(sound(catalog, BRIEF)), answers=str(folder), **settings)
    author.settings = author.settings.replace(model=model)
    construct(BRIEF, author, catalog, 0)
    return author.budget.spent.calls


def test_an_address_of_the_environment_is_another_server_and_no_address_keeps_the_old_names(
    catalog, tmp_path, monkeypatch
):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    assert answers_asked_for(catalog, tmp_path) == 5
    kept = {path.stem for path in tmp_path.rglob("*.json")}
    author = scripted(replying(sound(catalog, BRIEF)), answers=str(tmp_path))
    author.settings = author.settings.replace(model="openai/m")
    assert digest(author.request("company", context(catalog, "company")), length=40) in kept
    for name, address, asked in (
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1", 5),
        ("OPENAI_BASE_URL", "http://127.0.0.1:2/v1", 5),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1", 0),
        ("OPENAI_API_BASE", "http://127.0.0.1:3/v1", 5),  # beside the other, which stays
    ):
        monkeypatch.setenv(name, address)
        assert answers_asked_for(catalog, tmp_path) == asked, (name, address)
    given = {"api_base": "http://127.0.0.1:9/v1"}
    assert answers_asked_for(catalog, tmp_path, **given) == 5  # what is given outright is the address
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert answers_asked_for(catalog, tmp_path, **given) == 0


@pytest.mark.parametrize(
    ("model", "variables", "found"),
    [
        (
            "openai/m",
            {"OPENAI_BASE_URL": "a", "ANTHROPIC_BASE_URL": "b", "MY_BASE_URL": "c"},
            "OPENAI_BASE_URL",
        ),
        ("hosted_vllm/m", {"HOSTED_VLLM_API_BASE": "a", "HOSTED_VLLM_API_KEY": "k"}, "HOSTED_VLLM_API_BASE"),
        ("ollama_chat/m", {"OLLAMA_API_BASE": "a", "OLLAMA_HOST": "b"}, "OLLAMA_API_BASE"),
        ("fireworks_ai/m", {"FIREWORKS_API_BASE": "a"}, "FIREWORKS_API_BASE"),
        ("huggingface/a/b", {"HF_API_BASE": "a"}, "HF_API_BASE"),
        ("bedrock/m", {"AWS_BEDROCK_RUNTIME_ENDPOINT": "a"}, "AWS_BEDROCK_RUNTIME_ENDPOINT"),
        ("gpt-4o", {"OPENAI_API_BASE": "a", "HOME": "b"}, "OPENAI_API_BASE"),  # of no named provider
        ("gpt-4o", {"CI_JOB_URL": "a", "DATABASE_URL": "b", "OTLP_ENDPOINT": "c"}, None),
        ("groq/m", {"USE_LITELLM_PROXY": "true", "LITELLM_PROXY_API_BASE": "a"}, "LITELLM_PROXY_API_BASE"),
        ("groq/m", {"LITELLM_PROXY_API_BASE": "a"}, None),
        ("openai/m", {"OPENAI_BASE_URL": ""}, None),
    ],
)
def test_the_variables_that_count_are_those_of_the_models_provider(model, variables, found):
    assert set(addresses(Settings(model=model), variables)) == ({found} if found else set())


def test_an_address_of_the_environment_makes_other_worlds_of_a_folder_and_is_not_shown(monkeypatch):
    settings = Settings(model="openai/m")
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    told = []
    for address in ("http://user:word@one/v1", "http://two/v1"):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        told.append(settings.identity)
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert len({*told, settings.identity}) == 3
    assert settings.identity == (
        '{"api_base":null,"max_tokens":8000,"mode":"recipe","model":"openai/m",'
        '"response_format":"schema","temperature":null}'
    )
    assert "word" not in told[0]


def test_a_broken_file_of_the_cache_is_asked_anew(tmp_path):
    cache = AnswerCache(tmp_path)
    answer = Answer(text="x", characters=1, finish="stop", tokens_in=1, tokens_out=1, dollars=0.0)
    cache.keep("abcd", answer)
    assert cache.find("abcd") == answer
    assert list((tmp_path / "ab").iterdir()) == [tmp_path / "ab" / "abcd.json"]
    (tmp_path / "ab" / "abcd.json").write_text('{"text": "x')
    assert cache.find("abcd") is None
    assert cache.find("ef01") is None


def test_an_answer_of_ten_million_characters_is_refused_and_not_kept(catalog, tmp_path):
    made = construct(BRIEF, scripted(lambda request: "{" * 10_000_000, answers=str(tmp_path)), catalog, 0)
    assert made.trace.attempts[0].problem == "the answer has 10,000,000 characters; at most 200,000 are read"
    assert list(tmp_path.rglob("*.json")) == []
    assert len(made.trace.model_dump_json()) < 100_000


def test_keys_are_taken_out_of_texts():
    variables = {
        "MY_API_KEY": "abcdefgh-123",
        "LONGER_API_KEY": "abcdefgh-1234",
        "HOME_DIR": "harbour",
        "PIN": "77-88-99",
        "LOCAL": "none",
    }
    text = "abcdefgh-1234 abcdefgh-123 harbour sk-aaaabbbbcccc Bearer zzz task-force"
    assert redact(text, None, variables) == "[key] [key] harbour [key] Bearer [key] task-force"
    assert redact("my 77-88-99", "PIN", variables) == "my [key]"
    assert redact('{"tone": "none"}', "LOCAL", variables) == '{"tone": "none"}'  # a stand-in for a key


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "author 'llm' needs a model; name one with --model, e.g. openai/gpt-4o"),
        ({"model": "x", "mode": "chatty"}, "mode: 'chatty' cannot be: input should be 'bare' or 'recipe'"),
        ({"model": "x", "budget": {"euros": 3}}, "budget.euros: 3 cannot be: extra inputs are not permitted"),
        ({"model": "x", "budget": {"calls": -1}}, "budget.calls: -1 cannot be: input should be greater"),
        ({"model": "x", "api_key": "sk-123"}, "unexpected keyword argument 'api_key'"),
    ],
)
def test_wrong_settings_are_one_line(settings, message):
    with pytest.raises(AuthorError, match=re.escape(message)):
        load_author("llm", **settings)
