"""docs/serving.md: the client that it shows plays an episode against a server."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from planet.store import write_world
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world

pytest.importorskip("mcp", reason="the MCP SDK is absent; install the extra mcp")

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8321/mcp"


def test_the_client_of_the_page_reads_its_task_looks_around_and_finishes(tmp_path, capsys):
    (code,) = re.findall(r"^```python\n(# client\.py\n.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert code.count(ADDRESS) == 1
    world, key = toy_world()
    write_world(tmp_path, world, key, (toy_task(),))
    grades = tmp_path / "grades.jsonl"
    command = [sys.executable, "-m", "planet.serve", str(tmp_path), world.id, "--transport", "http"]
    options = ["--port", "0", "--grades", str(grades)]
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True) as server:
        said = server.stderr.readline()
        address = said.split()[-1]
        exec(compile(code.replace(ADDRESS, address), "docs/serving.md", "exec"), {})
        server.send_signal(signal.SIGINT)
        assert server.wait(60) in (0, 130)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "You are the coordinator of Aroeira Pumps."
    assert toy_task().view.instruction in lines
    assert lines[-3].startswith(f"{len(world.offered) + 1} tools, among them ")  # with `finish`
    assert "'DOC-01'" in lines[-2] and lines[-1] == "{'done': True}"
    (outcome,) = [json.loads(line) for line in grades.read_text().splitlines()]
    assert outcome["finished"] and not outcome["grade"]["all_pass"]


def test_the_extra_that_the_page_installs_exists():
    project = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert "-e '.[mcp]'" in PAGE and re.search(r"^mcp = \[", project, re.MULTILINE)
