"""docs/worlds.md and docs/grading.md: every command runs, every table agrees with the code."""

import io
import re
import shlex
import sqlite3
import sys
from importlib import import_module
from pathlib import Path

import pytest

from planet.records.task import Assertion, TaskKey
from planet.records.world import Invariant, WorldKey
from planet.store import StoredWorld, read_world, task_named, world_ids
from planet.synthesize import main as synthesize
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
    if name == "planet.mutations":  # the page's study takes minutes
        arguments = [{"200": "1", "100": "1"}.get(a, a) for a in arguments if a != "--audit"]
    package = import_module(name)
    main = package.main if hasattr(package, "main") else import_module(f"{name}.__main__").main
    return main(arguments)


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
    assert options - {"--save", "--html", "--audit", "--collapse"} == {o for o in options if o in out}


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


# ── one grade by hand ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def three_worlds(tmp_path_factory) -> Path:
    """What the page's command makes."""
    folder = tmp_path_factory.mktemp("three") / "worlds"
    assert "python -m planet.synthesize --count 3 --out three" in GRADING
    assert synthesize(["--count", "3", "--out", str(folder)]) == 0
    return folder


def by_hand() -> list[tuple[str, list[str]]]:
    """Statement and the lines that SQLite's shell answers, as the page shows them."""
    (block,) = re.findall(r"^```console\n(.*?)^```$", GRADING, re.MULTILINE | re.DOTALL)
    parts = [part.splitlines() for part in block.split("sqlite> ")[1:]]
    return [(statement, answer) for statement, *answer in parts]


def stored(folder: Path) -> StoredWorld:
    (name,) = re.findall(r"makes world `(\w+)`", GRADING)
    return read_world(folder, name)


def test_every_line_of_the_grade_by_hand_is_what_sqlite_answers(three_worlds, tmp_path):
    name = stored(three_worlds).world.id
    assert f"`cp three/worlds/{name}.sqlite ep.sqlite`" in GRADING
    copy = tmp_path / "ep.sqlite"
    copy.write_bytes((three_worlds / "worlds" / f"{name}.sqlite").read_bytes())
    connection = sqlite3.connect(copy, isolation_level=None)
    shown = by_hand()
    assert len(shown) == 10
    for statement, answer in shown:
        rows = connection.execute(statement).fetchall()
        assert ["|".join(map(str, row)) for row in rows] == answer, statement
    connection.close()


def test_the_grade_by_hand_is_the_graders(three_worlds):
    world = stored(three_worlds)
    task = task_named(world, "adb89a0d60d74933")
    assert f"*{task.view.instruction}*" in " ".join(GRADING.split())
    (edit,), (rule,) = task.key.delta, task.key.at_stake
    statements = [statement for statement, _ in by_hand()]
    assert statements[1] == f"UPDATE {edit.table} SET status = 'trial' WHERE id = '{edit.key}';"
    sql = next(i.sql for i in world.key.invariants if i.id == rule)
    assert statements[4] == statements[9] == f"{sql};"
    session = Session(world.world, world.key)
    session.begin(task)
    nothing = session.grade()
    assert [(e.name, e.satisfied) for e in nothing.evidence] == [
        ("a1", True),
        ("a2", False),
        (rule, False),
    ]
    assert nothing.floor == pytest.approx(1 / 3) and nothing.reward == 0
    for call in task.key.oracle:
        session.call(call.tool, call.arguments)
    assert session.grade().all_pass and session.grade().reward == 1
    session.close()


def test_every_field_of_the_keys_is_explained():
    told = GRADING.partition("## What the keys hold")[2].partition("## One grade by hand")[0]
    for record in (WorldKey, TaskKey, Invariant):
        for name in record.model_fields:
            assert f"`{name}`" in told, name
