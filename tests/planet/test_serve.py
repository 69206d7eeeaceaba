"""The MCP server: the SDK's own client solves tasks, is graded as in process, and sees nothing hidden."""

import asyncio
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from planet.errors import GraderError
from planet.records.episode import Trajectory
from planet.store import StoredWorld, write_world
from planet.world.session import Session, replay
from tests.fakes import oracle
from tests.planet.toy_tasks import toy_task, vip_task
from tests.planet.worlds import VIP, changed, toy_world

pytest.importorskip("mcp", reason="the MCP SDK is absent; install the extra mcp")

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.runner import serve_loop
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest
from mcp_types.methods import SPEC_CLIENT_METHODS

from planet.serve.__main__ import main
from planet.serve.visit import FINISH, HAS_ENDED, Desk, Outcome
from planet.serve.wire import INSTRUCTION, PROMPT, mcp_server

TASKS = (toy_task(), vip_task())
TOYS = StoredWorld(*toy_world(), TASKS)
GOLD = {"id": "CUS-0001", "tier": "gold", "credit": 700.0}


class Hall:
    """A server without a wire, and what it reported."""

    def __init__(self, stored: StoredWorld = TOYS, tasks=TASKS) -> None:
        self.outcomes: list = []
        self.desk = Desk(stored, tasks, self.outcomes.append)
        self.server = mcp_server(self.desk)

    def client(self) -> Client:
        return Client(self.server, mode="legacy")


def text(result) -> str:
    (content,) = result.content
    return content.text


async def solve(client: Client, task) -> None:
    """The oracle's plan, and an answer, through the wire."""
    for call in task.key.oracle:
        result = await client.call_tool(call.tool, call.arguments)
        assert not result.is_error, text(result)
    assert (await client.call_tool("finish", {"answer": "done"})).structured_content == {"done": True}


async def refusal(client: Client) -> str:
    """The words with which a client is turned away; the SDK packs them into groups of groups."""
    try:
        async with client:
            await client.list_tools()
    except (MCPError, ExceptionGroup) as error:
        while isinstance(error, ExceptionGroup):
            (error,) = error.exceptions
        return str(error)
    raise AssertionError("it was let in")


def graded_in_process(stored: StoredWorld, task):
    session = Session(stored.world, stored.key)
    session.begin(task)
    trajectory = oracle(session, task)
    return trajectory, session.grade()


class Wire:
    """A connection without the SDK's client, which would not send everything: requests in, answers out."""

    def __init__(self, read, write) -> None:
        self.read, self.write = read, write
        self.number = 0

    async def ask(self, method: str, params: dict | None = None) -> dict:
        """The answer to a request, as the JSON that was sent."""
        self.number += 1
        request = JSONRPCRequest(jsonrpc="2.0", id=self.number, method=method, params=params)
        await self.write.send(SessionMessage(request))
        answer = (await self.read.receive()).message
        return json.loads(answer.model_dump_json(by_alias=True, exclude_unset=True))


async def connected(hall: Hall, scene, version: str = "2025-11-25"):
    """What becomes of a scene on a connection whose handshake is done."""
    async with create_client_server_memory_streams() as (mine, yours), anyio.create_task_group() as group:
        group.start_soon(partial(serve_loop, hall.server, *yours, lifespan_state={}))
        wire = Wire(*mine)
        hello = {"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        await wire.ask("initialize", {"protocolVersion": version, **hello})
        found = await scene(wire)
        await mine[1].aclose()
    return found


# ── what a client finds ───────────────────────────────────────────────────────────────────────────


def test_the_tools_of_the_task_are_listed_with_their_schemas_and_a_way_to_finish():
    async def scene():
        async with Hall().client() as client:
            return (await client.list_tools()).tools

    *tools, finish = asyncio.run(scene())
    offered = TOYS.world.offered
    assert [(t.name, t.description, t.input_schema) for t in tools] == [
        (spec.name, spec.description, spec.parameters) for spec in offered
    ]
    writers = [t.name for t in tools if not t.annotations.read_only_hint]
    assert writers == ["update_customer", "update_ticket"]
    assert (finish.name, finish.input_schema["required"]) == ("finish", ["answer"])


def test_the_instruction_is_a_prompt_and_a_resource():
    async def scene():
        async with Hall().client() as client:
            (prompt,) = (await client.list_prompts()).prompts
            (resource,) = (await client.list_resources()).resources
            said = (await client.get_prompt(prompt.name)).messages[0].content.text
            read = (await client.read_resource(resource.uri)).contents[0].text
            return said, read

    said, read = asyncio.run(scene())
    assert said == read
    assert said == (
        "You are the coordinator of Aroeira Pumps.\n\n"
        "set the tier of customer CUS-0001 to gold and its credit to 700\n\n"
        "You may call the company's tools 8 times. When you are done, call finish."
    )


def test_the_oracle_earns_through_the_wire_what_it_earns_in_process(dozen):
    async def scene(hall, tasks):
        for task in tasks:
            async with hall.client() as client:
                await solve(client, task)

    stored = [TOYS, *(StoredWorld(made.world, made.key, made.tasks) for made in dozen[:3])]
    for one in stored:
        hall = Hall(one, one.tasks)
        asyncio.run(scene(hall, one.tasks))
        expected = [graded_in_process(one, task) for task in one.tasks]
        assert [(o.trajectory, o.grade) for o in hall.outcomes] == expected
        assert all(o.grade.all_pass and o.grade.reward == 1.0 and o.finished for o in hall.outcomes)


def test_tasks_are_given_in_turn_and_one_may_be_fixed():
    async def scene(hall):
        for _ in range(3):
            async with hall.client() as client:
                await client.list_tools()

    hall, fixed = Hall(), Hall(tasks=TASKS[1:])
    asyncio.run(scene(hall))
    asyncio.run(scene(fixed))
    assert [o.trajectory.task_id for o in hall.outcomes] == [TASKS[0].id, TASKS[1].id, TASKS[0].id]
    assert {o.trajectory.task_id for o in fixed.outcomes} == {TASKS[1].id}


def test_two_clients_at_once_do_not_see_each_others_writes():
    async def scene(hall):
        async with hall.client() as one, hall.client() as two:
            assert not (await one.call_tool("update_customer", GOLD)).is_error
            mine = await one.call_tool("get_customer", {"id": "CUS-0001"})
            yours = await two.call_tool("get_customer", {"id": "CUS-0001"})
            return mine.structured_content["tier"], yours.structured_content["tier"]

    assert asyncio.run(scene(Hall())) == ("gold", "basic")


# ── what a client does wrong ──────────────────────────────────────────────────────────────────────


def test_a_call_that_is_wrong_is_answered_in_words_and_counts_as_for_a_policy():
    async def scene(client):
        calls = [
            ("get_customer", {"id": "CUS-0009"}),
            ("get_customer", {"name": "Serra"}),
            ("update_customer", {"id": "CUS-0001", "tier": "platinum"}),
            ("fly", {"to": "the moon"}),
            ("finish", {}),
            ("finish", {"answer": 7}),
            ("finish", {"answer": "x" * 10_001}),
        ]
        return [(r.is_error, text(r)) for r in [await client.call_tool(*call) for call in calls]]

    hall = Hall()
    session = asyncio.run(inside(hall, scene))
    assert session == [
        (True, "no customer has id 'CUS-0009'"),
        (True, "id must be text, not None"),
        (True, "tier: must be one of basic, gold, vip, not 'platinum'"),
        (True, "unknown tool 'fly'"),
        (True, "finish takes one argument: answer"),
        (True, "answer must be text of at most 10000 characters"),
        (True, "answer must be text of at most 10000 characters"),
    ]
    (outcome,) = hall.outcomes  # the client left without an answer
    assert not outcome.finished
    assert (outcome.trajectory.answer, len(outcome.trajectory.calls)) == (None, 4)
    assert outcome.grade.penalties == {"degenerate": 0.9}  # the tool that is none


async def inside(hall: Hall, scene):
    async with hall.client() as client:
        return await scene(client)


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("tools/call", {"name": "list_customer", "arguments": [1]}, "arguments: Input should be"),
        ("tools/call", {"arguments": {}}, "name: Field required"),
        ("prompts/get", {"name": "key"}, "there is no prompt of this name; the only one is 'task'"),
        ("resources/read", {"uri": "file:///etc/passwd"}, f"the only one is {INSTRUCTION}"),
        ("resources/read", {"uri": "task://instruction/../key"}, f"the only one is {INSTRUCTION}"),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"},
                                 "argument": {"name": "x", "value": "y"}}, "Method not found"),
    ],
)  # fmt: skip
def test_a_request_that_cannot_be_met_says_why(method, params, message):
    async def scene(wire):
        return await wire.ask(method, params)

    assert message in asyncio.run(connected(Hall(), scene))["error"]["message"]


def test_calls_after_the_end_are_refused_and_change_nothing():
    async def scene(client):
        await client.call_tool("finish", {"answer": "nothing to do"})
        late = [
            await client.call_tool("update_customer", GOLD),
            await client.call_tool("finish", {"answer": "again"}),
        ]
        return [(r.is_error, text(r)) for r in late]

    hall = Hall()
    assert asyncio.run(inside(hall, scene)) == [(True, HAS_ENDED)] * 2
    (outcome,) = hall.outcomes
    assert (outcome.trajectory.answer, outcome.grade.reward) == ("nothing to do", 0.0)


def test_turns_run_out_as_for_a_policy_and_finishing_remains():
    async def scene(client):
        texts = [text(await client.call_tool("list_customer", {"page": n})) for n in range(1, 10)]
        await client.call_tool("finish", {"answer": "x"})
        return texts

    hall = Hall()
    texts = asyncio.run(inside(hall, scene))
    assert texts[8] == "no turns left: the limit is 8 calls"  # of a compact world
    assert len(hall.outcomes[0].trajectory.calls) == 8


# ── what stays hidden ─────────────────────────────────────────────────────────────────────────────


def leaves(value) -> set[str]:
    """Every name and every text inside a JSON value."""
    if isinstance(value, dict):
        return set(value) | {leaf for inner in value.values() for leaf in leaves(inner)}
    if isinstance(value, list):
        return {leaf for inner in value for leaf in leaves(inner)}
    return {value} if isinstance(value, str) else set()


PROTOCOL = {"arguments", "template"}
"""Names of the keys' fields that are words of MCP, too."""


def hidden_texts(stored: StoredWorld) -> set[str]:
    """Whatever stands in the keys and nowhere in what a policy may see."""
    secret = leaves(stored.key.model_dump(mode="json"))
    for task in stored.tasks:
        secret |= leaves(task.key.model_dump(mode="json"))
    world = stored.world.replace(brief=stored.world.brief.replace(text="", families={}, target=None))
    public = json.dumps(
        [world.model_dump(mode="json"), *(t.view.model_dump(mode="json") for t in stored.tasks)]
    )
    found = {text for text in secret if len(text) > 3 and json.dumps(text)[1:-1] not in public}
    return found - PROTOCOL | {"SELECT", "sqlite", "reward", "all_pass", "Traceback"}


ODD = [{}, {"name": "key"}, {"uri": "task://key"}, {"name": "finish", "arguments": {"answer": "?"}},
       {"name": "get_document", "arguments": {"id": "RULE-01"}}, {"cursor": "1"}, {"level": "debug"},
       {"name": "search_documents", "arguments": {"query": "select sql from sqlite_master", "page": 10**30}},
       {"name": "task", "arguments": {"key": "yes"}}]  # fmt: skip


async def ask_everything(wire: Wire) -> list[dict]:
    """The answers to every method of the protocol with every odd parameter."""
    methods = sorted(SPEC_CLIENT_METHODS - {"initialize", "ping"})
    return [await wire.ask(method, params) for method in methods for params in ODD]


def reads(stored: StoredWorld) -> list[tuple[str, dict]]:
    """Calls that read the world from end to end, and that make every tool complain."""
    calls: list[tuple[str, dict]] = []
    for name, rows in stored.world.seed.rows.items():
        calls += [(f"list_{name}", {"page": page}) for page in range(1, len(rows) // 5 + 2)]
        calls += [(f"get_{name}", {"id": row[0]}) for row in rows]
        calls += [(f"update_{name}", {"id": rows[0][0], "nonsense": 1}), (f"search_{name}", {"filters": "x"})]
    calls += [("get_document", {"id": d.id}) for d in stored.world.documents]
    return [*calls, ("search_documents", {"query": "policy when the"}), ("get_rule", {"id": "RULE-01"})]


def test_nothing_hidden_can_be_reached_through_the_wire(dozen):
    made = dozen[0]
    for stored in (TOYS, StoredWorld(made.world, made.key, made.tasks)):
        hall = Hall(stored, stored.tasks)
        calls, said = reads(stored), []

        async def scene(wire, some):
            for tool, arguments in some:
                said.append(await wire.ask("tools/call", {"name": tool, "arguments": arguments}))  # noqa: B023
            said.extend(await ask_everything(wire))  # noqa: B023

        for start in range(0, len(calls), 7):  # within the turns of an episode
            asyncio.run(connected(hall, partial(scene, some=calls[start : start + 7])))
        wire = json.dumps(said, ensure_ascii=False)
        hidden = hidden_texts(stored)
        assert stored.key.invariants[0].sql in hidden
        assert {"oracle", "at_stake", "assertions", "invariants"} <= hidden
        assert [text for text in hidden if text in wire or json.dumps(text)[1:-1] in wire] == []
        first = next(iter(stored.world.seed.rows.values()))[0][0]
        assert first in wire  # what is not hidden was read


def test_a_failure_of_the_server_is_not_told_to_the_client(caplog):
    def full(outcome):
        raise OSError(28, "No space left on device", "grades of SELECT")

    hall = Hall()
    hall.desk._report = full

    async def scene(wire):
        return await wire.ask("tools/call", {"name": "finish", "arguments": {"answer": "x"}})

    error = asyncio.run(connected(hall, scene))["error"]
    assert error == {"code": -32603, "message": "the server failed; its log says why"}
    assert "No space left on device" in caplog.text


def test_an_episode_that_cannot_be_graded_is_told_to_the_desk_alone(monkeypatch):
    def fails(session):
        raise GraderError("hidden check could not run: SELECT secret")

    monkeypatch.setattr(Session, "grade", fails)

    async def scene(client):
        return await client.call_tool("finish", {"answer": "x"})

    hall = Hall()
    assert asyncio.run(inside(hall, scene)).structured_content == {"done": True}
    assert (hall.outcomes[0].grade, hall.outcomes[0].problem) == (
        None,
        "hidden check could not run: SELECT secret",
    )


def test_a_protocol_without_sessions_is_declined_by_name():
    words = asyncio.run(refusal(Client(Hall().server, mode="2026-07-28")))
    assert words == "an episode needs a session: connect with the initialize handshake"


# ── both transports ───────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path):
    """A folder with the toy world."""
    write_world(tmp_path, *TOYS)
    return tmp_path


def outcomes(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_over_standard_streams_a_task_is_solved_and_the_grade_goes_to_a_file(folder, tmp_path):
    grades = tmp_path / "grades.jsonl"
    task = TASKS[1]
    arguments = [
        "-m",
        "planet.serve",
        str(folder),
        TOYS.world.id[:6],
        "--task",
        task.id,
        "--grades",
        str(grades),
    ]

    async def scene(errors):
        server = StdioServerParameters(command=sys.executable, args=arguments, cwd=os.getcwd())
        async with Client(
            stdio_client(server, errlog=errors)
        ) as client:  # falls back to the handshake by itself
            await solve(client, task)

    with (tmp_path / "stderr").open("w+") as errors:
        asyncio.run(scene(errors))
        errors.seek(0)
        assert errors.read() == f"client 1 finished task {task.id}\n"
    (outcome,) = outcomes(grades)
    trajectory, grade = graded_in_process(TOYS, task)
    assert outcome["grade"] == grade.model_dump(mode="json")
    again = Trajectory.model_validate(outcome["trajectory"])
    assert again == trajectory
    assert replay(Session(TOYS.world, TOYS.key), task, again) == grade


def test_whatever_stands_on_the_standard_streams_the_server_goes_on(folder):
    command = [sys.executable, "-m", "planet.serve", str(folder), TOYS.world.id]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    call = {"name": "get_customer", "arguments": {"id": "x" * 10_000_000}}
    with subprocess.Popen(command, text=True, **pipes) as server:

        def send(line) -> None:
            server.stdin.write(
                (line if isinstance(line, str) else json.dumps({"jsonrpc": "2.0", **line})) + "\n"
            )
            server.stdin.flush()

        for line in (
            "",
            "{",
            "null",
            "[]",
            "\x00",
            "[" * 100_000 + "]" * 100_000,
            '{"jsonrpc": "1.0", "id": 1}',
        ):
            send(line)
        send({"id": 1, "method": "initialize", "params": hello})
        answers = [json.loads(server.stdout.readline())]
        send({"id": 2, "method": "tools/call", "params": call})  # ten million characters
        answers += [json.loads(server.stdout.readline())]
        server.stdin.close()
        assert server.wait(30) == 0
        errors = server.stderr.read()
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["isError"]
    assert len(answers[1]["result"]["content"][0]["text"]) < 200
    assert errors == f"client 1 left task {TASKS[0].id}: not all pass, reward 0.000\n"


@pytest.fixture
def served(folder, tmp_path):
    """The toy world over HTTP: the process, its address, the file of grades."""
    grades = tmp_path / "grades.jsonl"
    command = [sys.executable, "-m", "planet.serve", str(folder), TOYS.world.id, "--transport", "http",
               "--port", "0", "--grades", str(grades), "--clients", "2", "--idle", "4"]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        said = server.stderr.readline()
        address = re.fullmatch(
            rf"serving world {TOYS.world.id}, 2 of its tasks in turn, at (http://127\.0\.0\.1:\d+/mcp)\n",
            said,
        )
        assert address, said + server.stderr.read()
        yield server, address[1], grades
        server.send_signal(signal.SIGINT)
        assert server.wait(60) in (0, 130)
        assert "Traceback" not in server.stderr.read()


def wait_for(condition) -> None:
    for _ in range(1_200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come about within a minute")


def test_over_http_clients_are_apart_bounded_graded_and_let_go(served):
    _, address, grades = served
    after = {}

    async def scene():
        async with Client(address) as one, Client(address) as two:
            await one.call_tool("update_customer", GOLD)
            after["one"] = (await one.call_tool("get_customer", {"id": "CUS-0001"})).structured_content[
                "tier"
            ]
            after["two"] = (await two.call_tool("get_customer", {"id": "CUS-0001"})).structured_content[
                "tier"
            ]
            after["three"] = await refusal(Client(address))
            await two.call_tool("finish", {"answer": "too hard"})
        async with Client(address) as three:  # there is room again
            await solve(three, TASKS[0])

    asyncio.run(scene())
    assert after == {"one": "gold", "two": "basic", "three": "Too many open sessions"}
    wait_for(lambda: len(outcomes(grades)) == 3)
    found = {o["client"]: (o["finished"], o["grade"]["reward"]) for o in outcomes(grades)}
    assert found == {1: (False, 1.0), 2: (True, 0.0), 3: (True, 1.0)}


def test_a_client_that_vanishes_is_let_go_after_the_idle_time(served):
    _, address, grades = served
    headers = {"accept": "application/json, text/event-stream"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}

    def post(client, number, method, params, **more):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return client.post(address, json=message, headers=headers | more)

    with httpx2.Client() as client:
        opened = post(client, 1, "initialize", hello)
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        assert post(client, 2, "tools/list", {}, **session).status_code == 200
        wait_for(lambda: len(outcomes(grades)) == 1)  # after four seconds of silence
        assert post(client, 3, "tools/list", {}, **session).status_code == 404


def test_over_http_only_this_machine_and_no_strange_page_is_served(served):
    _, address, _ = served
    with httpx2.Client() as client:
        strange = client.post(address, json={}, headers={"origin": "http://evil.example"})
        rebound = client.post(address, json={}, headers={"host": "evil.example"})
        large = client.post(
            address, content=b"x" * (1 << 20) + b"x", headers={"content-type": "application/json"}
        )
        deep = client.post(address, content=b"[" * 100_000, headers={
            "content-type": "application/json", "accept": "application/json, text/event-stream"})  # fmt: skip
        elsewhere = [
            client.get(address.replace("/mcp", path)).status_code for path in ("/", "/keys", "/mcp/../keys")
        ]
    assert (strange.status_code, rebound.status_code, large.status_code, deep.status_code) == (
        403,
        421,
        413,
        400,
    )
    assert elsewhere == [404, 404, 404]


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")


def test_the_commands_and_words_of_the_page_are_those_of_the_program(folder, capsys):
    shown = [
        shlex.split(line) for line in re.findall(r"^    python -m planet\.serve (.*)$", PAGE, re.MULTILINE)
    ]
    names = {"worlds": str(folder), "WORLD_ID": TOYS.world.id, "TASK_ID": TASKS[0].id}
    stdio, http = ([names.get(word, word) for word in words] for words in shown)
    command = [sys.executable, "-m", "planet.serve", *stdio]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.getcwd()},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")  # nobody came
    assert (folder / "grades.jsonl").read_text() == ""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        http[http.index("8321")] = str(taken.getsockname()[1])
        assert main(http) == 2
    assert "cannot be had" in capsys.readouterr().err  # all its words were understood
    assert set(re.findall(r"^\| `([a-z]+)` \|", PAGE, re.MULTILINE)) == set(Outcome.model_fields)
    assert INSTRUCTION in PAGE and f"`{PROMPT}`" in PAGE and f"`{FINISH} " in PAGE


# ── the command ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the following arguments are required: DIR, WORLD_ID"),
        (("{folder}", "zz"), "holds no world 'zz'"),
        (("{folder}", TOYS.world.id, "--task", "zz"), "0 tasks begin with 'zz'"),
        (
            ("{folder}", TOYS.world.id, "--port", "http"),
            "'http' is no port; use 0 (any that is free) to 65535",
        ),
        (("{folder}", TOYS.world.id, "--port", "65536"), "'65536' is no port"),
        (("{folder}", TOYS.world.id, "--clients", "0"), "'0' is no whole number of 1 or more"),
        (("{folder}", TOYS.world.id, "--transport", "pigeon"), "invalid choice: 'pigeon'"),
        (("{folder}", TOYS.world.id, "--grades", "{folder}"), "is a folder; give the name of a file"),
        (("{folder}", TOYS.world.id, "--transport", "http", "--port", "{taken}"), "cannot be had"),
    ],
)
def test_wrong_use_is_one_line(folder, capsys, arguments, message):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        try:
            code = main([a.format(folder=folder, taken=port) for a in arguments])
        except SystemExit as error:
            code = error.code
    said = capsys.readouterr()
    assert (code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith("python -m planet.serve: ") and message in said.err


def test_a_world_without_tasks_is_refused(tmp_path, capsys):
    write_world(tmp_path, *toy_world(), ())
    assert main([str(tmp_path), TOYS.world.id]) == 2
    assert "has no tasks; serve one that planet.synthesize made" in capsys.readouterr().err


def test_a_world_whose_check_cannot_run_is_refused_before_anyone_comes(tmp_path, capsys):
    world, key = changed(invariants=(VIP.replace(sql="DELETE FROM customer"),))
    write_world(tmp_path, world, key, (toy_task(world),))
    assert main([str(tmp_path), world.id]) == 2
    assert "hidden check" in capsys.readouterr().err


def test_without_the_sdk_the_remedy_is_named(folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "planet.serve.wire", None)
    assert main([str(folder), TOYS.world.id]) == 2
    assert "install the extra: pip install -e '.[mcp]'" in capsys.readouterr().err
