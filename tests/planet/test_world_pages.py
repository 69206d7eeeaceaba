"""docs/worlds.md and docs/grading.md: every command runs, every table agrees with the code."""

import io
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest

from planet.records.task import Assertion
from planet.store import read_world, world_ids
from planet.tasks.audit_rules import RULES
from planet.tasks.draft import equal, write
from planet.tasks.families import FAMILIES
from planet.validators import VALIDATORS
from planet.world import grading
from planet.world.session import Session
from tests.planet import overlays
from tests.planet.toy_tasks import toy_task
from tests.planet.worlds import toy_world

DOCS = Path(__file__).resolve().parents[2] / "docs"
WORLDS = (DOCS / "worlds.md").read_text(encoding="utf-8")
GRADING = (DOCS / "grading.md").read_text(encoding="utf-8")


def commands(page: str) -> list[list[str]]:
    """Every command of the page, shown on a line of its own or in the text."""
    shown = re.findall(r"^    python -m (planet\..*)$", page, re.MULTILINE)
    return [shlex.split(line) for line in [*shown, *re.findall(r"`python -m (planet\.[^`]*)`", page)]]


def run(command: list[str]) -> int:
    name, *arguments = command
    if "WORLD_ID" in arguments:
        world = world_ids(Path(arguments[0]))[0]
        task = read_world(Path(arguments[0]), world).tasks[0].id
        arguments = [{"WORLD_ID": world, "TASK_ID": task}.get(a, a) for a in arguments]
    arguments = [a.replace("my_module:MyAuthor", "planet.author.template:TemplateAuthor") for a in arguments]
    return import_module(name).main(arguments)


def test_every_command_runs_in_the_order_in_which_it_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("tools\nanswer done\n"))
    overlays.write(tmp_path / "my_catalog", {"countries.yaml": [overlays.ELBONIA]})
    shown = commands(WORLDS) + commands(GRADING)
    assert len(shown) >= 11
    for command in shown:
        expected = 1 if command[0] == "planet.play" else 0  # an answer alone solves nothing
        assert run(command) == expected, command
    assert len(world_ids(tmp_path / "worlds")) >= 20


def test_options_that_are_named_exist(capsys):
    options = set(re.findall(r"`(--[a-z]+)[` ]", WORLDS))
    with pytest.raises(SystemExit):
        import_module("planet.synthesize").main(["--help"])
    out = capsys.readouterr().out
    assert options - {"--save", "--catalog", "--html"} == {o for o in options if o in out}


def test_tables_hold_what_the_code_claims():
    for validator in VALIDATORS:
        assert f"| {validator.name} | {validator.claim} | {validator.link} |" in WORLDS
    for rule in RULES:
        assert f"| {rule.name} | {rule.claim} |" in GRADING
    for family in FAMILIES:
        assert f"| `{family}` | " in WORLDS
    for number in (grading.DEGENERATE_FACTOR, grading.REPETITION_FACTOR):
        assert GRADING.count(f"| {number} each, down to {grading.LOWEST_FACTOR} |") == 2
    assert f"| {grading.AFTER_ANSWER_FACTOR} once |" in GRADING


def test_the_worked_example_is_right():
    # as in the page: two columns of one record, and a namesake that must not get the first of them
    other = Assertion(
        id="a3", kind="differs", table="customer", where={"id": "CUS-0002"}, column="status", value="paused"
    )
    change = {"status": "paused", "credit": 7.0}
    task = toy_task(
        assertions=(*equal("customer", "CUS-0001", change), other),
        allowed=(toy_task().key.allowed[0].replace(columns=tuple(change)),),
        at_stake=(),
    )
    session = Session(*toy_world())

    def outcome(*calls):
        session.begin(task)
        for tool, arguments in calls:
            session.call(tool, arguments)
        grade = session.grade()
        return round(grade.score * 3), grade.reward, grade.all_pass

    status, both, namesake, third = (
        (call.tool, call.arguments)
        for call in (
            write("customer", "CUS-0001", {"status": "paused"}),
            write("customer", "CUS-0001", change),
            write("customer", "CUS-0002", change),
            write("customer", "CUS-0003", {"credit": 1.0}),
        )
    )
    assert outcome() == (1, 0.0, False)
    assert outcome(status) == (2, 0.5, False)
    assert outcome(both) == (3, 1.0, True)
    assert outcome(both, third) == (3, 0.5, False)
    assert outcome((None, {"raw": "?"}), (None, {"raw": "!"}), both) == (3, pytest.approx(0.81), True)
    assert outcome(namesake) == (0, 0.0, False)
